import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from '@jest/globals';
import { validateResource } from '@medplum/core';
import type { AuditEvent } from '@medplum/fhirtypes';
import '../fhir-server/definitions.ts';
import { PuenteProcess, runPuente, serve, token } from '../support/process.ts';
import { makeFolder } from '../support/sqlite-state.ts';

const folder = makeFolder();
let states = 0;

const createEnvironment = () => ({
  PUENTE_STATE_KIND: 'sqlite',
  PUENTE_STATE_FILE: join(folder, `${states++}.db`),
  PUENTE_STATE_ENCRYPTION_KEY: 'env:STATE_KEY',
  STATE_KEY: randomBytes(32).toString('base64'),
  PUENTE_AUDIT_CHAIN: 'north-1',
});
type Environment = ReturnType<typeof createEnvironment>;

const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
const change = (url: string, id: string) =>
  fetch(`${url}/patients/ana`, {
    method: 'PUT',
    headers: { ...headers, 'X-Request-Id': id },
    body: JSON.stringify({ phone: '1' }),
  });

const audit = (environment: Environment, ...args: string[]) => runPuente(['audit', ...args], environment);
const parseLines = (text: string): Record<string, unknown>[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('puente audit', () => {
  const environment = createEnvironment();

  test('finds, exports and verifies what a gateway has recorded, and records that it did', async () => {
    const gateway = await serve(environment);
    expect((await fetch(`${gateway.url}/patients/ana`, { headers })).status).toBe(200);
    expect((await fetch(`${gateway.url}/patients/nobody`, { headers })).status).toBe(404);
    expect((await change(gateway.url, 'change-1')).status).toBe(200);
    gateway.signal('SIGTERM');
    await gateway.ended;

    const found = parseLines((await audit(environment, 'search', '--patient', 'ana')).stdout);
    expect(found.map(({ seq, operation, phase }) => [seq, operation, phase])).toEqual([
      [1, 'getPatient', 'ended'],
      [3, 'updatePatient', 'begun'],
      [4, 'updatePatient', 'ended'],
      [1, 'audit search', 'ended'],
    ]);
    const since = new Date(String(found.at(-1)?.at)).toISOString();
    expect(parseLines((await audit(environment, 'search', '--until', since)).stdout)).toHaveLength(4);

    const events = parseLines((await audit(environment, 'export')).stdout) as unknown as AuditEvent[];
    expect(events.map(({ outcomeDesc }) => outcomeDesc)).toEqual([
      '200',
      '404 not_found',
      'begun',
      '200',
      '200',
      '200',
      '200',
    ]);
    for (const event of events) expect(validateResource(event)).toEqual([]);

    const { code, stdout } = await audit(environment, 'verify');
    expect(stdout).toMatch(/^ok {4}north-1: 4 records up to 4$/m);
    expect(code).toBe(0);
  });

  test('ends quietly when what it finds is read no more, as by head', async () => {
    const search = new PuenteProcess(['audit', 'search'], environment, { compares: false });
    search.stopReading('stdout');
    expect(await search.ended).toEqual({ code: 141, stdout: '', stderr: '' });
  });

  test('exits with 1 when a record was changed, and names it', async () => {
    const database = new DatabaseSync(environment.PUENTE_STATE_FILE);
    database.exec(`UPDATE puente_audit SET records = substr(records, 2) WHERE chain = 'north-1' AND seq = 4`);
    database.close();
    const { code, stdout } = await audit(environment, 'verify');
    expect(stdout).toContain(
      'wrong north-1: 3 records up to 4\n      record 4: was changed, or belongs to another place\n',
    );
    expect(code).toBe(1);
    const search = await audit(environment, 'search');
    expect(search.stderr).toBe('record 4 of north-1 cannot be read: see puente audit verify\n');
    expect(search.code).toBe(1);
  });

  test('says what is missing where there is no trail', async () => {
    const { code, stderr } = await runPuente(['audit', 'verify']);
    expect([code, stderr]).toEqual([78, expect.stringContaining('is memory, which keeps no audit trail')]);
  });
});

/** Sends writes, several at a time, and kills the gateway amid them. Resolves with those that were acknowledged. */
async function killAmidWrites(environment: Environment, round: number): Promise<readonly string[]> {
  const gateway = await serve(environment, { compares: false });
  const acknowledged: string[] = [];
  const sendMany = async (sender: number) => {
    for (let i = 0; acknowledged.length < 10 + round; i++) {
      const id = `${round}-${sender}-${i}`;
      const { status } = await change(gateway.url, id);
      if (status === 200) acknowledged.push(id);
    }
    gateway.signal('SIGKILL');
  };
  await Promise.allSettled([0, 1, 2, 3].map(sendMany));
  await gateway.ended;
  return acknowledged;
}

test('no record of an acknowledged write is lost in twenty rounds of SIGKILL, and the chain verifies', async () => {
  const environment = createEnvironment();
  const acknowledged: string[] = [];
  for (let round = 0; round < 20; round++) acknowledged.push(...(await killAmidWrites(environment, round)));
  const ended = parseLines((await audit(environment, 'search', '--patient', 'ana')).stdout).flatMap((record) =>
    record.phase === 'ended' && record.status === 200 ? [record.requestId] : [],
  );
  expect(acknowledged.length).toBeGreaterThan(200);
  expect(new Set(acknowledged).difference(new Set(ended))).toEqual(new Set());
  const { code, stdout } = await audit(environment, 'verify');
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^ok {4}north-1: /m)]);
}, 300_000);

import { randomBytes } from 'node:crypto';
import { copyFileSync, writeFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
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

  test.each(['01/02/2026', '2026-02-30', '1', '2026-11-30T12:00:00'])(
    'refuses %s as a moment, which could be another one than meant',
    async (moment) => {
      const { code, stderr } = await audit(environment, 'search', '--from', moment);
      expect(stderr).toContain('It must be a day such as 2026-11-30, or a moment with its zone');
      expect(code).toBe(1);
    },
  );

  test('finds, exports and verifies what a gateway has recorded, and records that it did', async () => {
    const gateway = await serve(environment);
    expect((await fetch(`${gateway.url}/patients/ana`, { headers })).status).toBe(200);
    expect((await fetch(`${gateway.url}/patients/nobody`, { headers })).status).toBe(404);
    expect((await change(gateway.url, 'change-1')).status).toBe(200);
    gateway.signal('SIGTERM');
    await gateway.ended;

    const found = parseLines((await audit(environment, 'search', '--patient', 'ana')).stdout);
    expect(found.map(({ seq, operation, phase }) => [seq, operation, phase])).toEqual([
      [2, 'getPatient', 'ended'],
      [4, 'updatePatient', 'begun'],
      [5, 'updatePatient', 'ended'],
      [1, 'audit search', 'ended'],
    ]);
    const { username } = userInfo();
    expect(found.at(-1)?.subject).toEqual({ issuer: hostname(), id: username });
    const since = new Date(String(found.at(-1)?.at)).toISOString();
    const asAna = { ...environment, SUDO_USER: 'ana.perez' };
    expect(parseLines((await audit(asAna, 'search', '--until', since)).stdout)).toHaveLength(6);
    expect(parseLines((await audit(environment, 'search')).stdout).at(-2)?.subject).toMatchObject({
      id: `ana.perez as ${username}`,
    });

    const events = parseLines((await audit(environment, 'export')).stdout) as unknown as AuditEvent[];
    expect(events.map(({ outcomeDesc }) => outcomeDesc)).toEqual([
      '200',
      '200',
      '404 not_found',
      'begun',
      '200',
      '200',
      '200',
      '200',
      '200',
      '200',
    ]);
    for (const event of events) expect(validateResource(event)).toEqual([]);

    const { code, stdout } = await audit(environment, 'verify');
    expect(stdout).toMatch(/^ok {4}north-1: 6 records up to 6\n {6}head north-1 6 [0-9a-f]{64} [0-9a-f]{64} \S+Z$/m);
    expect(code).toBe(0);
    writeFileSync(`${environment.PUENTE_STATE_FILE}.txt`, stdout);
    // The log has the same at the end of the process.
    const { stdout: log } = await gateway.ended;
    writeFileSync(`${environment.PUENTE_STATE_FILE}.log`, log);
    expect(log).toMatch(new RegExp(stdout.match(/north-1 6 .*/)![0]));
  });

  test.each(['txt', 'log'])(
    'finds a chain that is shorter than an earlier output or the log said: %s',
    async (name) => {
      const file = `${environment.PUENTE_STATE_FILE}.${name}`;
      expect((await audit(environment, 'verify', '--since', file)).code).toBe(0);
      const copy = { ...environment, PUENTE_STATE_FILE: `${environment.PUENTE_STATE_FILE}.${name}.db` };
      copyFileSync(environment.PUENTE_STATE_FILE, copy.PUENTE_STATE_FILE);
      const database = new DatabaseSync(copy.PUENTE_STATE_FILE);
      database.exec(`DELETE FROM puente_audit WHERE chain = 'north-1'; DELETE FROM puente_audit_patients WHERE chain = 'north-1';
      DELETE FROM puente_audit_chains WHERE chain = 'north-1'`);
      database.close();
      expect((await audit(copy, 'verify')).code).toBe(0);
      const { code, stdout } = await audit(copy, 'verify', '--since', file);
      expect([code, stdout]).toEqual([
        1,
        expect.stringContaining(
          'wrong north-1: 0 records up to 0\n      record 6: is missing, or differs from an earlier signature\n',
        ),
      ]);
    },
  );

  test('says of a file with no end of a chain that it has none', async () => {
    const file = `${environment.PUENTE_STATE_FILE}.empty`;
    writeFileSync(file, 'nothing');
    const { code, stderr } = await audit(environment, 'verify', '--since', file);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('--since has no end of a chain: name an output of audit verify, or a log'),
    ]);
    expect((await audit(environment, 'verify', '--since', `${file}.none`)).stderr).toContain('(ENOENT)');
  });

  test('ends quietly when what it finds is read no more, as by head', async () => {
    const search = new PuenteProcess(['audit', 'search'], environment, { compares: false });
    search.stopReading('stdout');
    expect(await search.ended).toEqual({ code: 141, stdout: '', stderr: '' });
  });

  test('exits with 1 when a record was changed, and names it', async () => {
    const database = new DatabaseSync(environment.PUENTE_STATE_FILE);
    database.exec(`UPDATE puente_audit SET records = substr(records, 2) WHERE chain = 'north-1' AND seq = 5`);
    database.close();
    const { code, stdout } = await audit(environment, 'verify');
    expect(stdout).toContain(
      'wrong north-1: 5 records up to 6\n      record 5: was changed, or belongs to another place\n',
    );
    expect(code).toBe(1);
    const search = await audit(environment, 'search');
    expect(search.stderr).toBe('record 5 of north-1 cannot be read: run puente audit verify\n');
    expect(search.code).toBe(1);
  });

  test('says what is missing where there is no trail', async () => {
    const { code, stderr } = await runPuente(['audit', 'verify']);
    expect([code, stderr]).toEqual([
      78,
      expect.stringContaining('is memory, which has no audit trail: set sqlite or postgres'),
    ]);
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

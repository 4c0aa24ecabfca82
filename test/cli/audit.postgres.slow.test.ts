import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import pg from 'pg';
import type { AuditRecord } from '../../src/audit/record.ts';
import { findFreePort } from '../support/free-port.ts';
import { missing, startPostgres } from '../support/postgres-server.ts';
import { runPuente, serve, token } from '../support/process.ts';

const READS = 500;
const postgres = missing ? undefined : await startPostgres();

(missing ? describe.skip : describe)('the audit trail in PostgreSQL', () => {
  test('says how many records a gateway could not write that ended while the database was away', async () => {
    const { createUrl, halt, resume } = postgres!;
    const ops = await findFreePort();
    const environment = {
      PUENTE_STATE_KIND: 'postgres',
      PUENTE_STATE_URL: 'env:STATE_URL',
      STATE_URL: await createUrl(),
      PUENTE_STATE_ENCRYPTION_KEY: 'env:STATE_KEY',
      STATE_KEY: randomBytes(32).toString('base64'),
      PUENTE_AUDIT_CHAIN: 'north-1',
      PUENTE_OPS_PORT: String(ops),
    };
    const headers = { Authorization: `Bearer ${token}` };
    const readMetrics = async () => (await fetch(`http://127.0.0.1:${ops}/metrics`)).text();

    const first = await serve(environment, { compares: false });
    const read = async () => (await fetch(`${first.url}/patients/ana`, { headers })).status;
    await halt();
    for (let i = 0; i < READS; i++) expect(await read()).toBe(200);
    const [, waiting] = /unwritten_records\{state="waiting"\} (\d+)/.exec(await readMetrics()) ?? [];
    expect(Number(waiting)).toBe(READS);
    first.signal('SIGTERM');
    const { code, stdout } = await first.ended;
    expect(code).toBe(0);
    const lines = stdout.split('\n').filter((line) => line.includes('"audit not ended"'));
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 'error', count: READS }]);

    await resume();
    const second = await serve(environment, { compares: false });
    let metrics = await readMetrics();
    while (!metrics.includes('puente_audit_gaps 1')) metrics = await readMetrics();
    second.signal('SIGTERM');
    expect((await second.ended).stdout).toContain('"audit gap"');
    const { stdout: found } = await runPuente(['audit', 'search'], environment);
    const records: AuditRecord[] = found
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(records.map(({ operation, reason }) => [operation, reason])).toEqual([
      ['audit begun', undefined],
      ['audit gap', 'not_ended'],
      ['audit begun', undefined],
      ['audit ended', undefined],
      ['audit search', undefined],
    ]);
    const { stdout: verified } = await runPuente(['audit', 'verify'], environment);
    expect(verified).toMatch(/^ok {4}north-1: 4 records up to 4$/m);
  }, 120_000);

  test('is searched as long as it takes, which a gateway would not wait', async () => {
    const url = await postgres!.createUrl();
    const environment = {
      PUENTE_STATE_KIND: 'postgres',
      PUENTE_STATE_URL: 'env:STATE_URL',
      STATE_URL: url,
      PUENTE_STATE_ENCRYPTION_KEY: 'env:STATE_KEY',
      STATE_KEY: randomBytes(32).toString('base64'),
    };
    expect((await runPuente(['audit', 'search'], environment)).code).toBe(0);
    const database = new pg.Client(url);
    await database.connect();
    await database.query('BEGIN; LOCK TABLE puente_audit_patients IN ACCESS EXCLUSIVE MODE');
    let isEnded = false;
    const search = runPuente(['audit', 'search', '--patient', 'ana'], environment).finally(() => {
      isEnded = true;
    });
    const waits = `SELECT count(*) FROM pg_stat_activity
      WHERE wait_event_type = 'Lock' AND clock_timestamp() > query_start + interval '4 s'`;
    while (!isEnded && Number(await postgres!.sql(waits)) === 0);
    await database.query('COMMIT');
    await database.end();
    expect(await search).toMatchObject({ code: 0, stderr: '' });
  }, 120_000);
});

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from '@jest/globals';
import { runPuente, serve, token } from '../../support/process.ts';
import { makeFolder } from '../../support/sqlite-state.ts';

const file = join(makeFolder(), 'state.db');
const environment = {
  PUENTE_STATE_KIND: 'sqlite',
  PUENTE_STATE_FILE: file,
  PUENTE_STATE_ENCRYPTION_KEY: 'env:STATE_KEY',
  STATE_KEY: randomBytes(32).toString('base64'),
  PUENTE_AUDIT_CHAIN: 'north-1',
  PUENTE_TOKEN: token,
};

/** What doctor says of the trail. */
async function examineTrail() {
  const { stdout } = await runPuente(['doctor', '--json'], environment);
  const { checks } = JSON.parse(stdout) as { checks: { check: string }[] };
  return checks.filter(({ check }) => check === 'audit trail');
}

test('puente doctor verifies the audit trail, and names the first record that is missing', async () => {
  const gateway = await serve(environment);
  for (let i = 0; i < 2; i++)
    await fetch(`${gateway.url}/patients/ana`, { headers: { Authorization: `Bearer ${token}` } });
  gateway.signal('SIGTERM');
  expect((await gateway.ended).code).toBe(0);
  expect(await examineTrail()).toMatchObject([
    { ok: true, detail: expect.stringMatching(/^north-1: \d+ records, none missing or changed$/) },
  ]);
  const database = new DatabaseSync(file);
  database.exec('DELETE FROM puente_audit WHERE seq = (SELECT min(seq) FROM puente_audit)');
  database.close();
  expect(await examineTrail()).toMatchObject([
    {
      ok: false,
      detail: expect.stringMatching(/^north-1: record 1: is missing/),
      fix: 'run puente audit verify',
    },
  ]);
}, 120_000);

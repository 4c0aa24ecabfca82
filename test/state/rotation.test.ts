import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from '@jest/globals';
import { verifyChains } from '../../src/audit/verify.ts';
import { AuditWriter } from '../../src/audit/writer.ts';
import { openSqlite } from '../../src/database/sqlite.ts';
import { openDurableState } from '../../src/state/open.ts';
import { createRecord } from '../support/audit-records.ts';
import { describeRotation } from '../support/rotation-contract.ts';
import { makeFolder } from '../support/sqlite-state.ts';

const folder = makeFolder();

describeRotation(async () => {
  const file = join(folder, randomUUID());
  return async (keys) => openDurableState(await openSqlite(file), keys);
});

test.each([
  ['a record', 'UPDATE puente_audit SET records = zeroblob(60) WHERE seq = 2', 2, 1],
  ['the patient of a record', "UPDATE puente_audit_patients SET patient = 'ffffffff' WHERE seq = 2", 2, 0],
  ['the signature of a chain', "UPDATE puente_audit_chains SET signature = 'forged'", 0, 1],
])('a rotation of keys does not hide that %s was changed', async (_, sql, seq, unreadable) => {
  const file = join(folder, randomUUID());
  const [old, fresh] = [randomBytes(32), randomBytes(32)];
  const before = await openDurableState(await openSqlite(file), old);
  const writer = new AuditWriter({ records: before.audit!, chain: 'north', log: { write: () => undefined } });
  for (const id of ['1', '2', '3']) await writer.write([createRecord(id)]);
  await before.close();
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
  const state = await openDurableState(await openSqlite(file), [fresh, old]);
  expect(await state.rotate!()).toMatchObject({ left: 0, unreadable });
  await state.close();
  const after = await openDurableState(await openSqlite(file), fresh);
  const [report] = await verifyChains(after.audit!);
  expect(report?.faults.map((fault) => fault.seq)).toEqual([seq]);
  await after.close();
});

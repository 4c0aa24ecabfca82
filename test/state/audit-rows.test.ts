import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { createGroup } from '../../src/audit/record.ts';
import { verifyChains } from '../../src/audit/verify.ts';
import { AuditWriter, Retention } from '../../src/audit/writer.ts';
import type { Database, RunQuery } from '../../src/database/database.ts';
import { openSqlite } from '../../src/database/sqlite.ts';
import { openDurableState } from '../../src/state/open.ts';
import type { ChainLink } from '../../src/state/state.ts';
import { createRecord } from '../support/audit-records.ts';

const DAY = 86_400_000;
const log = { write: () => undefined };

/** The steps of the plan of a statement that read more rows with each record of the trail. */
async function listGrowing({ query }: Database, sql: string): Promise<string[]> {
  const plan = await query(`EXPLAIN QUERY PLAN ${sql}`);
  const steps = plan.map(({ detail }) => String(detail));
  const isLimited = sql.includes('LIMIT');
  return steps
    .filter(
      (step) => /^SCAN puente_audit/.test(step) || (!isLimited && /^SEARCH puente_audit.*\(chain=\?\)$/.test(step)),
    )
    .filter((step) => !/ puente_audit_(chains|forwarded) /.test(step))
    .map((step) => `${step}: ${sql}`);
}

test('no statement about a trail takes longer with each of its records', async () => {
  const database = await openSqlite(':memory:');
  const statements = new Set<string>();
  const query: RunQuery = (sql, ...given) => {
    statements.add(sql);
    return database.query(sql, ...given);
  };
  const transact: Database['transact'] = (all) => {
    for (const { sql } of all) statements.add(sql);
    return database.transact(all);
  };
  const state = await openDurableState({ ...database, query, transact }, randomBytes(32));
  const records = state.audit!;
  statements.clear();
  const writer = new AuditWriter({ records, chain: 'a', log });
  await writer.begin();
  await writer.write([createRecord('1')]);
  await new Retention({ records, days: 1, now: () => Date.now() + 30 * DAY, log }).run();
  await verifyChains(records);
  for await (const { chain } of records.find({ patient: 'ana' })) expect(chain).toBe('a');
  await records.append('b', { seq: 0, hash: '' }, createGroup({ seq: 0, hash: '' }, [createRecord('1')]));
  const growing = await Promise.all([...statements].map((sql) => listGrowing(database, sql)));
  await state.close();
  expect(growing.flat()).toEqual([]);
  expect(statements.size).toBeGreaterThan(10);
});

test('a gateway serves requests while records of a trail are deleted', async () => {
  const state = await openDurableState(await openSqlite(':memory:'), randomBytes(32));
  const records = state.audit!;
  let head: ChainLink = { seq: 0, hash: '' };
  for (let i = 1; i <= 1_000; i++) {
    const group = createGroup(head, [createRecord(String(i))]);
    await records.append('a', head, group);
    head = group;
  }
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 1);
  expect(await records.prune(Date.UTC(2030, 0, 1))).toBe(1_000);
  clearInterval(timer);
  await state.close();
  expect(turns).toBeGreaterThanOrEqual(4);
});

test('a chain that another gateway begins while it is read has its signed head, and all that was forwarded', async () => {
  const database = await openSqlite(':memory:');
  let between = async () => undefined as unknown;
  const query: RunQuery = async (sql, ...given) => {
    const rows = await database.query(sql, ...given);
    if (/puente_audit/.test(sql)) await between();
    return rows;
  };
  const key = randomBytes(32);
  const [reader, gateway] = [
    await openDurableState({ ...database, query }, key),
    await openDurableState(database, key),
  ];
  const start: ChainLink = { seq: 0, hash: '' };
  const group = createGroup(start, [createRecord('1')]);
  between = async () => {
    between = async () => undefined;
    await gateway.audit!.append('a', start, group);
    await gateway.audit!.saveForwarded('syslog', 'a', group.seq);
  };
  const { head, forwarded } = await reader.audit!.readChain('a');
  await reader.close();
  expect(head?.seq).toBeGreaterThanOrEqual(forwarded);
});

import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createGroup, findHeads, formatHead, type SignedHead } from '../../src/audit/record.ts';
import { verifyChains } from '../../src/audit/verify.ts';
import { AuditWriter } from '../../src/audit/writer.ts';
import type { Database, RunQuery } from '../../src/database/database.ts';
import { openSqlite } from '../../src/database/sqlite.ts';
import { openDurableState } from '../../src/state/open.ts';
import type { ChainLink, State } from '../../src/state/state.ts';
import { createRecord } from '../support/audit-records.ts';

let state: State;
afterEach(() => state.close());

/** A chain of ten records in a database that anybody may write to. */
async function openChain(): Promise<Database> {
  const database = await openSqlite(':memory:');
  state = await openDurableState(database, randomBytes(32));
  const writer = new AuditWriter({ records: state.audit!, chain: 'a', log: { write: () => undefined } });
  for (let i = 1; i <= 10; i++) await writer.write([createRecord(String(i), { patient: `p${i}` })]);
  return database;
}

const listFaults = async () => (await verifyChains(state.audit!))[0]!.faults;

describe('a chain', () => {
  test('without a fault has none', async () => {
    await openChain();
    expect(await verifyChains(state.audit!)).toMatchObject([{ chain: 'a', count: 10, head: { seq: 10 }, faults: [] }]);
  });

  test('shows a byte that was flipped at its place, wherever in a record it is', async () => {
    const { query } = await openChain();
    const [row] = (await query('SELECT records FROM puente_audit WHERE seq = 4')) as { records: Uint8Array }[];
    for (let at = 0; at < row!.records.length; at += 7) {
      const bytes = Uint8Array.from(row!.records);
      bytes[at]! ^= 1;
      await query('UPDATE puente_audit SET records = $1 WHERE seq = 4', [bytes]);
      expect(await listFaults()).toEqual([{ seq: 4, what: 'was changed, or belongs to another place' }]);
    }
  });

  test('shows a byte that was flipped among records that were written together by their places', async () => {
    const { query } = await openChain();
    const writer = new AuditWriter({ records: state.audit!, chain: 'a', log: { write: () => undefined } });
    await writer.write(['11', '12', '13'].map((id) => createRecord(id)));
    await query(`UPDATE puente_audit SET records = x'00' WHERE seq = 13`);
    expect(await listFaults()).toEqual([{ seq: 11, what: 'was changed, or belongs to another place, up to 13' }]);
  });

  test.each(['hash = $1', 'first_at = $1', 'last_at = $1'])(
    'shows what stands beside a record at its place: %s',
    async (change) => {
      const { query } = await openChain();
      await query(`UPDATE puente_audit SET ${change} WHERE seq = 3`, [1]);
      expect((await listFaults())[0]).toEqual({ seq: 3, what: 'was changed, or belongs to another place' });
    },
  );

  test('shows a record that is found under another patient, under one more, or under none, at its place', async () => {
    const { query } = await openChain();
    await query('UPDATE puente_audit_patients SET patient = $1 WHERE seq = 3', ['other']);
    await query('INSERT INTO puente_audit_patients (chain, seq, patient) VALUES ($1, 6, $2)', ['a', 'other']);
    await query('DELETE FROM puente_audit_patients WHERE seq = 8');
    expect(await listFaults()).toEqual(
      [3, 6, 8].map((seq) => ({ seq, what: 'is stored under other patients than its text names' })),
    );
  });

  test.each([
    ['the first', 'seq = 1', [{ seq: 1, what: 'is missing' }]],
    ['one amid it', 'seq = 5', [{ seq: 5, what: 'is missing' }]],
    ['several', 'seq BETWEEN 5 AND 7', [{ seq: 5, what: 'is missing, up to 7' }]],
    ['the last', 'seq = 10', [{ seq: 10, what: 'is missing' }]],
    ['all', 'TRUE', [{ seq: 1, what: 'is missing, up to 10' }]],
  ])('shows records that were deleted at their place: %s', async (_name, where, expected) => {
    const { query } = await openChain();
    await query(`DELETE FROM puente_audit WHERE ${where}`);
    expect(await listFaults()).toEqual(expected);
  });

  test('shows a pair that was swapped at both places', async () => {
    const { query } = await openChain();
    await query('UPDATE puente_audit SET seq = -1 WHERE seq = 3');
    await query('UPDATE puente_audit SET seq = 3 WHERE seq = 7');
    await query('UPDATE puente_audit SET seq = 7 WHERE seq = -1');
    expect((await listFaults()).filter(({ what }) => what.startsWith('was changed'))).toEqual([
      { seq: 3, what: 'was changed, or belongs to another place' },
      { seq: 7, what: 'was changed, or belongs to another place' },
    ]);
  });

  test('shows a head or a beginning that somebody without the key has signed', async () => {
    const { query } = await openChain();
    await query('DELETE FROM puente_audit WHERE seq <= 2 OR seq = 10');
    await query(`UPDATE puente_audit_chains SET seq = 9, hash = (SELECT hash FROM puente_audit WHERE seq = 9),
      pruned_seq = 2, pruned_hash = 'x'`);
    expect((await listFaults()).slice(0, 2)).toEqual([
      { seq: 0, what: 'the signature of the head is missing or wrong' },
      { seq: 0, what: 'the signature of the chain’s start is missing or wrong' },
    ]);
    await query('DELETE FROM puente_audit_chains');
    expect((await listFaults())[0]).toEqual({ seq: 0, what: 'the signature of the head is missing or wrong' });
  });

  test('shows a record that somebody has added behind the head', async () => {
    const { query } = await openChain();
    await query(
      `INSERT INTO puente_audit SELECT chain, 11, first_at, last_at, hash, records FROM puente_audit WHERE seq = 10`,
    );
    expect(await listFaults()).toEqual([
      { seq: 11, what: 'was changed, or belongs to another place' },
      { seq: 11, what: 'comes after the signed head' },
    ]);
  });
});

describe('a chain whose old records are deleted meanwhile', () => {
  const key = randomBytes(32);
  const day = 86_400_000;

  /** A group on each of 410 days. @returns the number of statements by which `verify` has read them. */
  async function verifyAmid(prunedAt: number) {
    const database = await openSqlite(':memory:');
    const other = await openDurableState(database, key);
    let head: ChainLink = { seq: 0, hash: '' };
    const signed: SignedHead[] = [];
    for (let i = 1; i <= 410; i++) {
      const group = createGroup(head, [
        createRecord(`${i}`, { at: new Date(i * day).toISOString(), patient: `p${i}` }),
      ]);
      await other.audit!.append('a', head, group);
      head = group;
      if (i === 3 || i === 300)
        signed.push({ ...group, chain: 'a', signature: other.audit!.sign('a', group), at: group.lastAt });
    }
    let statements = Number.NEGATIVE_INFINITY;
    const query: RunQuery = async (...given) => {
      if (++statements === prunedAt) await other.audit!.prune(301 * day);
      return database.query(...given);
    };
    state = await openDurableState({ ...database, query }, key);
    statements = 0;
    const [report] = await verifyChains(state.audit!, signed, 301 * day);
    return { statements, report: report! };
  }

  test('has no fault, whichever statement of verify they are deleted before', async () => {
    const { statements, report } = await verifyAmid(0);
    expect(report).toMatchObject({ count: 410, faults: [] });
    for (let prunedAt = 1; prunedAt <= statements; prunedAt++) {
      const { report } = await verifyAmid(prunedAt);
      expect({ prunedAt, faults: report.faults }).toEqual({ prunedAt, faults: [] });
    }
  });
});

describe('one odd row', () => {
  /** Beside a record that is missing, which verify has to find all the same. */
  async function change(sql: string): Promise<void> {
    const { query } = await openChain();
    await query('DELETE FROM puente_audit WHERE seq = 8');
    await query(sql);
  }

  const missing = { seq: 8, what: 'is missing' };
  const changed = { seq: 4, what: 'was changed, or belongs to another place' };

  test.each([
    ["UPDATE puente_audit SET records = 'text' WHERE seq = 4", changed],
    ["UPDATE puente_audit SET hash = x'00' WHERE seq = 4", changed],
    ["UPDATE puente_audit SET last_at = 'never' WHERE seq = 4", changed],
    ["UPDATE puente_audit SET seq = 'four' WHERE seq = 4", { seq: 0, what: '1 rows have no number of a record' }],
    [
      "UPDATE puente_audit_patients SET patient = x'00' WHERE seq = 4",
      { seq: 4, what: 'is stored under other patients than its text names' },
    ],
    ["UPDATE puente_audit_chains SET seq = 'last'", { seq: 0, what: 'the signature of the head is missing or wrong' }],
    [
      "UPDATE puente_audit_chains SET pruned_signature = x'00'",
      { seq: 0, what: 'the signature of the chain’s start is missing or wrong' },
    ],
  ])('is a fault at its place, and the rest is verified: %s', async (sql, fault) => {
    await change(sql);
    const faults = await listFaults();
    expect(faults).toContainEqual(fault);
    expect(faults).toContainEqual(expect.objectContaining(missing));
  });

  test('of another chain than a text is a chain with faults', async () => {
    await change("UPDATE puente_audit SET chain = x'01' WHERE seq = 4");
    const reports = await verifyChains(state.audit!);
    expect(reports.map(({ faults }) => faults.length > 0)).toEqual([true, true]);
    expect(reports.flatMap(({ faults }) => faults)).toContainEqual(missing);
  });

  test('of a version whose records this one cannot read is a fault, and its chain is written on', async () => {
    await openChain();
    const records = state.audit!;
    const strange = createRecord('11', { interaction: 'merge' } as never);
    await records.append(
      'a',
      (await records.readChain('a')).head!,
      createGroup((await records.readChain('a')).head!, [strange]),
    );
    const writer = new AuditWriter({ records, chain: 'a', log: { write: () => undefined } });
    await writer.begin();
    await writer.write([createRecord('12')]);
    expect(await listFaults()).toEqual([{ seq: 11, what: 'contains data that this version cannot read' }]);
  });

  test('ends no search', async () => {
    await change("UPDATE puente_audit SET records = 'text', last_at = last_at - 1 WHERE seq = 4");
    const found: (number | undefined)[] = [];
    for await (const { seq, text } of state.audit!.find({})) found.push(text === undefined ? undefined : seq);
    expect(found).toEqual([undefined, 1, 2, 3, 5, 6, 7, 9, 10]);
  });
});

describe('a chain that was signed before', () => {
  const log = { write: () => undefined };
  const readHeads = async () =>
    (await verifyChains(state.audit!)).flatMap(({ chain, head }) =>
      findHeads(`head ${formatHead({ chain, ...head!, signature: state.audit!.sign(chain, head!) })}`),
    );
  const verifySince = async (heads: readonly SignedHead[], keptSince?: number) =>
    (await verifyChains(state.audit!, heads, keptSince)).map(({ chain, faults }) => ({ chain, faults }));

  test('has no fault when it went on, was encrypted under another key, or has lost what was too old', async () => {
    await openChain();
    const heads = await readHeads();
    expect(heads).toMatchObject([{ chain: 'a', seq: 10 }]);
    await new AuditWriter({ records: state.audit!, chain: 'a', log }).write([createRecord('11')]);
    const foreign = heads.map((head) => ({ ...head, signature: '0'.repeat(64) }));
    expect(await verifySince([...heads, ...foreign])).toEqual([{ chain: 'a', faults: [] }]);
    await state.audit!.prune(Date.UTC(2030, 0, 1));
    const dated = heads.map((head) => ({ ...head, at: Date.UTC(2026, 10, 23) }));
    expect(await verifySince(dated, Date.UTC(2030, 0, 1))).toEqual([{ chain: 'a', faults: [] }]);
  });

  test('has a fault when it has lost what was not too old, or what nothing shows to be', async () => {
    await openChain();
    const heads = await readHeads();
    await state.audit!.prune(Date.UTC(2030, 0, 1));
    const lost = [{ chain: 'a', faults: [{ seq: 10, what: 'was deleted, without proof that it was old enough' }] }];
    const dated = heads.map((head) => ({ ...head, at: Date.UTC(2026, 10, 23) }));
    expect(await verifySince(dated, Date.UTC(2026, 10, 1))).toEqual(lost);
    expect(await verifySince(heads, Date.UTC(2030, 0, 1))).toEqual(lost);
  });

  test('has a fault when it is shorter, missing, or another one of the same length', async () => {
    const { query } = await openChain();
    const gone = { seq: 10, what: 'is missing, or differs from an earlier signature' };
    const heads = await readHeads();
    const before = await query('SELECT * FROM puente_audit_chains');
    await query('DELETE FROM puente_audit');
    await query('DELETE FROM puente_audit_patients');
    await query('DELETE FROM puente_audit_chains');
    expect(before).toHaveLength(1);
    expect(await verifySince(heads)).toEqual([{ chain: 'a', faults: [gone] }]);
    const writer = new AuditWriter({ records: state.audit!, chain: 'a', log });
    for (let i = 1; i <= 10; i++) {
      expect(await verifySince(heads)).toEqual([{ chain: 'a', faults: [gone] }]);
      await writer.write([createRecord(`${i}`)]);
    }
    expect(await verifySince(heads)).toEqual([{ chain: 'a', faults: [gone] }]);
    const foreign = heads.map((head) => ({ ...head, signature: '0'.repeat(64) }));
    expect(await verifySince(foreign)).toEqual([
      { chain: 'a', faults: [{ seq: 10, what: 'was signed earlier with another key' }] },
    ]);
  });
});

import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { verifyChains } from '../../src/audit/verify.ts';
import { AuditWriter, Retention } from '../../src/audit/writer.ts';
import type { Database } from '../../src/database/database.ts';
import { openSqlite } from '../../src/database/sqlite.ts';
import { openDurableState } from '../../src/state/open.ts';
import type { AuditRecords } from '../../src/state/state.ts';
import { type State, StateUnavailable } from '../../src/state/state.ts';
import { createRecord } from '../support/audit-records.ts';
import { openAuditedState, readRecords } from '../support/audited-gateway.ts';

const states: State[] = [];
afterEach(async () => {
  for (const { close } of states.splice(0)) await close();
});

const log = { write: jest.fn() };

async function openRecords(): Promise<AuditRecords> {
  const state = await openAuditedState();
  states.push(state);
  return state.audit!;
}

const listIds = async (records: AuditRecords) => (await readRecords(records)).map(({ requestId }) => requestId);

describe('the trail', () => {
  test('has a record when its write resolves, and what was added before it', async () => {
    const records = await openRecords();
    const writer = new AuditWriter({ records, chain: 'a', log });
    writer.add([createRecord('1')]);
    await writer.write([createRecord('2'), createRecord('3')]);
    expect(await listIds(records)).toEqual(['1', '2', '3']);
  });

  test('writes records of reads soon, and together', async () => {
    const records = await openRecords();
    const append = jest.spyOn(records, 'append');
    const writer = new AuditWriter({ records, chain: 'a', log });
    for (const id of ['1', '2', '3']) writer.add([createRecord(id)]);
    expect(append).not.toHaveBeenCalled();
    while (append.mock.results.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await append.mock.results[0]!.value;
    expect(await listIds(records)).toEqual(['1', '2', '3']);
    expect(append).toHaveBeenCalledTimes(1);
  });

  test('goes on behind the last record when it is opened again', async () => {
    const records = await openRecords();
    for (const id of ['1', '2']) await new AuditWriter({ records, chain: 'a', log }).write([createRecord(id)]);
    expect(await verifyChains(records)).toMatchObject([{ chain: 'a', count: 2, head: { seq: 2 }, faults: [] }]);
  });

  test('lets two processes write to one chain, as when one replaces the other', async () => {
    const records = await openRecords();
    const writers = [1, 2].map(() => new AuditWriter({ records, chain: 'a', log }));
    for (const id of ['1', '2', '3', '4']) await writers[Number(id) % 2]!.write([createRecord(id)]);
    expect(await listIds(records)).toEqual(['1', '2', '3', '4']);
    expect(await verifyChains(records)).toMatchObject([{ count: 4, faults: [] }]);
  });

  test('has a chain for each gateway', async () => {
    const records = await openRecords();
    for (const chain of ['a', 'b']) await new AuditWriter({ records, chain, log }).write([createRecord(chain)]);
    expect(await verifyChains(records)).toMatchObject([
      { chain: 'a', count: 1, faults: [] },
      { chain: 'b', count: 1, faults: [] },
    ]);
  });

  test('has a record once when the answer to its writing was lost', async () => {
    const records = await openRecords();
    const append = records.append.bind(records);
    const writer = new AuditWriter({ records, chain: 'a', log });
    await writer.write([createRecord('1')]);
    jest.spyOn(records, 'append').mockImplementationOnce(async (...args) => {
      await append(...args);
      throw new StateUnavailable('reset', 'ECONNRESET');
    });
    await writer.write([createRecord('2')]);
    await writer.write([createRecord('3')]);
    expect(await listIds(records)).toEqual(['1', '2', '3']);
    expect(await verifyChains(records)).toMatchObject([{ count: 3, faults: [] }]);
  });

  test('keeps all records of executed requests, and says when there is room for no more', async () => {
    const records = await openRecords();
    const broken = jest.spyOn(records, 'append').mockRejectedValue(new StateUnavailable('full', 'SQLITE_FULL'));
    const writer = new AuditWriter({ records, chain: 'a', log, maxWaiting: 3 });
    await expect(writer.write([createRecord('1')])).rejects.toMatchObject({ code: 'SQLITE_FULL' });
    expect(writer.failure).toBe('SQLITE_FULL');
    expect(writer.hasCapacity).toBe(true);
    for (const id of ['2', '3', '4', '5']) writer.add([createRecord(id)]);
    expect([writer.hasCapacity, writer.lost, writer.waiting]).toEqual([false, 0, 5]);
    broken.mockRestore();
    await writer.flush();
    expect([writer.failure, writer.hasCapacity]).toEqual([undefined, true]);
    expect(await listIds(records)).toEqual(['1', '2', '3', '4', '5']);
    expect(log.write).toHaveBeenCalledWith('error', 'audit unavailable', { cause: 'SQLITE_FULL' });
    expect(log.write).toHaveBeenCalledWith('info', 'audit recovered', { count: 0 });
  });

  test('has a record of its own where some were lost, as it may where configuration says so', async () => {
    const records = await openRecords();
    const broken = jest.spyOn(records, 'append').mockRejectedValue(new StateUnavailable('full', 'SQLITE_FULL'));
    const writer = new AuditWriter({ records, chain: 'a', log, maxWaiting: 3, mayLose: true });
    await expect(writer.write([createRecord('1')])).rejects.toMatchObject({ code: 'SQLITE_FULL' });
    for (const id of ['2', '3', '4', '5', '6']) writer.add([createRecord(id)]);
    expect(log.write).toHaveBeenCalledWith('error', 'audit records lost', { cause: 'too_many_waiting' });
    expect(writer.lost).toBe(2);
    broken.mockRestore();
    await writer.flush();
    const written = await readRecords(records);
    expect(written.map(({ operation, reason, count }) => [operation, reason, count])).toEqual([
      ['getPatient', undefined, undefined],
      ['audit gap', 'too_many_waiting', 2],
      ...Array(3).fill(['getPatient', undefined, undefined]),
    ]);
    expect(writer.gaps).toBe(1);
    expect(log.write).toHaveBeenCalledWith('warn', 'audit gap', { cause: 'too_many_waiting', count: 2 });
  });

  test('has executed requests in front of those that were refused, however many', async () => {
    const records = await openRecords();
    const writer = new AuditWriter({ records, chain: 'a', log, maxWaiting: 100 });
    for (let i = 0; i < 11_000; i++) {
      writer.addRefusal([
        createRecord(`refused ${i}`, { status: 401, code: 'unauthenticated', address: `${i % 5_000}` }),
      ]);
    }
    for (let i = 0; i < 50; i++) writer.add([createRecord(`${i}`)]);
    expect(writer.hasCapacity).toBe(true);
    await writer.flush();
    const ids = await listIds(records);
    expect(ids.slice(0, 50)).toEqual(Array.from({ length: 50 }, (_, i) => `${i}`));
    expect(ids.length).toBeLessThan(3_000);
    expect(writer.lost).toBe(0);
  });
});

describe('refusals', () => {
  const refuse = (id: string, differing = {}) =>
    createRecord(id, {
      at: new Date().toISOString(),
      status: 401,
      code: 'unauthenticated',
      client: undefined,
      ...differing,
    });

  test('are a record each for the first ten of an address in a minute, and one with the number of all further ones', async () => {
    const records = await openRecords();
    const writer = new AuditWriter({ records, chain: 'a', log });
    jest.useFakeTimers({ now: Date.UTC(2026, 10, 26, 12), doNotFake: ['nextTick', 'queueMicrotask'] });
    try {
      for (let i = 0; i < 30; i++) writer.addRefusal([refuse(`a${i}`)]);
      for (let i = 0; i < 4; i++) writer.addRefusal([refuse(`b${i}`, { address: '192.0.2.9' })]);
      for (let i = 0; i < 3; i++) writer.addRefusal([refuse(`c${i}`, { code: 'rate_limited', status: 429 })]);
      await writer.flush();
      expect(await listIds(records)).toHaveLength(14);
      jest.setSystemTime(Date.UTC(2026, 10, 26, 12, 1));
      await writer.flush();
    } finally {
      jest.useRealTimers();
    }
    const [many, limited, ...others] = (await readRecords(records)).slice(14);
    expect(many).toMatchObject({ operation: '*', code: 'unauthenticated', address: '192.0.2.7', count: 20 });
    expect(limited).toMatchObject({ operation: '*', code: 'rate_limited', status: 429, count: 3 });
    for (const each of [many, limited])
      for (const name of ['patient', 'ids', 'query']) expect(each).not.toHaveProperty(name);
    expect(others).toEqual([]);
  });

  test('are counted together when they come from more addresses than can be told apart', async () => {
    const records = await openRecords();
    const writer = new AuditWriter({ records, chain: 'a', log });
    for (let i = 0; i < 1_500; i++) writer.addRefusal([refuse(`${i}`, { code: 'rate_limited', address: `a${i}` })]);
    await writer.end();
    const all = await readRecords(records);
    expect(all).toHaveLength(1_002);
    expect(all.at(-2)).toMatchObject({ address: '*', count: 500 });
  });
});

describe('a chain whose end was removed', () => {
  /** Puts back what the row of the head was before the last five of ten records, and removes these. */
  async function cut(database: Database, writer: AuditWriter): Promise<void> {
    for (let i = 0; i < 5; i++) await writer.write([createRecord(`${i}`)]);
    const [head] = (await database.query('SELECT seq, hash, signature FROM puente_audit_chains')) as {
      seq: number;
      hash: string;
      signature: string;
    }[];
    for (let i = 5; i < 10; i++) await writer.write([createRecord(`${i}`)]);
    const { seq, hash, signature } = head!;
    await database.query('UPDATE puente_audit_chains SET seq = $1, hash = $2, signature = $3', [seq, hash, signature]);
    await database.query('DELETE FROM puente_audit WHERE seq > $1', [seq]);
    await database.query('DELETE FROM puente_audit_patients WHERE seq > $1', [seq]);
  }

  async function openBoth() {
    const database = await openSqlite(':memory:');
    const state = await openDurableState(database, [randomBytes(32)]);
    states.push(state);
    return { database, records: state.audit! };
  }
  const refused = { name: 'StateUnavailable', code: 'audit_chain_cut' };

  test('is not continued by the process that has written it', async () => {
    const { database, records } = await openBoth();
    const writer = new AuditWriter({ records, chain: 'a', log });
    await cut(database, writer);
    await expect(writer.write([createRecord('11')])).rejects.toMatchObject(refused);
    // Nor when another one has made it as long again.
    const other = new AuditWriter({ records, chain: 'a', log });
    for (let i = 0; i < 6; i++) await other.write([createRecord(`${i}`)]);
    await writer.flush();
    expect(writer.failure).toBe('audit_chain_cut');
  });

  test('is continued by no process when it was forwarded, and verify tells how far it was', async () => {
    const { database, records } = await openBoth();
    await cut(database, new AuditWriter({ records, chain: 'a', log }));
    expect(await verifyChains(records)).toMatchObject([{ count: 5, faults: [] }]);
    await records.saveForwarded('fhir', 'a', 9);
    await expect(new AuditWriter({ records, chain: 'a', log }).write([createRecord('11')])).rejects.toMatchObject(
      refused,
    );
    expect((await verifyChains(records))[0]!.faults).toEqual([
      { seq: 6, what: 'is missing, and was forwarded, up to 9' },
    ]);
    await database.query('DELETE FROM puente_audit');
    await database.query('DELETE FROM puente_audit_chains');
    await expect(new AuditWriter({ records, chain: 'a', log }).write([createRecord('11')])).rejects.toMatchObject(
      refused,
    );
    expect((await verifyChains(records))[0]!.faults).toEqual([
      { seq: 1, what: 'is missing, and was forwarded, up to 9' },
    ]);
  });

  test('goes on where all of it was deleted for its age', async () => {
    const { records } = await openBoth();
    const writer = new AuditWriter({ records, chain: 'a', log });
    await writer.write([createRecord('1')]);
    await records.prune(Date.UTC(2030, 0, 1));
    await new AuditWriter({ records, chain: 'a', log }).write([createRecord('2')]);
    await writer.write([createRecord('3')]);
    expect(await verifyChains(records)).toMatchObject([{ count: 2, head: { seq: 3 }, faults: [] }]);
  });
});

describe('a process', () => {
  const start = (records: AuditRecords) => {
    const writer = new AuditWriter({ records, chain: 'a', log });
    void writer.begin();
    return writer;
  };
  const listOperations = async (records: AuditRecords) =>
    (await readRecords(records)).map(({ operation, reason }) => [operation, reason].filter(Boolean).join(' '));

  test('says at its end that this is all, and the next one then goes on', async () => {
    const records = await openRecords();
    for (const id of ['1', '2']) {
      const writer = start(records);
      writer.add([createRecord(id)]);
      await writer.end();
      await writer.end();
      expect(writer.gaps).toBe(0);
    }
    const both = ['audit begun', 'getPatient', 'audit ended'];
    expect(await listOperations(records)).toEqual([...both, ...both]);
    await start(records).end();
    expect((await listOperations(records)).slice(6)).toEqual(['audit begun', 'audit ended']);
  });

  test('that was killed left a gap, which the next one writes down at once', async () => {
    const records = await openRecords();
    await start(records).write([createRecord('1')]);
    const writer = start(records);
    await writer.flush();
    expect(await listOperations(records)).toEqual(['audit begun', 'getPatient', 'audit gap not_ended', 'audit begun']);
    expect(writer.gaps).toBe(1);
    await writer.end();
    expect((await listOperations(records)).slice(4)).toEqual(['audit ended']);
  });

  test('that was killed before it could write any record of a request left a gap too', async () => {
    const records = await openRecords();
    await start(records).end();
    const killed = start(records);
    await killed.flush();
    const away = jest.spyOn(records, 'append').mockRejectedValue(new StateUnavailable('away', 'ECONNREFUSED'));
    killed.add([createRecord('1')]);
    await killed.flush();
    away.mockRestore();
    const writer = start(records);
    await writer.flush();
    expect(writer.gaps).toBe(1);
  });

  test('that begins while the store is away, and ends when it is back, has written the gap before it', async () => {
    const records = await openRecords();
    await start(records).write([createRecord('1')]);
    const away = jest.spyOn(records, 'readChain').mockRejectedValue(new StateUnavailable('away', 'ECONNREFUSED'));
    const writer = start(records);
    await writer.flush();
    writer.add([createRecord('2')]);
    away.mockRestore();
    await writer.end();
    expect((await listOperations(records)).slice(2)).toEqual([
      'audit gap not_ended',
      'audit begun',
      'getPatient',
      'audit ended',
    ]);
  });

  test('that ends while the store is away logs how many records it could not write, and the next one says so', async () => {
    const records = await openRecords();
    const writer = start(records);
    await writer.write([createRecord('1')]);
    const away = jest.spyOn(records, 'append').mockRejectedValue(new StateUnavailable('away', 'ECONNREFUSED'));
    for (let i = 0; i < 500; i++) writer.add([createRecord(`${i}`)]);
    await writer.end();
    expect(log.write).toHaveBeenCalledWith('error', 'audit not ended', { cause: 'ECONNREFUSED', count: 500 });
    away.mockRestore();
    await start(records).flush();
    expect((await listOperations(records)).slice(2)).toEqual(['audit gap not_ended', 'audit begun']);
    expect(log.write).toHaveBeenCalledWith('warn', 'audit gap', { cause: 'not_ended' });
  });

  test('that starts while the store is away looks when it is back, and works then', async () => {
    const records = await openRecords();
    await start(records).write([createRecord('1')]);
    const away = jest.spyOn(records, 'readChain').mockRejectedValue(new StateUnavailable('away', 'ECONNREFUSED'));
    const writer = start(records);
    await writer.flush();
    expect(writer.failure).toBe('ECONNREFUSED');
    away.mockRestore();
    await writer.flush();
    expect(writer.failure).toBeUndefined();
    expect((await listOperations(records)).slice(2)).toEqual(['audit gap not_ended', 'audit begun']);
  });
});

describe('the retention', () => {
  test('deletes what is old enough, day after day for years, and leaves a chain that verifies', async () => {
    const records = await openRecords();
    const writer = new AuditWriter({ records, chain: 'a', log });
    const start = Date.UTC(2026, 0, 1);
    let day = 0;
    const now = () => start + day * 86_400_000;
    const retention = new Retention({ records, days: 365, now, log });
    for (; day < 3 * 365; day += 15) {
      const at = new Date(now()).toISOString();
      await writer.write([createRecord(`${day} a`, { at }), createRecord(`${day} b`, { at })]);
      await retention.run();
      const [report] = await verifyChains(records);
      expect(report).toMatchObject({ faults: [] });
      expect(report!.count).toBe(2 * Math.min(day / 15 + 1, Math.floor(365 / 15) + 1));
    }
    const [first] = await readRecords(records);
    expect(Date.parse(first!.at)).toBeGreaterThanOrEqual(now() - 15 * 86_400_000 - 365 * 86_400_000);
    expect(log.write).toHaveBeenCalledWith('info', 'audit pruned', { count: 2 });
  });

  test('deletes all of a chain that nobody writes to any more, and the chain goes on where it ended', async () => {
    const records = await openRecords();
    await new AuditWriter({ records, chain: 'a', log }).write([createRecord('1'), createRecord('2')]);
    const other = new AuditWriter({ records, chain: 'b', log });
    let now = Date.parse(createRecord('1').at);
    for (; now < Date.UTC(2026, 10, 25); now += 7_200_000)
      await other.write([createRecord('other', { at: new Date(now).toISOString() })]);
    await new Retention({ records, days: 1, now: () => now, log }).run();
    expect((await verifyChains(records))[0]).toMatchObject({ count: 0, head: { seq: 2 }, faults: [] });
    await new AuditWriter({ records, chain: 'a', log }).write([createRecord('3')]);
    expect((await verifyChains(records))[0]).toMatchObject({ count: 1, head: { seq: 3 }, faults: [] });
  });

  test.each([[0], [1], [50]])(
    'deletes nothing by a clock that was far ahead while %i requests were recorded, then or later',
    async (count) => {
      const records = await openRecords();
      const writer = new AuditWriter({ records, chain: 'a', log });
      const start = Date.UTC(2026, 0, 1);
      const writeAt = (now: number) => writer.write([createRecord('1', { at: new Date(now).toISOString() })]);
      for (let day = 0; day < 300; day++) await writeAt(start + day * 86_400_000);
      const ahead = start + 4_400 * 86_400_000;
      const runAt = (now: number) => new Retention({ records, days: 365, now: () => now, log }).run();
      await runAt(ahead);
      for (let i = 0; i < count; i++) await writeAt(ahead + i * 60_000);
      await runAt(ahead + 3_600_000);
      await writeAt(start + 301 * 86_400_000);
      await runAt(start + 301 * 86_400_000);
      expect(await verifyChains(records)).toMatchObject([{ count: 301 + count, faults: [] }]);
    },
  );
});

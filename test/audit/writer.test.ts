import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { Retention } from '../../src/audit/retention.ts';
import { verifyChains } from '../../src/audit/verify.ts';
import { AuditWriter } from '../../src/audit/writer.ts';
import type { AuditRecords } from '../../src/state/audit.ts';
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

  test('keeps so many records in memory while it cannot be written, and counts what is lost', async () => {
    const records = await openRecords();
    const broken = jest.spyOn(records, 'append').mockRejectedValue(new StateUnavailable('full', 'SQLITE_FULL'));
    const writer = new AuditWriter({ records, chain: 'a', log, maxWaiting: 3 });
    await expect(writer.write([createRecord('1')])).rejects.toMatchObject({ code: 'SQLITE_FULL' });
    expect(writer.failure).toBe('SQLITE_FULL');
    for (const id of ['2', '3', '4', '5']) writer.add([createRecord(id)]);
    expect(writer.lost).toBe(2);
    broken.mockRestore();
    await writer.flush();
    expect(writer.failure).toBeUndefined();
    expect(await listIds(records)).toEqual(['1', '2', '3']);
    expect(log.write).toHaveBeenCalledWith('error', 'audit unavailable', { cause: 'SQLITE_FULL' });
    expect(log.write).toHaveBeenCalledWith('info', 'audit recovered', { count: 2 });
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
    await new Retention({ records, days: 1, now: () => Date.UTC(2030, 0, 1), log }).run();
    expect(await verifyChains(records)).toMatchObject([{ count: 0, head: { seq: 2 }, faults: [] }]);
    await new AuditWriter({ records, chain: 'a', log }).write([createRecord('3')]);
    expect(await verifyChains(records)).toMatchObject([{ count: 1, head: { seq: 3 }, faults: [] }]);
  });
});

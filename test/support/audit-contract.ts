import { afterEach, describe, expect, test } from '@jest/globals';
import { createGroup, parseGroup } from '../../src/audit/record.ts';
import { verifyChains } from '../../src/audit/verify.ts';
import { AuditWriter } from '../../src/audit/writer.ts';
import type { AuditQuery, AuditRecords, ChainLink } from '../../src/state/state.ts';
import { type State, StateUnavailable } from '../../src/state/state.ts';
import { createRecord } from './audit-records.ts';

const start: ChainLink = { seq: 0, hash: '' };
const at = (day: number) => new Date(Date.UTC(2026, 0, day)).toISOString();

/** What every store of an audit trail promises. */
export function describeAuditRecords(open: () => Promise<State>): void {
  let states: State[] = [];
  const openRecords = async (): Promise<AuditRecords> => {
    const state = await open();
    states.push(state);
    return state.audit!;
  };
  afterEach(async () => {
    await Promise.all(states.map((state) => state.close()));
    states = [];
  });

  /** Two chains with a group on each of ten days, of Ana and of another patient each time. */
  async function fill(records: AuditRecords): Promise<void> {
    for (const chain of ['a', 'b']) {
      let head = start;
      for (let day = 1; day <= 10; day++) {
        const group = createGroup(head, [
          createRecord(`${chain} ${day} ana`, { at: at(day) }),
          createRecord(`${chain} ${day} other`, { at: at(day), patient: `p${day}` }),
        ]);
        await records.append(chain, head, group);
        head = group;
      }
    }
  }

  const find = async (records: AuditRecords, query: AuditQuery) => {
    const found: string[] = [];
    for await (const { chain, seq, text } of records.find(query)) {
      found.push(parseGroup({ chain, seq, text: text! })[0]!.record.requestId);
    }
    return found;
  };

  describe('the records of an audit trail', () => {
    test('are read as they were written, and verify', async () => {
      const records = await openRecords();
      await fill(records);
      expect(await verifyChains(records)).toMatchObject([
        { chain: 'a', count: 20, head: { seq: 20 }, faults: [] },
        { chain: 'b', count: 20, head: { seq: 20 }, faults: [] },
      ]);
    });

    test('are found by patient and by time, the oldest first', async () => {
      const records = await openRecords();
      await fill(records);
      expect(await find(records, { patient: 'p7' })).toEqual(['a 7 ana', 'b 7 ana']);
      expect(await find(records, { patient: 'nobody' })).toEqual([]);
      const [from, until] = [Date.parse(at(2)), Date.parse(at(4))];
      expect(await find(records, { patient: 'ana', from, until })).toEqual([
        'a 2 ana',
        'b 2 ana',
        'a 3 ana',
        'b 3 ana',
      ]);
      expect(await find(records, {})).toHaveLength(20);
    });

    test('are refused behind another head, and none of them is there then', async () => {
      const records = await openRecords();
      await fill(records);
      await expect(
        records.append('a', start, createGroup(start, [createRecord('1'), createRecord('2')])),
      ).rejects.toThrow(StateUnavailable);
      expect((await records.readChain('a')).head).toMatchObject({ seq: 20 });
      expect(await verifyChains(records)).toMatchObject([{ faults: [] }, { faults: [] }]);
    });

    test('are refused behind another head also where their last number is free', async () => {
      const records = await openRecords();
      const first = createGroup(start, [createRecord('1')]);
      await records.append('a', start, first);
      const [three, one] = [['2', '3', '4'], ['5']].map((ids) =>
        createGroup(
          first,
          ids.map((id) => createRecord(id)),
        ),
      );
      await records.append('a', first, three!);
      await expect(records.append('a', first, one!)).rejects.toThrow(StateUnavailable);
      expect(await verifyChains(records)).toMatchObject([{ count: 4, head: { seq: 4 }, faults: [] }]);
    });

    test('are one right chain when two gateways write to it at once, in groups of different lengths', async () => {
      const records = await openRecords();
      const log = { write: () => undefined };
      const work = [1, 3].map(async (length) => {
        const writer = new AuditWriter({ records, chain: 'a', log });
        for (let i = 0; i < 10; i++) {
          await writer.write(Array.from({ length }, (_, j) => createRecord(`${length} ${i} ${j}`)));
        }
      });
      await Promise.all(work);
      expect(await verifyChains(records)).toMatchObject([{ chain: 'a', count: 40, head: { seq: 40 }, faults: [] }]);
    });

    test('are known to have been forwarded up to a number, for each destination and chain', async () => {
      const records = await openRecords();
      for (const seq of [3, 7]) await records.saveForwarded('fhir', 'a', seq);
      expect(await records.readForwarded('fhir', 'a')).toBe(7);
      expect(await records.readForwarded('syslog', 'a')).toBe(0);
      expect(await records.readForwarded('fhir', 'b')).toBe(0);
    });

    test('are old by the clock and by the records behind them, and not by a silence', async () => {
      const records = await openRecords();
      await fill(records);
      const days = 86_400_000;
      expect(await records.findOld(Date.parse(at(11)), 8 * days)).toBeLessThanOrEqual(Date.parse(at(1)));
      expect(await records.findOld(Date.parse(at(30)), 20 * days)).toBeLessThanOrEqual(Date.parse(at(1)));
      await records.append('c', start, createGroup(start, [createRecord('1', { at: at(11) })]));
      for (const now of [at(11), at(4_000)])
        expect(await records.findOld(Date.parse(now), 100 * days)).toBeLessThanOrEqual(Date.parse(at(1)));
      expect(await records.findOld(Date.parse(at(13)), 40 * days)).toBe(Date.parse(at(13)) - 40 * days);
    });

    test('are deleted from the oldest on, and the rest verifies', async () => {
      const records = await openRecords();
      await fill(records);
      expect(await records.prune(Date.parse(at(4)))).toBe(12);
      expect(await records.prune(Date.parse(at(4)))).toBe(0);
      expect(await find(records, { patient: 'ana' })).toHaveLength(14);
      expect(await find(records, { patient: 'p3' })).toEqual([]);
      expect(await verifyChains(records)).toMatchObject([
        { count: 14, head: { seq: 20 }, faults: [] },
        { count: 14, head: { seq: 20 }, faults: [] },
      ]);
    });

    test('are deleted by two gateways at once, of which one deletes fewer, and the rest verifies', async () => {
      const records = await openRecords();
      await fill(records);
      await Promise.all([records.prune(Date.parse(at(6))), records.prune(Date.parse(at(3)))]);
      expect(await verifyChains(records)).toMatchObject([
        { count: 10, head: { seq: 20 }, faults: [] },
        { count: 10, head: { seq: 20 }, faults: [] },
      ]);
    });
  });
}

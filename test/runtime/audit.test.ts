import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { adapters } from '../../adapters/index.ts';
import { findHeads } from '../../src/audit/record.ts';
import { verifyChains } from '../../src/audit/verify.ts';
import { loadConfig } from '../../src/config/read.ts';
import { openAudit } from '../../src/runtime/audit.ts';
import type { State } from '../../src/state/state.ts';
import { createRecord } from '../support/audit-records.ts';
import { openAuditedState, readRecords } from '../support/audited-gateway.ts';

let state: State;
afterEach(async () => {
  jest.useRealTimers();
  await state.close();
});

const HOUR = 3_600_000;

/** The trail of a gateway whose clock is moved by hand. */
async function open() {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  state = await openAuditedState();
  const log = { write: jest.fn() };
  const loaded = await loadConfig({ environment: { PUENTE_AUDIT_CHAIN: 'north-1' }, adapters });
  const audit = (await openAudit(loaded, state, log))!;
  const listHeads = () =>
    log.write.mock.calls.filter(([, event]) => event === 'audit head').map(([, , fields]) => fields);
  return { audit, listHeads };
}

describe('the end of a chain', () => {
  test('is told every hour to the log and to those who get its records, signed, and once more at the end', async () => {
    const { audit, listHeads } = await open();
    await audit.writer.write([createRecord('1'), createRecord('2')]);
    expect(listHeads()).toEqual([]);
    await jest.advanceTimersByTimeAsync(HOUR);
    await audit.writer.flush();
    const records = await readRecords(state.audit!);
    expect(records.map(({ operation }) => operation)).toEqual([
      'audit begun',
      'getPatient',
      'getPatient',
      'audit head',
    ]);
    const [told] = findHeads(JSON.stringify(listHeads()));
    expect(told).toMatchObject({ chain: 'north-1', seq: 3 });
    expect(findHeads(JSON.stringify(records[3]))).toEqual([told]);
    expect(state.audit!.isSigned('north-1', told!, told!.signature)).toBe(true);
    expect(await verifyChains(state.audit!, [told!])).toMatchObject([{ faults: [] }]);
    // Nothing was recorded since but that.
    await jest.advanceTimersByTimeAsync(HOUR);
    expect(listHeads()).toHaveLength(1);
    await audit.close();
    await audit.close();
    expect(findHeads(JSON.stringify(listHeads()))).toMatchObject([{ seq: 3 }, { seq: 5 }]);
  });

  test('is written down for the next process, and counts of refusals with it', async () => {
    const { audit } = await open();
    const at = new Date().toISOString();
    audit.writer.addRefusal([createRecord('1', { at, code: 'rate_limited', status: 429 })]);
    await jest.advanceTimersByTimeAsync(70_000);
    await audit.writer.flush();
    expect((await readRecords(state.audit!)).map(({ operation, count }) => [operation, count])).toEqual([
      ['audit begun', undefined],
      ['*', 1],
    ]);
    await audit.close();
    expect((await readRecords(state.audit!)).at(-1)).toMatchObject({ operation: 'audit ended' });
  });
});

import { describe, expect, test } from '@jest/globals';
import { retryOnConflict } from '../../../adapters/fhir/writes.ts';
import { Failure } from '../../../src/ports/index.ts';
import { callNow } from '../../support/fhir-calls.ts';

const conflict = new Failure('conflict', '', { code: 'version_conflict' });
const lost = new Failure('outcome_unknown', '');

/** Fails with these in turn, and then succeeds with the numbers of the attempts that it was told. */
async function attempt(failures: readonly Error[], retries?: number, signal = new AbortController().signal) {
  const told: number[] = [];
  const work = async (earlier: number): Promise<string> => {
    told.push(earlier);
    const failure = failures[earlier];
    if (failure) throw failure;
    return 'done';
  };
  const result = await retryOnConflict(work, callNow({ signal }), retries).catch((error: unknown) => error);
  return { result, told };
}

describe('a write that met a conflict', () => {
  test('is tried again, and told how often it was', async () => {
    expect(await attempt([conflict, conflict])).toEqual({ result: 'done', told: [0, 1, 2] });
  });

  test('fails with the eleventh conflict', async () => {
    const told = Array.from({ length: 11 }, (_, earlier) => earlier);
    expect(await attempt(told.map(() => conflict))).toEqual({ result: conflict, told });
  });

  test('is not tried again when the caller gives up during the pause', async () => {
    const caller = new AbortController();
    const work = attempt([conflict, conflict], undefined, caller.signal);
    process.nextTick(() => caller.abort());
    expect(await work).toEqual({ result: conflict, told: [0] });
  });

  test('is tried again as often as it is said', async () => {
    expect(await attempt([conflict, conflict], 1)).toEqual({ result: conflict, told: [0, 1] });
  });

  test.each([
    ['a conflict of another kind', new Failure('conflict', '', { code: 'identity_conflict' })],
    ['an answer that was lost', lost],
    ['another failure', new Failure('unavailable', '')],
    ['a bug', new TypeError('x')],
  ])('is not tried again after %s', async (_, failure) => {
    expect(await attempt([failure])).toEqual({ result: failure, told: [0] });
  });

  test('is not tried again when the caller has given up', async () => {
    expect(await attempt([conflict], undefined, AbortSignal.abort())).toEqual({ result: conflict, told: [0] });
  });
});

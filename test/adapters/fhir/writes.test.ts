import { describe, expect, test } from '@jest/globals';
import { PARTIAL_TRANSACTION } from '../../../adapters/fhir/rest/errors.ts';
import { confirmWrite } from '../../../adapters/fhir/writes.ts';
import { type Call, Failure } from '../../../src/ports/index.ts';
import { callNow } from '../../support/fhir-calls.ts';

const unknown = new Failure('outcome_unknown', '');

function confirm(failure: Error | undefined, find: (call: Call) => Promise<string | undefined>, call = callNow()) {
  const write = async () => {
    if (failure) throw failure;
    return 'written';
  };
  return confirmWrite(write, find, call);
}

const refuseToLook = (): never => {
  throw new Error('it looked');
};

describe('a write', () => {
  test('that succeeds is not looked for', async () => {
    expect(await confirm(undefined, refuseToLook)).toBe('written');
  });

  test('of unknown outcome is what is found', async () => {
    expect(await confirm(unknown, async () => 'found')).toBe('found');
  });

  test('of unknown outcome is looked for also when the call has ended', async () => {
    const find = async ({ signal }: Call) => (signal.aborted ? undefined : 'found');
    expect(await confirm(unknown, find, callNow({ signal: AbortSignal.abort() }))).toBe('found');
  });

  test.each([
    ['is not found', async () => undefined],
    ['cannot be looked for', () => Promise.reject(new Failure('unavailable', ''))],
  ])('of unknown outcome that %s stays one', async (_, find) => {
    await expect(confirm(unknown, find)).rejects.toBe(unknown);
  });

  test.each([
    ['was refused', new Failure('conflict', '')],
    ['was done in part', new Failure('outcome_unknown', '', { code: PARTIAL_TRANSACTION })],
    ['met a bug', new TypeError('x')],
  ])('that %s is not looked for', async (_, failure) => {
    await expect(confirm(failure, refuseToLook)).rejects.toBe(failure);
  });
});

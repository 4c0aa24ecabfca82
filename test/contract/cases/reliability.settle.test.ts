import { expect, test } from '@jest/globals';
import { recover } from '../../../src/contract/cases/reliability.ts';
import { Failure } from '../../../src/ports/index.ts';

/** Fails until so many milliseconds have passed, as an adapter behind an open circuit. */
const startFailing = (milliseconds: number, failure: Error = new Failure('unavailable', 'the circuit is open')) => {
  const until = performance.now() + milliseconds;
  return async () => {
    if (performance.now() < until) throw failure;
    return 'answer';
  };
};

test('an adapter may take as long to recover as its author says, and no longer', async () => {
  expect(await recover({ recoveryMs: 10_000 }, startFailing(60))).toBe('answer');
  await expect(recover({ recoveryMs: 30 }, startFailing(10_000))).rejects.toThrow('it keeps failing');
});

test('an adapter that says of its system that it has no such record does not recover from that', async () => {
  const failing = startFailing(60, new Failure('not_found', 'there is none'));
  await expect(recover({}, failing)).rejects.toThrow('it does not answer');
});

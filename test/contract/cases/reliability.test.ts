import { expect, test } from '@jest/globals';
import { recover } from '../../../src/contract/cases/reliability.ts';
import {
  createPortsSubject,
  lostRequestCases,
  type Response,
  runCase,
  type Subject,
  sandbox,
} from '../../../src/contract/index.ts';
import { Failure } from '../../../src/ports/index.ts';
import { openSandbox } from '../../support/sandbox.ts';

/** A gateway, told by what it does with a write while the answer of its system is lost. */
const startGateway = (write: (send: () => Promise<Response>) => Promise<Response>) => async (): Promise<Subject> => {
  const { send, supports, now, fixtures } = createPortsSubject({ ports: openSandbox(), fixtures: sandbox });
  const kept = new Map<string, Response>();
  let isLost = false;
  return {
    send: async (request) => {
      const key = request.headers?.['idempotency-key'];
      const earlier = key === undefined ? undefined : kept.get(key);
      if (earlier) return earlier;
      const work = () => send(request);
      const response = isLost ? await write(work) : await work();
      if (key !== undefined) kept.set(key, response);
      return response;
    },
    ...{ supports, now, fixtures },
    fail: {
      lost: async () => {
        isLost = true;
        return async () => {
          isLost = false;
        };
      },
    },
  };
};

const answer = (status: number): Response => ({ status, headers: {}, body: {} });

test.each(lostRequestCases.map((each) => [each.id, each] as const))(
  '%s holds a gateway to what it says',
  async (_, each) => {
    const run = (write: Parameters<typeof startGateway>[0]) => runCase(each, startGateway(write));
    const isLost = run((send) => send().then(() => answer(504)));
    expect(await isLost).toMatchObject({ outcome: 'pass' });
    const isUnavailable = run((send) => send().then(() => answer(502)));
    expect(await isUnavailable).toMatchObject({
      outcome: 'fail',
      reason: expect.stringContaining('answers 502, and has created its record'),
    });
    const isInvented = run(async () => answer(201));
    expect(await isInvented).toMatchObject({ outcome: 'fail' });
    const isThere = run((send) => send());
    expect(await isThere).toMatchObject({ outcome: 'pass' });
  },
);

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
  await expect(recover({ recoveryMs: 30 }, startFailing(10_000))).rejects.toThrow('the adapter keeps failing');
});

test('an adapter is asked three times at least, however long a busy machine lets it wait', async () => {
  let asked = 0;
  const answerThird = async () => {
    await new Promise((resolve) => setTimeout(resolve, 30));
    asked += 1;
    if (asked < 3) throw new Failure('unavailable', 'the machine stands still');
    return 'answer';
  };
  expect(await recover({ recoveryMs: 1 }, answerThird)).toBe('answer');
});

test('an adapter may take twenty times as long to recover as its slowest answer took', async () => {
  const fail = { recoveryMs: 1 };
  await recover(fail, () => new Promise((resolve) => setTimeout(() => resolve('answer'), 50)));
  expect(await recover(fail, startFailing(200))).toBe('answer');
});

test('an adapter that says of its system that it has no such record does not recover from that', async () => {
  const failing = startFailing(60, new Failure('not_found', 'there is none'));
  await expect(recover({}, failing)).rejects.toThrow('does not answer');
});

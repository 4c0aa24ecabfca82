import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { Deadline, waitForEnd, withDeadline } from '../../src/guard/deadline.ts';
import { Guard } from '../../src/guard/guard.ts';
import { type Call, Failure } from '../../src/ports/index.ts';
import { startGateway } from '../support/gateway.ts';
import { wait } from '../support/guarded-gateway.ts';

const waitForever = () => new Promise<never>(() => {});

const client = { name: 'platform', key: 'platform' };

/** A guard with room for one call of each kind, and for one that waits. */
function createGuard() {
  const room = { running: 1, queued: 1 };
  const bulkheads = { read: room, write: room, slotSearch: room, patientSearch: room };
  const circuit = { window: 10_000, minimum: 1, faultRate: 0.5, openFor: 1_000, longestOpen: 1_000 };
  const guard = new Guard({ bulkheads, operations: {}, circuit }, { write: () => undefined });
  return { guard, protect: guard.protect({ adapter: 'desk', port: 'patients', class: 'read' }) };
}

test('work that takes longer than its limit fails with timeout', async () => {
  await expect(withDeadline(1, waitForever)).rejects.toMatchObject({ kind: 'timeout' });
});

describe('what work keeps', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  /** Whether it is given back after so many milliseconds, by the clock of the test alone. */
  const isGivenBack = async (ended: Promise<void>, ms: number): Promise<boolean> => {
    let given = false;
    void ended.then(() => {
      given = true;
    });
    await jest.advanceTimersByTimeAsync(ms);
    return given;
  };

  test.each(['resolves', 'rejects'])('is given back as soon as it %s', async (end) => {
    jest.useFakeTimers();
    const work = Promise.withResolvers<void>();
    const ended = waitForEnd(work.promise, { passed: waitForever() }, 5_000);
    expect(await isGivenBack(ended, 60_000)).toBe(false);
    if (end === 'resolves') work.resolve();
    else work.reject(new Error('so it is'));
    expect(await isGivenBack(ended, 0)).toBe(true);
  });

  test('is given back some time after the deadline of work that never ends, and no earlier', async () => {
    jest.useFakeTimers();
    const ended = waitForEnd(waitForever(), { passed: Promise.reject(new Error('passed')) }, 5_000);
    expect(await isGivenBack(ended, 4_999)).toBe(false);
    expect(await isGivenBack(ended, 1)).toBe(true);
  });

  test('is given back at the deadline too by a nested call that goes on after the one that made it', async () => {
    jest.useFakeTimers();
    const { guard, protect } = createGuard();
    await withDeadline(1_000, (deadline) =>
      protect(client, deadline, async () => {
        void guard.protectNested({ adapter: 'registry', port: 'patients', class: 'read' }, waitForever);
      }),
    );
    const findRunning = () => guard.occupancies.filter(({ running }) => running > 0).map(({ kind }) => kind.adapter);
    await jest.advanceTimersByTimeAsync(999);
    expect(findRunning()).toEqual(['registry']);
    await jest.advanceTimersByTimeAsync(1);
    expect(findRunning()).toEqual([]);
  });

  test('is not waited for by a call whose signal has aborted before', async () => {
    jest.useFakeTimers();
    const { guard, protect } = createGuard();
    void protect(client, new Deadline(1_000, false), waitForever).catch(() => undefined);
    const deadline = new Deadline(1_000, false);
    deadline.abandon();
    const late = protect(client, deadline, waitForever);
    expect(guard.occupancies).toMatchObject([{ running: 1, queued: 0 }]);
    await expect(late).rejects.toMatchObject({ kind: 'overloaded' });
  });
});

const read = { method: 'GET', path: '/patients/ana' };

const write = { method: 'PUT', path: '/patients/ana', body: { phone: '+54 11 5555-0000' } };

/** Never answers, whatever becomes of its signal. */
const hang = () => new Promise<never>(() => {});

/** Fails as an adapter does that learns by the abort of its signal what became of the request. */
const failOnAbort =
  (kind: 'timeout' | 'outcome_unknown') =>
  (...given: unknown[]): Promise<never> =>
    new Promise((_, reject) => {
      const { signal } = given.at(-1) as Call;
      signal.addEventListener('abort', () => reject(new Failure(kind, 'aborted')), { once: true });
    });

/** The answer of a gateway whose patients port does only this, and what it logged. */
async function send({ method, path, body }: { method: string; path: string; body?: object }, act: () => unknown) {
  const gateway = await startGateway({
    environment: { PUENTE_HTTP_READ_DEADLINE: '200', PUENTE_HTTP_WRITE_DEADLINE: '200' },
    replacePort: () => ({ get: act, update: act }),
  });
  const { status, text } = await gateway.ask(method, path, body);
  const { code } = JSON.parse(text) as { code: string };
  await gateway.stop();
  const events = gateway.lines.map((line) => (JSON.parse(line) as { event: string }).event);
  return { status, code, events };
}

describe('a passed deadline', () => {
  test.each([
    ['a read that does not end', read, hang, 'backend_timeout'],
    ['a read that its adapter gives up', read, failOnAbort('timeout'), 'backend_timeout'],
    ['a write that does not end', write, hang, 'backend_outcome_unknown'],
    ['a write that its adapter has not sent', write, failOnAbort('timeout'), 'backend_timeout'],
    ['a write that its adapter has sent', write, failOnAbort('outcome_unknown'), 'backend_outcome_unknown'],
  ])('of %s is 504, and no unhandled error', async (_what, request, act, code) => {
    await expect(send(request, act)).resolves.toEqual({ status: 504, code, events: ['request'] });
  });
});

test('a signal of a read aborts when its caller disconnects, and not when it has its answer', async () => {
  const signals: AbortSignal[] = [];
  const gateway = await startGateway({
    replacePort: () => ({
      get: async (id: string, { signal }: Call) => {
        signals.push(signal);
        if (id !== 'hangs') throw new Failure('not_found', 'there is no such patient');
        return failOnAbort('timeout')({ signal });
      },
    }),
  });
  const headers = { Authorization: `Bearer ${gateway.token}` };
  expect((await gateway.ask('GET', '/patients/ana')).status).toBe(404);
  const left = new AbortController();
  const leaving = fetch(`${gateway.url}/patients/hangs`, { headers, signal: left.signal }).catch(() => undefined);
  await wait(() => signals.length === 2);
  left.abort();
  await leaving;
  await wait(() => signals[1]?.aborted === true);
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
  await gateway.stop();
});

import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Failure } from '../../ports/index.ts';
import { getField } from '../../toolkit/records.ts';
import { type Case, definePortCase } from '../case.ts';
import type { Errors, PassedRequest } from '../line.ts';
import { type PortsSubject, startPorts } from '../subject.ts';
import { Skipped } from '../thrown.ts';
import { reads } from './port-calls.ts';

/** The requests that a call sends to the system, and its id. */
interface Asked {
  readonly id: string;
  readonly sent: readonly PassedRequest[];
}

const says = ({ path, headers }: PassedRequest, id: string): boolean => `${path} ${headers}`.includes(id);

const toPaths = (asked?: Asked): ReadonlySet<string> => new Set(asked?.sent.map(({ path }) => path));

/** The outcome of a call, in a comparable form. */
const settle = (work: Promise<unknown>): Promise<object> =>
  work.then(
    (answer) => ({ answer }),
    (error: unknown) => {
      if (error instanceof assert.AssertionError) throw error;
      return error instanceof Failure ? { kind: error.kind, code: error.code } : { error: String(error) };
    },
  );

type Read = (typeof reads)[number];

const toBase = ({ needs, requires }: Pick<Read, 'needs' | 'requires'>) =>
  ({ level: 'safe', needs, requires, section: '2' }) as const;

/** The system receives the request id of each call, even of simultaneous calls. */
const defineRequestIdCase = ({ needs, requires, call, callOther }: Read): Case =>
  definePortCase(toBase({ needs, requires }), `ports.${needs}.request-id`, {
    watchesLine: true,
    title: `${needs} sends the id of the request to the system, even with several requests at once`,
    run: async (subject) => {
      // The same moment, so that repeated requests have the same text.
      const now = subject.now().toISOString();
      const ask = async (method: typeof call): Promise<Asked> => {
        const context = subject.createCall({ now });
        subject.line?.takeRequests();
        await settle(method(subject, context));
        return { id: context.requestId, sent: subject.line?.takeRequests() ?? [] };
      };
      // The second call may send no request, and requests of cached data may carry the first id.
      const alone: Asked[] = [];
      for (const when of ['first', 'second']) {
        const { id, sent } = await ask(call);
        if (sent.length === 0 && when === 'first') throw new Skipped('the system received no request');
        const carries = sent.some((each) => says(each, id));
        assert.ok(carries || sent.length === 0, `no request to the system carries the id of the ${when} request`);
        if (when === 'second') alone.push({ id, sent });
      }
      alone.push(await ask(callOther));
      const contexts = alone.map(() => subject.createCall({ now }));
      subject.line?.takeRequests();
      await Promise.all(contexts.map((context, index) => settle((index ? callOther : call)(subject, context))));
      const sent = subject.line?.takeRequests() ?? [];
      for (const [index, { requestId }] of contexts.entries()) {
        const [own, others] = [toPaths(alone[index]), toPaths(alone[1 - index])];
        // A request for both calls may carry either id.
        const ofOne = sent.filter(({ path }) => own.has(path) && !others.has(path));
        const isCarried = ofOne.every((each) => says(each, requestId));
        assert.ok(isCarried, 'requests of two simultaneous calls carry the same id');
      }
    },
  });

/** Simultaneous callers with different requests each get their own response. */
const defineAtOnceCase = ({ needs, requires, call, callOther }: Read): Case =>
  definePortCase(toBase({ needs, requires }), `ports.${needs}.at-once`, {
    title: `${needs}: simultaneous callers with different requests each get their own response`,
    run: async (subject) => {
      const methods = [call, callOther, call, callOther];
      const ask = (method: typeof call) => settle(method(subject, subject.createCall()));
      const together = await Promise.all(methods.map(ask));
      const alone = [await ask(call), await ask(callOther)];
      const message = 'the response of a request differs if another request runs at the same time';
      for (const [index, outcome] of together.entries()) assert.deepEqual(outcome, alone[index % 2], message);
    },
  });

/** For one response, an adapter sends at most the line's number of requests. */
const defineRequestsCase = ({ needs, requires, call }: Read): Case =>
  definePortCase(toBase({ needs, requires }), `ports.${needs}.requests`, {
    watchesLine: true,
    title: `${needs} sends at most the line’s number of requests`,
    run: async (subject) => {
      const { maxRequests = Number.POSITIVE_INFINITY, takeRequests } = subject.line ?? {};
      takeRequests?.();
      await call(subject, subject.createCall());
      const { length } = takeRequests?.() ?? [];
      assert.ok(length <= maxRequests, `one response takes ${length} requests to the system`);
    },
  });

/** The number of simultaneous callers, which exceeds the connections of a pool. */
const CROWD = 14;

/** The outcomes of simultaneous callers, and the counts of their requests. */
async function sendCrowd({ call }: Read, subject: PortsSubject, size = CROWD) {
  subject.line?.takeRequests();
  const begun = performance.now();
  const asked = Array.from({ length: size }, () => settle(call(subject, subject.createCall())));
  const outcomes = await Promise.all(asked);
  const ms = performance.now() - begun;
  const sent = subject.line?.takeRequests() ?? [];
  return {
    ms,
    unanswered: outcomes.filter((each) => !('answer' in each)).length,
    timeouts: outcomes.filter((each) => getField(each, 'kind') === 'timeout').length,
    requests: sent.length,
    logins: sent.filter(({ isLogin }) => isLogin).length,
    connections: new Set(sent.map(({ connection }) => connection)).size,
  };
}

type Crowd = Awaited<ReturnType<typeof sendCrowd>>;

/** On a busy machine, callers reach the adapter's own time limit. A fault of the adapter lasts for this number of crowds. */
const MAX_CROWDS = 3;

/** Sends a crowd. Sends another one if callers only timed out. */
async function sendCrowds(send: () => Promise<Crowd>): Promise<Crowd> {
  for (let crowds = 1; ; crowds++) {
    const crowd = await send();
    const isBusy = crowd.timeouts > 0 && crowd.timeouts === crowd.unanswered;
    if (!isBusy || crowds === MAX_CROWDS) return crowd;
  }
}

/**
 * Asserts that all callers got a response. On a busy machine, the adapter's own time limit may pass before single callers
 * in a row would have their responses: this proves nothing.
 */
function expectAnswered({ unanswered, timeouts, ms }: Crowd, alone: Crowd, when: string): void {
  const isLate = timeouts > 0 && timeouts === unanswered;
  if (isLate && ms <= CROWD * alone.ms) {
    throw new Skipped(`the machine is busy: a single caller takes ${Math.round(alone.ms)} ms, and ${CROWD} time out`);
  }
  assert.equal(unanswered, 0, `${unanswered} of ${CROWD} simultaneous callers get no response${when}`);
}

/** Simultaneous first callers share one login, and send no more requests than the same number of single callers. */
const defineCrowdCase = (read: Read): Case =>
  definePortCase(toBase(read), `ports.${read.needs}.crowd`, {
    watchesLine: true,
    title: `${read.needs}: each of ${CROWD} simultaneous first callers gets a response, with one login, and with no more requests and connections than ${CROWD} single callers`,
    run: async (_subject, start) => {
      const alone = await sendCrowd(read, await startPorts(start), 1);
      const crowd = await sendCrowds(async () => sendCrowd(read, await startPorts(start)));
      const { requests, logins, connections } = crowd;
      assert.ok(logins <= 1, `${CROWD} simultaneous callers make ${logins} logins`);
      expectAnswered(crowd, alone, '');
      const most = (one: number) => CROWD * Math.max(one, 1);
      assert.ok(
        requests <= most(alone.requests),
        `${CROWD} simultaneous callers send ${requests} requests, and one sends ${alone.requests}`,
      );
      assert.ok(
        connections <= most(alone.connections),
        `${CROWD} simultaneous callers open ${connections} connections, and one opens ${alone.connections}`,
      );
    },
  });

/** The system may end sessions at any time. */
const defineLogoutCase = (read: Read): Case =>
  definePortCase({ ...toBase(read), level: 'destructive' }, `ports.${read.needs}.logout`, {
    watchesLine: true,
    outage: 'logout',
    title: `${read.needs}: after the system drops its sessions, the adapter logs in once for all waiting callers, and each gets a response`,
    run: async (subject) => {
      const alone = await sendCrowd(read, subject, 1);
      if (alone.logins === 0)
        throw new Skipped('the line detected no login: no request carries a text of an earlier response');
      const crowd = await sendCrowds(async () => {
        const end = await subject.fail.logout?.();
        const found = await sendCrowd(read, subject);
        await end?.();
        return found;
      });
      assert.ok(crowd.logins <= 1, `after the end of the sessions, ${CROWD} callers make ${crowd.logins} logins`);
      expectAnswered(crowd, alone, ' after the end of the sessions');
    },
  });

/** Seconds. Longer than the default of an adapter that does not read the header. */
const WAIT = 60;

/** A refusal by a working system, and the required failure. */
interface SystemRefusal {
  readonly what: string;
  readonly errors: () => Errors;
  readonly isTold: (failure: Failure) => boolean;
}

const isOverload = ({ kind, retryAfter = 0 }: Failure): boolean =>
  kind === 'overloaded' && retryAfter > WAIT / 2 && retryAfter <= WAIT + 2;

const refusals: readonly SystemRefusal[] = [
  {
    what: `429 with Retry-After: ${WAIT}`,
    errors: () => ({ status: 429, headers: { 'Retry-After': String(WAIT) } }),
    isTold: isOverload,
  },
  {
    what: `429 with Retry-After as a date in ${WAIT} seconds`,
    errors: () => ({
      status: 429,
      headers: { 'Retry-After': new Date(Date.now() + WAIT * 1_000).toUTCString() },
    }),
    isTold: isOverload,
  },
  {
    what: '403',
    errors: () => ({ status: 403 }),
    isTold: ({ kind, code, cause }) => kind === 'unavailable' && (code !== undefined || cause !== undefined),
  },
];

const describeFailure = (failure: unknown): string => {
  if (!(failure instanceof Failure)) return String(failure);
  const { kind, retryAfter, code, cause } = failure;
  const wait = retryAfter === undefined ? 'no wait' : `a wait of ${retryAfter} s`;
  return kind === 'overloaded' ? `${kind} with ${wait}` : `${kind} ${code ?? (cause ? '' : 'without a cause')}`.trim();
};

/** The maximum number of requests of one call before a refusal. */
const MAX_ANSWERED = 8;

/** The adapter distinguishes a refusal from an error, and reports the wait. */
const defineRefusedCase = ({ needs, requires, call }: Read): Case =>
  definePortCase({ ...toBase({ needs, requires }), level: 'destructive' }, `ports.${needs}.refused`, {
    watchesLine: true,
    outage: 'errors',
    title: `${needs} fails with overloaded and the wait if the system answers 429 with Retry-After (seconds or a date), and with unavailable and its cause if it answers 403`,
    run: async (_, start) => {
      for (const { what, errors, isTold } of refusals) {
        const subject = await startPorts(start);
        for (let after = 0; after < MAX_ANSWERED; after++) {
          const end = await subject.fail.errors?.({ ...errors(), after });
          const failure = await call(subject, subject.createCall()).then(
            () => undefined,
            (error: unknown) => error,
          );
          await end?.();
          if (failure === undefined) break;
          if (failure instanceof assert.AssertionError) throw failure;
          const isRight = failure instanceof Failure && isTold(failure);
          assert.ok(isRight, `the system answers ${what}, but the call fails with ${describeFailure(failure)}`);
        }
      }
    },
  });

const [WARM_UP, ROUNDS, ROUND] = [20, 6, 60];

/**
 * The maximum memory in bytes that a round of calls may retain. An adapter that keeps every response retains more in
 * each round.
 */
const MAX_GROWTH = 2 * 1_048_576;

/** Collects garbage, and returns the used memory in bytes. */
function measureMemory(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** The number of timers that keep the process alive. */
const countTimers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

/** Many calls must not retain responses, timers or connections. */
const defineKeptCase = ({ needs, requires, call }: Read): Case =>
  definePortCase(toBase({ needs, requires }), `ports.${needs}.kept`, {
    watchesLine: true,
    title: `${needs} retains no memory, connection or timer, even after many calls`,
    run: async (subject) => {
      const { takeRequests } = subject.line ?? {};
      const callOften = async (times: number) => {
        const requests: PassedRequest[] = [];
        for (let time = 0; time < times; time++) {
          await call(subject, subject.createCall());
          requests.push(...(takeRequests?.() ?? []).map((each) => ({ ...each, headers: [] })));
        }
        const connections = new Set(requests.map(({ connection }) => connection)).size;
        const isKept = requests.length < times || connections < requests.length / 2;
        assert.ok(isKept, `${requests.length} consecutive requests open ${connections} connections`);
      };
      await callOften(WARM_UP);
      const timers = countTimers();
      for (let round = 1; round <= ROUNDS; round++) {
        const before = measureMemory();
        await callOften(ROUND);
        const growth = measureMemory() - before;
        const more = countTimers() - timers;
        assert.ok(more < ROUND / 2, `after ${ROUND} more calls, ${timers} more timers run`);
        if (growth < MAX_GROWTH) return;
        const mebibytes = Math.round(growth / 1_048_576);
        assert.ok(
          round < ROUNDS,
          `after ${ROUND} more calls, ${mebibytes} MiB more are in use, as after each earlier round`,
        );
      }
    },
  });

/** The requests of an adapter to its system, its reaction to refusals, and its answers to simultaneous questions. */
export const lineCases: readonly Case[] = reads.flatMap((read) => [
  defineRequestIdCase(read),
  defineAtOnceCase(read),
  defineRequestsCase(read),
  defineCrowdCase(read),
  defineLogoutCase(read),
  defineRefusedCase(read),
  defineKeptCase(read),
]);

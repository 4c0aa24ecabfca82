import type { Fail, Line } from '../../src/contract/index.ts';
import { parseRetryAfter } from '../../src/http-client/failures.ts';
import { type Call, type Capability, Failure, writes } from '../../src/ports/index.ts';
import type { Ports } from './faults/port-fault.ts';
import { openSandbox } from './sandbox.ts';

/** What becomes of a call in an outage; `work` is what it would come to. */
type Outage = (work: () => Promise<unknown>, call: Call, isWrite: boolean) => Promise<unknown>;

/** The hospital in memory as a system that can fail: its ports, and what begins an outage, which lasts until that is called again. */
export function openFailingSandbox(timeZone?: string) {
  let outage: Outage | undefined;
  const begin = (next: Outage) => async () => {
    outage = next;
    return async () => {
      outage = undefined;
    };
  };
  const watch = (port: object, name: string): object =>
    new Proxy(port, {
      get: (target, key) => {
        const method: unknown = Reflect.get(target, key, target);
        if (typeof method !== 'function') return method;
        return async (...given: unknown[]) => {
          const work = async (): Promise<unknown> => Reflect.apply(method, target, given);
          const isWrite = writes.includes(`${name}.${String(key)}` as Capability);
          return outage ? outage(work, given.at(-1) as Call, isWrite) : work();
        };
      },
    });
  const { retryableWrites, ...whole } = openSandbox(undefined, timeZone);
  const ports = Object.fromEntries(
    Object.entries(whole).map(([name, port]) => [name, watch(port, name)]),
  ) as unknown as Ports;
  const fail: Fail = {
    errors: ({ status = 500, headers = {} } = {}) => begin(async () => refuse(status, headers['Retry-After']))(),
    // It has no sessions.
    logout: async () => async () => {},
    silence: begin(waitForAbort),
    lost: begin(loseAnswer),
  };
  const line: Pick<Line, 'fail' | 'takeRequests'> = { fail, takeRequests: () => [] };
  return { ports: { ...ports, retryableWrites }, line };
}

function refuse(status: number, wait?: string): never {
  const cause = { code: `HTTP_${status}` };
  if (status === 429)
    throw new Failure('overloaded', 'the system is busy', { cause, retryAfter: parseRetryAfter(wait) });
  throw new Failure('unavailable', 'the system answers errors', { cause });
}

const waitForAbort: Outage = (_work, { signal }) =>
  new Promise((_, reject) => {
    const end = () => reject(new Failure('timeout', 'the deadline passed'));
    if (signal.aborted) end();
    else signal.addEventListener('abort', end);
  });

const loseAnswer: Outage = async (work, _call, isWrite) => {
  const answer = await work();
  if (isWrite) throw new Failure('outcome_unknown', 'the answer was lost');
  return answer;
};

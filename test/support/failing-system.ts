import { type Call, Failure } from '../../src/ports/index.ts';
import type { Ports } from './faults/port-fault.ts';
import { openSandbox } from './sandbox.ts';

/** The hospital in memory as a system that can fail: its ports, and what begins an outage, which lasts until that is called again. */
export function openFailingSandbox() {
  let outage: ((call: Call) => Promise<unknown>) | undefined;
  const begin = (answer: typeof outage) => async () => {
    outage = answer;
    return async () => {
      outage = undefined;
    };
  };
  const watch = (port: object): object =>
    new Proxy(port, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name, target);
        if (typeof method !== 'function') return method;
        return async (...given: unknown[]) => {
          await outage?.(given.at(-1) as Call);
          return Reflect.apply(method, target, given);
        };
      },
    });
  const { retryableWrites, ...whole } = openSandbox();
  const ports = Object.fromEntries(
    Object.entries(whole).map(([name, port]) => [name, watch(port)]),
  ) as unknown as Ports;
  return { ports: { ...ports, retryableWrites }, fail: { errors: begin(refuse), silence: begin(waitForAbort) } };
}

async function refuse(): Promise<never> {
  throw new Failure('unavailable', 'the system answers errors');
}

const waitForAbort = ({ signal }: Call): Promise<never> =>
  new Promise((_, reject) => {
    const end = () => reject(new Failure('timeout', 'the deadline passed'));
    if (signal.aborted) end();
    else signal.addEventListener('abort', end);
  });

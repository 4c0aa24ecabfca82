import { readFileSync } from 'node:fs';

/**
 * Preloaded by `--import`: shifts the clock of a process by the milliseconds that the file of `SHIFTED_CLOCK` has, which a test may change at
 * any time. The monotonic clock runs on, as it does when somebody sets the clock of a machine.
 */
const file = process.env.SHIFTED_CLOCK ?? '';
const readShift = (): number => Number(readFileSync(file, 'utf8'));
const Unshifted = Date;

globalThis.Date = new Proxy(Unshifted, {
  construct: (_target, given: [], newTarget) =>
    Reflect.construct(Unshifted, given.length === 0 ? [Unshifted.now() + readShift()] : given, newTarget),
  apply: () => new Date().toString(),
  get: (target, name, receiver) =>
    name === 'now' ? () => Unshifted.now() + readShift() : Reflect.get(target, name, receiver),
});
Object.defineProperty(performance, 'timeOrigin', { value: performance.timeOrigin + readShift() });

/** An hour of intervals passes within a fifth of a second. */
const { setInterval } = globalThis;
const HOUR = 3_600_000;
Reflect.set(globalThis, 'setInterval', (work: () => void, ms: number) =>
  setInterval(work, ms < HOUR ? ms : ms / 18_000),
);

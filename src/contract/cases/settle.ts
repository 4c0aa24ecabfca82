import assert from 'node:assert/strict';
import { Failure, type FailureKind } from '../../ports/index.ts';
import type { Fail } from '../outage.ts';

/** What came of work. */
export type Outcome = { readonly answer: unknown } | { readonly failure: unknown };

/** Waits for work, whatever comes of it. */
export const settle = (work: Promise<unknown>): Promise<Outcome> =>
  work.then(
    (answer) => ({ answer }),
    (failure: unknown) => ({ failure }),
  );

export const wait = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

/** How an adapter may fail while its system does. */
export const failing: readonly FailureKind[] = ['unavailable', 'bad_answer', 'overloaded', 'timeout'];

/** What is answered when the adapter has noticed that its system works again. @throws AssertionError when it does not. */
export async function recover<T>({ recoveryMs = 3_000 }: Fail, ask: () => Promise<T>): Promise<T> {
  const until = performance.now() + recoveryMs;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const isFailing = error instanceof Failure && failing.includes(error.kind);
      assert.ok(isFailing, 'the system works, and it does not answer');
      assert.ok(performance.now() < until, 'the system works, and it keeps failing');
      await wait(20);
    }
  }
}

/** How many records a list, a page or a record alone has. */
export function countRecords(read: unknown): number {
  const { items }: { readonly items?: unknown } = Object(read);
  if (Array.isArray(items)) return items.length;
  return Array.isArray(read) ? read.length : 1;
}

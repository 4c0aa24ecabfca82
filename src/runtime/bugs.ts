import type { Log } from '../ports/index.ts';
import { findCauseCode, listFrames } from '../toolkit/failures.ts';

/**
 * Keeps the process alive after an error that nobody caught: an exception thrown out of a callback, an `error` event
 * without a listener, a rejected promise that nobody awaits. Logs its code or name and its place, never its message.
 */
export function outliveBugs(log: Log): void {
  // Node reports unhandled rejections here, too, when they have no listener of their own.
  process.on('uncaughtException', (error: unknown) => {
    log.write('error', 'unhandled error', describeBug(error));
  });
}

function describeBug(error: unknown): { readonly cause: string; readonly stack: string[] } {
  try {
    const name = error instanceof Error ? error.name : typeof error;
    return { cause: findCauseCode(error) ?? name, stack: listFrames(error) };
  } catch {
    // A getter of the error threw, or its stack is not a string.
    return { cause: 'unreadable', stack: [] };
  }
}

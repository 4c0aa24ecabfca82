import type { Log } from '../ports/index.ts';
import { findCauseCode, listFrames } from '../toolkit/failures.ts';

/**
 * Keeps the process alive after an uncaught error: an exception in a callback, an `error` event without a listener, or
 * an unhandled rejection. Logs its code or name and its place, never its message.
 */
export function outliveBugs(log: Log): void {
  // Node also reports unhandled rejections here, unless they have their own listener.
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

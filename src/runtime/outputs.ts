import type { Writable } from 'node:stream';
import type { Impairment } from '../ports/index.ts';

/** Milliseconds for which it is told that something was lost. */
const TOLD_MS = 60_000;

const unavailable: Impairment = {
  code: 'log_unavailable',
  detail:
    'Lines of the log were lost within the last minute, because its disk is full or who reads it has left. Look after the disk or the reader.',
};

/**
 * Lets what is written there be lost when it cannot be written: neither a request nor the process ends for it.
 * @returns what was lost within the last minute, as an impairment.
 */
export function watchOutputs(outputs: readonly Writable[]): { readonly impairments: readonly Impairment[] } {
  let lostAt = Number.NEGATIVE_INFINITY;
  for (const output of outputs) {
    output.on('error', () => {
      lostAt = performance.now();
    });
  }
  return {
    get impairments() {
      return performance.now() < lostAt + TOLD_MS ? [unavailable] : [];
    },
  };
}

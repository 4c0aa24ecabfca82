import { randomUUID } from 'node:crypto';
import type { Call } from '../../src/ports/index.ts';

/** A call of now that takes as long as it likes. */
export const callNow = (other: Partial<Call> = {}): Call => ({
  requestId: randomUUID(),
  client: 'test',
  now: new Date().toISOString(),
  signal: new AbortController().signal,
  omit: () => undefined,
  ...other,
});

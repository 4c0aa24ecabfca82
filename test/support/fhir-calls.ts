import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import type { Call, FailureKind } from '../../src/ports/index.ts';

/** A call of now that takes as long as it likes. */
export const callNow = (other: Partial<Call> = {}): Call => ({
  requestId: randomUUID(),
  client: 'test',
  now: new Date().toISOString(),
  signal: new AbortController().signal,
  omit: () => undefined,
  ...other,
});

/** What `toEqual` compares with a Failure of that kind. */
export const matchFailure = (kind: FailureKind, more: object = {}) =>
  expect.objectContaining({ name: 'Failure', kind, ...more });

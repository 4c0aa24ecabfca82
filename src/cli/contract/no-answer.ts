import type { Response } from '../../contract/subject.ts';
import { Failure, type FailureKind } from '../../ports/index.ts';
import { getText } from './traces.ts';

/** Why there is nothing to judge: a system that is slow, or away, has broken no promise. */
export interface NoAnswer {
  /** E.g. `no answer came: 503 overloaded`. */
  readonly why: string;
  /** Whether nothing at all may be there; else it is slow. */
  readonly isAway: boolean;
}

const kinds: ReadonlySet<FailureKind> = new Set(['unavailable', 'timeout', 'overloaded', 'outcome_unknown']);
const awayCodes = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;

/** Undefined where the response is an answer. One of a gateway whose system is slow or away is none. */
export function explainResponse({ status, body }: Response): NoAnswer | undefined {
  const code = getText(body, 'code');
  // A system whose answer cannot be understood is there.
  if (![502, 503, 504].includes(status) || code === 'backend_invalid_response') return undefined;
  // Another server than Puente may say anything there.
  const known = /^[a-z_]{1,60}$/.test(code) ? ` ${code}` : '';
  return { why: `no answer came: ${status}${known}`, isAway: status === 502 };
}

/** What a request or the method of a port failed with; undefined where that is an answer, or a fault. */
export function explainError(error: unknown): NoAnswer | undefined {
  if (error instanceof Failure) {
    if (!kinds.has(error.kind)) return undefined;
    return { why: `no answer came: ${error.kind}`, isAway: error.kind === 'unavailable' };
  }
  const { name, cause }: { readonly name?: unknown; readonly cause?: unknown } = Object(error);
  if (name === 'TimeoutError') return { why: 'no answer came in time', isAway: false };
  if (name !== 'TypeError' || cause === undefined) return undefined;
  const code = getText(cause, 'code') || 'failed';
  return { why: `no answer came: ${code}`, isAway: awayCodes.test(code) };
}

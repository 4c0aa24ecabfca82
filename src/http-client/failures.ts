import { type AxiosResponse, isAxiosError } from 'axios';
import { Failure } from '../ports/index.ts';

/**
 * Codes of network errors that prove that the server executed nothing. Other TLS errors may come after the request, e.g.
 * from a damaged answer. In TLS 1.3 a server may reject our certificate only then, but before it reads the request.
 */
const neverExecuted =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH|ERR_INVALID_URL|ERR_FR_|ERR_SSL_[\w/]+_ALERT_(\w*CERTIFICATE\w*|UNKNOWN_CA|ACCESS_DENIED)$)/;

/** Codes of network errors that are likely to be temporary. */
const transientErrors = /^(ECONNREFUSED|ECONNRESET|EPIPE|EAI_AGAIN|ECONNABORTED)$/;

/** The code of an answer that is larger than its limit. */
export const TOO_LARGE = 'TOO_LARGE';

/** Creates the failure for an unusable answer. `cause` is a code, and `at` names the element. */
export const badAnswer = (cause: string, at?: string): Failure =>
  new Failure('bad_answer', 'the backend sent an answer that cannot be used', { cause: { code: cause }, at });

/** Creates the failure when the deadline passed or the caller disconnected before any change was sent. */
export const createTimeoutFailure = (code = 'ERR_CANCELED'): Failure =>
  new Failure('timeout', 'the backend did not answer in time', { cause: { code } });

/**
 * Converts an error without a complete answer, or with an unexpected status, to a failure. A `Failure` is returned
 * unchanged. A write that may have been executed gets `outcome_unknown`. Only the code of an axios error survives: the
 * other parts may have the token and patient data.
 */
export function toNetworkFailure(error: unknown, write: boolean): Failure {
  if (error instanceof Failure) return error;
  if (isAxiosError(error) && error.response) return toStatusFailure(error.response, write);
  const { code = 'UNEXPECTED' } = isAxiosError(error) ? error : {};
  const cause = { code };
  const sent = !(isAxiosError(error) && 'sent' in error && error.sent === false);
  if (write && sent && !neverExecuted.test(code)) {
    return new Failure('outcome_unknown', 'the answer of the backend to a write was lost', { cause });
  }
  if (code === 'ERR_CANCELED' || code === 'ETIMEDOUT') return createTimeoutFailure(code);
  if (code === TOO_LARGE || code === 'ERR_BAD_RESPONSE' || code.startsWith('Z_') || code.startsWith('HPE_')) {
    return new Failure('bad_answer', 'the answer of the backend is truncated, too large or damaged', { cause });
  }
  return new Failure('unavailable', 'the backend cannot be reached', { cause });
}

/**
 * These statuses reject a request before it is executed. Only the adapter can interpret any other status of a write.
 */
function toStatusFailure({ status, headers }: Pick<AxiosResponse, 'status' | 'headers'>, write: boolean): Failure {
  const cause = { code: `HTTP_${status}` };
  const isRefused = [401, 403, 429].includes(status);
  if (write && !isRefused) {
    return new Failure('outcome_unknown', 'the backend answered a write with an unexpected status', { cause });
  }
  if (status === 429) {
    const retryAfter = parseRetryAfter(headers['retry-after']);
    return new Failure('overloaded', 'the backend has too many requests', { cause, retryAfter });
  }
  if (isRefused || status === 408 || status >= 500) {
    return new Failure('unavailable', 'the backend refuses or fails', { cause });
  }
  return badAnswer(cause.code);
}

/** The maximum `Retry-After` for callers in seconds, even if the server asks for more. */
const MAX_RETRY_AFTER = 300;

/** Parses a `Retry-After` with seconds or a date. Returns at least 1 second, also for any other value. */
export function parseRetryAfter(retryAfter: unknown): number {
  const text = typeof retryAfter === 'string' ? retryAfter : '';
  const seconds = text === '' ? Number.NaN : Number(text);
  const wait = Number.isFinite(seconds) ? seconds : (Date.parse(text) - Date.now()) / 1000;
  return Math.min(Math.max(Math.ceil(Number.isFinite(wait) ? wait : 1), 1), MAX_RETRY_AFTER);
}

/** True if a failed read may be sent again at once. */
export const isTransient = (error: unknown): boolean =>
  error instanceof Failure && transientErrors.test(getCauseCode(error) ?? '');

/** Sends again if the connection breaks, which is common after a long idle time. */
export async function sendAgainIfBroken<T>(send: () => Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (signal.aborted || !isTransient(toNetworkFailure(error, false))) throw error;
    return send();
  }
}

/** True if a request reached its time limit. */
export const isTooLate = (error: unknown): boolean => error instanceof Failure && getCauseCode(error) === 'ETIMEDOUT';

/** The code of a failure's cause: a network code, or `HTTP_` and a status. Never a text of the server. */
export function getCauseCode({ cause }: Failure): string | undefined {
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

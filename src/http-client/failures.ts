import { type AxiosResponse, isAxiosError } from 'axios';
import { Failure } from '../ports/index.ts';

/** Codes of network errors after which it is certain that the server got nothing (TLS errors included). */
const neverSent =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EPROTO|ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH|ERR_INVALID_URL|ERR_FR_)/;

/** Codes of network errors that are likely to pass. */
const transientErrors = /^(ECONNREFUSED|ECONNRESET|EPIPE|EAI_AGAIN|ECONNABORTED)$/;

/** The code of an answer that is larger than its limit. */
export const TOO_LARGE = 'TOO_LARGE';

/** An answer that cannot be used; `cause` says why in a code, `at` names the element. */
export const badAnswer = (cause: string, at?: string): Failure =>
  new Failure('bad_answer', 'the backend sent an answer that cannot be used', { cause: { code: cause }, at });

/** The caller's deadline passed, or the caller is gone, before anything was sent that changes data. */
export const createTimeoutFailure = (code = 'ERR_CANCELED'): Failure =>
  new Failure('timeout', 'the backend did not answer in time', { cause: { code } });

/**
 * The failure when no complete answer came, or one with a status that was not expected; a `Failure` stays as it is. A
 * write that may have been executed has an unknown outcome. Of an error of axios only the code survives: the rest may hold
 * the token and what is known of a patient.
 */
export function toNetworkFailure(error: unknown, write: boolean): Failure {
  if (error instanceof Failure) return error;
  if (isAxiosError(error) && error.response) return toStatusFailure(error.response, write);
  const { code = 'UNEXPECTED' } = isAxiosError(error) ? error : {};
  const cause = { code };
  const sent = !(isAxiosError(error) && 'sent' in error && error.sent === false);
  if (write && sent && !neverSent.test(code)) {
    return new Failure('outcome_unknown', 'the answer of the backend to a write was lost', { cause });
  }
  if (code === 'ERR_CANCELED' || code === 'ETIMEDOUT') return createTimeoutFailure(code);
  if (code === TOO_LARGE || code === 'ERR_BAD_RESPONSE' || code.startsWith('Z_') || code.startsWith('HPE_')) {
    return new Failure('bad_answer', 'the answer of the backend is cut, too large or damaged', { cause });
  }
  return new Failure('unavailable', 'the backend cannot be reached', { cause });
}

/** Refusals come before anything is executed; of every other answer to a write the adapter has to know what it means. */
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

/** Most seconds that a caller is told to wait, whatever the server says. */
const MAX_RETRY_AFTER = 300;

/** The seconds that a `Retry-After` asks for, which has seconds or a date: at least 1, also where it has neither. */
export function parseRetryAfter(retryAfter: unknown): number {
  const text = typeof retryAfter === 'string' ? retryAfter : '';
  const seconds = text === '' ? Number.NaN : Number(text);
  const wait = Number.isFinite(seconds) ? seconds : (Date.parse(text) - Date.now()) / 1000;
  return Math.min(Math.max(Math.ceil(Number.isFinite(wait) ? wait : 1), 1), MAX_RETRY_AFTER);
}

/** True if a read that failed may be sent again at once. */
export const isTransient = (error: unknown): boolean =>
  error instanceof Failure && transientErrors.test(getCauseCode(error) ?? '');

/** Sends once more when the connection breaks, which one that was kept for long may have done. */
export async function sendAgainIfBroken<T>(send: () => Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (signal.aborted || !isTransient(toNetworkFailure(error, false))) throw error;
    return send();
  }
}

/** True if a request took longer than one may. */
export const isTooLate = (error: unknown): boolean => error instanceof Failure && getCauseCode(error) === 'ETIMEDOUT';

/** The code under a failure, of the network or `HTTP_` and a status; never a word of the server's. */
export function getCauseCode({ cause }: Failure): string | undefined {
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

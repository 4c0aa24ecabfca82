import { Failure } from '../../../src/ports/index.ts';
import { badAnswer, isObject, parseJson, type Reply } from './decode.ts';

/** Longest wait that a backend can make us ask of a caller, in seconds. */
const MAX_RETRY_AFTER = 300;

/** Codes of network errors after which it is certain that the server got nothing (TLS errors included). */
const neverSent =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EPROTO|ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH|ERR_INVALID_URL|ERR_FR_)/;

/** Codes of network errors that strike a connection which was fine a moment ago. */
const transientErrors = /^(ECONNREFUSED|ECONNRESET|EPIPE|EAI_AGAIN|ECONNABORTED)$/;

/** Issue types by which a server refuses the content of what it was sent (R4 value set issue-type). */
const aboutContent = new Set(
  'invalid structure required value invariant processing business-rule code-invalid extension too-long'.split(' '),
);

/** The code of an answer that has more bytes than we read. */
export const TOO_LARGE = 'TOO_LARGE';

export interface NetworkError {
  readonly code: string;
  /** Whether the request may have reached the server. */
  readonly sent: boolean;
  readonly aborted: boolean;
}

/** The failure when no complete answer came. A write that may have arrived has an unknown fate. */
export function toNetworkFailure({ code, sent, aborted }: NetworkError, write: boolean): Failure {
  const cause = { code };
  if (write && sent && !neverSent.test(code)) {
    return new Failure('outcome_unknown', 'the answer of the FHIR server to a write was lost', { cause });
  }
  if (aborted) return new Failure('timeout', 'the FHIR server did not answer in time', { cause });
  if (code === TOO_LARGE || code === 'ERR_BAD_RESPONSE' || code.startsWith('Z_') || code.startsWith('HPE_')) {
    return new Failure('bad_answer', 'the answer of the FHIR server is cut, too large or damaged', { cause });
  }
  return new Failure('unavailable', 'the FHIR server cannot be reached', { cause });
}

/** Whether a read that met this error may be sent again at once. */
export const mayRetry = (code: string): boolean => transientErrors.test(code);

/** The code under a failure, of the network or `HTTP_` and a status; never a word of the server's. */
export function getCauseCode({ cause }: Failure): string | undefined {
  return isObject(cause) && typeof cause.code === 'string' ? cause.code : undefined;
}

/** The code of a transaction that turns out to have been done in part. */
export const PARTIAL_TRANSACTION = 'non_atomic_transaction';

/** Whether a transaction failed in the one way after which it must not be taken for done: a part of it is there. */
export const isPartialTransaction = (error: unknown): boolean =>
  error instanceof Failure && error.code === PARTIAL_TRANSACTION;

/** The failure that a status other than 2xx means; nothing of the server's words is kept but issue codes. */
export function toResponseFailure(reply: Reply, base: string, write: boolean): Failure {
  const issues = readIssueCodes(reply, base);
  return toStatusFailure(reply.status, issues, write, reply.headers['retry-after']);
}

/** As `failureOfReply`, for an entry of a transaction too, whose status comes as text. */
export function toStatusFailure(
  status: number,
  issues: readonly string[],
  write: boolean,
  retryAfter?: string,
): Failure {
  const cause = { code: `HTTP_${status}` };
  if (status === 404 || status === 410) return new Failure('not_found', 'there is no such thing', { cause });
  if (status === 409 || status === 412) {
    return new Failure('conflict', 'it was changed by somebody else at the same time', {
      code: issues.includes('multiple-matches') ? 'duplicate_in_backend' : 'version_conflict',
      cause,
    });
  }
  if (status === 413) return new Failure('invalid', 'the data is too large', { code: 'payload_too_large', cause });
  if (status === 429 || (status === 503 && retryAfter !== undefined)) {
    return new Failure('overloaded', 'the FHIR server sheds load', { retryAfter: parseRetryAfter(retryAfter), cause });
  }
  if (status === 401 || status === 403) {
    return new Failure('unavailable', 'the FHIR server refuses our credentials', { code: 'backend_auth', cause });
  }
  if (write && (status === 400 || status === 422) && issues.some((issue) => aboutContent.has(issue))) {
    return new Failure('invalid', 'the institution’s system refuses the data', { code: 'rejected_by_backend', cause });
  }
  if (write && status >= 500 && status !== 501 && status !== 503) {
    return new Failure('outcome_unknown', 'the FHIR server failed while it wrote', { cause });
  }
  if (status >= 500) return new Failure('unavailable', 'the FHIR server fails', { cause });
  return new Failure('bad_answer', 'the FHIR server does not take a request of ours', { cause });
}

/**
 * The body of an answer to a read. Where an end point is missing it is the server’s failing, not a missing thing.
 * @throws Failure as `failureOfReply` says, when the status is not 200.
 */
export function parseBody(reply: Reply, base: string): Record<string, unknown> {
  if (reply.status === 404 || reply.status === 410) throw badAnswer('no_such_endpoint');
  if (reply.status !== 200) throw toResponseFailure(reply, base, false);
  return parseJson(reply, base);
}

function readIssueCodes(reply: Reply, base: string): string[] {
  try {
    return listIssueCodes(parseJson(reply, base));
  } catch {
    return [];
  }
}

/** The issue codes of an OperationOutcome, or none; `details` codes that say more are among them. */
export function listIssueCodes(outcome: unknown): string[] {
  if (!isObject(outcome) || outcome.resourceType !== 'OperationOutcome' || !Array.isArray(outcome.issue)) return [];
  return outcome.issue.filter(isObject).map(({ code }) => String(code));
}

function parseRetryAfter(retryAfter: string | undefined): number {
  const seconds = Number(retryAfter);
  const wait = Number.isFinite(seconds) ? seconds : (Date.parse(retryAfter ?? '') - Date.now()) / 1000;
  return Math.min(Math.max(Math.ceil(Number.isFinite(wait) ? wait : 1), 1), MAX_RETRY_AFTER);
}

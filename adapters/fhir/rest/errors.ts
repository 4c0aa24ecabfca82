import { Failure } from '../../../src/ports/index.ts';
import { isObject } from '../../http-client/json.ts';

/** Most seconds that a caller is told to wait, whatever the server says. */
const MAX_RETRY_AFTER = 300;

/** Issue types by which a server refuses the content of what it was sent (R4 value set issue-type). */
const aboutContent = new Set(
  'invalid structure required value invariant processing business-rule code-invalid extension too-long'.split(' '),
);

/** The code of a transaction of which the server executed only a part. */
export const PARTIAL_TRANSACTION = 'non_atomic_transaction';

/** Whether only a part of a transaction was executed, so that its outcome is wrong for good. */
export const isPartialTransaction = (error: unknown): boolean =>
  error instanceof Failure && error.code === PARTIAL_TRANSACTION;

/** The failure that a status other than 2xx stands for, of an answer or of an entry in a transaction. */
export function toStatusFailure(
  status: number,
  issues: readonly string[],
  write: boolean,
  retryAfter?: string,
): Failure {
  const cause = { code: `HTTP_${status}` };
  if (status === 404 || status === 410) return new Failure('not_found', 'the resource does not exist', { cause });
  if (status === 409 || status === 412) {
    return new Failure('conflict', 'the data was changed by another request at the same time', {
      code: issues.includes('multiple-matches') ? 'duplicate_in_backend' : 'version_conflict',
      cause,
    });
  }
  if (status === 413) return new Failure('invalid', 'the data is too large', { code: 'payload_too_large', cause });
  if (status === 429 || (status === 503 && retryAfter !== undefined)) {
    const wait = parseRetryAfter(retryAfter);
    return new Failure('overloaded', 'the FHIR server is overloaded', { retryAfter: wait, cause });
  }
  if (status === 401 || status === 403) {
    return new Failure('unavailable', 'the FHIR server rejects the credentials', { code: 'backend_auth', cause });
  }
  if (write && (status === 400 || status === 422) && issues.some((issue) => aboutContent.has(issue))) {
    return new Failure('invalid', 'the institution’s system refuses the data', { code: 'rejected_by_backend', cause });
  }
  if (write && status >= 500 && status !== 501 && status !== 503) {
    return new Failure('outcome_unknown', 'the FHIR server failed during a write', { cause });
  }
  if (status >= 500) return new Failure('unavailable', 'the FHIR server reports an error', { cause });
  return new Failure('bad_answer', 'the FHIR server rejects the request', { cause });
}

/** The issue codes of an OperationOutcome; none when it is something else. */
export function listIssueCodes(outcome: unknown): string[] {
  if (!isObject(outcome) || outcome.resourceType !== 'OperationOutcome' || !Array.isArray(outcome.issue)) return [];
  return outcome.issue.filter(isObject).map(({ code }) => String(code));
}

function parseRetryAfter(retryAfter: string | undefined): number {
  const seconds = Number(retryAfter);
  const wait = Number.isFinite(seconds) ? seconds : (Date.parse(retryAfter ?? '') - Date.now()) / 1000;
  return Math.min(Math.max(Math.ceil(Number.isFinite(wait) ? wait : 1), 1), MAX_RETRY_AFTER);
}

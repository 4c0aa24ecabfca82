import { isObject } from '../../../src/http-client/answer-size.ts';
import { parseRetryAfter } from '../../../src/http-client/failures.ts';
import { Failure, type FailureKind } from '../../../src/ports/index.ts';
import { readWords } from './words.ts';

/** The code of PostgreSQL and Medplum for a transaction that conflicted with another and was not executed. */
const SERIALIZATION_FAILURE = '40001';

/** Issue codes of a FHIR server that has no such resource. */
const gone = ['not-found', 'deleted'];

/**
 * Issue codes for missing access rights. A proxy's page with such a status may come after the server executed the
 * request.
 */
const refused = ['security', 'login', 'expired', 'forbidden'];

/** Issue codes without a specific cause. Medplum reports a failed COMMIT as `invalid`. */
const vague = ['invalid', 'transient', 'lock-error', 'no-store', 'exception', 'timeout', 'incomplete', 'throttled'];

/** Network error codes in server texts. Medplum sends them with 400 when its database is down. */
const awayWords = /\b(?:E(?:CONN(?:REFUSED|RESET|ABORTED)|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|AI_AGAIN)|ENOTFOUND)\b/;

/** The code of a write that the server reports as rejected. A look must confirm it. */
const REFUSED = 'rejected_by_backend';

/**
 * The kind of a request: a read, a write to a path without an id (a create, a transaction), or a write to an existing
 * resource. `entry` is an entry of a transaction with its own result.
 */
export type Sent = 'read' | 'new' | 'known' | 'entry';

/** The relevant parts of an OperationOutcome, without the server's texts. */
export interface OperationOutcome {
  readonly codes: readonly string[];
  /** True if an error names an element of the request, so the content was rejected. */
  readonly namesElement: boolean;
  /** True if a system behind the server does not answer. */
  readonly isAway: boolean;
  /** True if a conflict with a parallel write prevented any execution. The request may be sent again. */
  readonly isSerializationFailure: boolean;
  /** The parameters in its errors, e.g. `_include`. */
  readonly names: readonly string[];
  /** The server's error texts without possible values. Undefined if nothing is left. */
  readonly words: string | undefined;
}

/** The cause of a failure with a status: for the log, `/readyz` and `doctor`. */
export interface StatusCause {
  /** `HTTP_` and the status. */
  readonly code: string;
  /** The server's issue code, and its text without values. */
  readonly said?: string;
  readonly names?: readonly string[];
}

/** The code of a transaction that the server executed only partly. */
export const NON_ATOMIC_TRANSACTION = 'non_atomic_transaction';

/** True if only a part of a transaction was executed, which is a permanent fault. */
export const isNonAtomicTransaction = (error: unknown): boolean =>
  error instanceof Failure && error.code === NON_ATOMIC_TRANSACTION;

/**
 * The failure for a status other than 2xx, of an answer or of an entry in a transaction. For a write, only proof that
 * nothing was executed counts: a 503 may come after the commit.
 */
export function toStatusFailure(
  status: number,
  outcome: OperationOutcome,
  sent: Sent,
  { retryAfter, at }: { readonly retryAfter?: string | undefined; readonly at?: string | undefined } = {},
): Failure {
  const { names, words, codes } = outcome;
  const said = [codes.find(isIssueCode), words].filter((each) => each !== undefined).join(': ');
  const cause: StatusCause = {
    code: `HTTP_${status}`,
    ...(said !== '' && { said }),
    ...(names.length > 0 && { names }),
  };
  const isOneOf = (some: readonly string[]) => codes.some((code) => some.includes(code));
  const needsNoProof = sent === 'read' || sent === 'entry';
  const proven = needsNoProof || isOneOf(status === 403 ? refused : sent === 'known' ? gone : []);
  const meaning = meanings.find((each) => each.statuses.includes(status) && each.of(sent, proven));
  if (meaning) {
    const { kind, message, code } = meaning;
    const wait = kind === 'overloaded' ? { retryAfter: parseRetryAfter(retryAfter) } : {};
    const told = codes.includes('multiple-matches') && kind === 'conflict' ? 'duplicate_in_backend' : code;
    return new Failure(kind, message, { code: told, cause, ...wait, ...(kind === 'bad_answer' && { at }) });
  }
  if (sent !== 'read') {
    const isRefusal = status === 400 || status === 422;
    if (isRefusal && outcome.namesElement) return toRefusal(cause);
    const saysSo = codes.length > 0 && !outcome.isAway && (status === 422 || !isOneOf(vague));
    const code = isRefusal && saysSo ? { code: REFUSED } : {};
    return new Failure('outcome_unknown', 'the FHIR server failed during a write', { ...code, cause });
  }
  if (status === 503 && retryAfter !== undefined)
    return new Failure('overloaded', 'the FHIR server is overloaded', {
      retryAfter: parseRetryAfter(retryAfter),
      cause,
    });
  if (status >= 500 || outcome.isAway)
    return new Failure('unavailable', 'the FHIR server reports an internal error', { cause, at });
  return new Failure('bad_answer', 'the FHIR server does not accept a request of the gateway', { cause, at });
}

/** The meaning of a status as proof that nothing was executed. */
interface StatusMeaning {
  readonly statuses: readonly number[];
  /** @param proven true if the status comes from the server itself, or if no proof is needed. */
  readonly of: (sent: Sent, proven: boolean) => boolean;
  readonly kind: FailureKind;
  readonly message: string;
  readonly code?: string;
}

const always = () => true;
const onlyProven = (_sent: Sent, proven: boolean) => proven;
const ofWrites = (sent: Sent) => sent !== 'read';

/** The statuses with a certain meaning. After any other status of a write, the adapter looks for its effect. */
const meanings: readonly StatusMeaning[] = [
  { statuses: [404, 410], of: onlyProven, kind: 'not_found', message: 'the resource does not exist' },
  {
    ...{ statuses: [409, 412], of: ofWrites, kind: 'conflict', code: 'version_conflict' },
    message: 'the data was changed by another request at the same time',
  },
  {
    ...{ statuses: [413], of: ofWrites, kind: 'invalid', code: 'payload_too_large' },
    message: 'the data is too large',
  },
  {
    ...{ statuses: [405, 415], of: ofWrites, kind: 'bad_answer' },
    message: 'the FHIR server does not support this kind of write',
  },
  { statuses: [423], of: ofWrites, kind: 'overloaded', message: 'the FHIR server has locked the resource' },
  { statuses: [429], of: always, kind: 'overloaded', message: 'the FHIR server is overloaded' },
  {
    ...{ statuses: [401], of: always, kind: 'unavailable', code: 'backend_auth' },
    message: 'the FHIR server rejects the credentials of the gateway',
  },
  {
    ...{ statuses: [403], of: onlyProven, kind: 'unavailable', code: 'forbidden' },
    message: 'the FHIR server denies this to the gateway',
  },
];

/**
 * True if the server reports that it rejected a write, without naming an element. If a look does not find the write, it
 * was not executed.
 */
export const isRefused = (error: unknown): error is Failure =>
  error instanceof Failure && error.kind === 'outcome_unknown' && error.code === REFUSED;

export const toRefusal = (cause: unknown): Failure =>
  new Failure('invalid', 'the institution’s system refuses the data', { code: REFUSED, cause });

/** Parses an OperationOutcome. Any other body gives an empty one. */
export function parseOutcome(body: unknown): OperationOutcome {
  const isOutcome = isObject(body) && body.resourceType === 'OperationOutcome';
  const issues = isOutcome ? toList(body.issue).filter(isObject) : [];
  const errors = issues.filter(({ severity }) => severity === 'error' || severity === 'fatal');
  const codings = issues.flatMap(({ details }) => (isObject(details) ? toList(details.coding) : [])).filter(isObject);
  return {
    codes: issues.map(({ code }) => String(code)),
    namesElement: errors.some((each) => toList(each.expression ?? each.location).length > 0),
    isAway: awayWords.test(JSON.stringify(errors.map(({ details, diagnostics }) => [details, diagnostics]))),
    isSerializationFailure: codings.some(({ code }) => code === SERIALIZATION_FAILURE),
    ...readWords(errors.flatMap(({ details, diagnostics }) => [isObject(details) ? details.text : '', diagnostics])),
  };
}

/** Issue codes of a search that failed in part. */
const partial = [
  ...['incomplete', 'timeout', 'exception', 'transient', 'lock-error', 'no-store', 'throttled', 'too-costly'],
  ...['security', 'login', 'expired', 'forbidden', 'suppressed'],
];

/**
 * True if this outcome among the matches of a search states that some are missing. R4 forbids errors there, but servers
 * without an answer of a part of their data return them.
 */
export function statesMissing(resource: unknown): boolean {
  const issues = isObject(resource) ? toList(resource.issue).filter(isObject) : [];
  return issues.some(({ severity, code }) =>
    severity === 'error' || severity === 'fatal'
      ? partial.includes(String(code))
      : severity === 'warning' && code === 'incomplete',
  );
}

/** Codes of FHIR's value set issue-type are lower-case words with hyphens. */
const isIssueCode = (code: string): boolean => /^[a-z]{3,12}(-[a-z]{3,12})?$/.test(code);

const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The seconds until an exhausted quota is available again, from the header `RateLimit`. The longest counts. */
export function readRateLimit(header: string): string | undefined {
  const quotas = header.split(',').flatMap((each) => {
    const [, wait] = /;\s*t=(\d+)/.exec(each) ?? [];
    return wait === undefined ? [] : [{ wait: Number(wait), isExhausted: /;\s*r=0\b/.test(each) }];
  });
  const exhausted = quotas.filter(({ isExhausted }) => isExhausted);
  const waits = (exhausted.length > 0 ? exhausted : quotas).map(({ wait }) => wait);
  return waits.length > 0 ? String(Math.max(...waits)) : undefined;
}

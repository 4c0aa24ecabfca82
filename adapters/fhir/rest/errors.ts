import { isObject } from '../../../src/http-client/answer-size.ts';
import { parseRetryAfter } from '../../../src/http-client/failures.ts';
import { Failure, type FailureKind } from '../../../src/ports/index.ts';
import { readWords } from './words.ts';

/** How PostgreSQL, and Medplum with it, says that a transaction met another and was not executed. */
const SERIALIZATION_FAILURE = '40001';

/** Issue codes of a FHIR server that has no such resource. */
const gone = ['not-found', 'deleted'];

/** Issue codes of a FHIR server that does not let us do it; a page of a proxy may come after the server did it. */
const refused = ['security', 'login', 'expired', 'forbidden'];

/** Issue codes that say no more than that something went wrong; Medplum says `invalid` of a COMMIT that failed. */
const vague = ['invalid', 'transient', 'lock-error', 'no-store', 'exception', 'timeout', 'incomplete', 'throttled'];

/** What servers repeat of the network behind them, as Medplum does with 400 when its database is away. */
const awayWords = /\b(?:E(?:CONN(?:REFUSED|RESET|ABORTED)|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|AI_AGAIN)|ENOTFOUND)\b/;

/** The code of a write that the server says it refused; a look has to show that it is not there. */
const REFUSED = 'rejected_by_backend';

/**
 * A read, a write to a path without an id (a create, a transaction), a write to a resource that is known, or an entry of a
 * transaction of which the server says in its answer what became of it.
 */
export type Sent = 'read' | 'new' | 'known' | 'entry';

/** What counts of an OperationOutcome; nothing of the server's words. */
export interface OperationOutcome {
  readonly codes: readonly string[];
  /** An error names an element of what was sent, so it was refused for its content. */
  readonly namesElement: boolean;
  /** What the server itself works with does not answer it. */
  readonly isAway: boolean;
  /** Nothing was executed, because another write was executed at the same time; it may be sent again. */
  readonly isSerializationFailure: boolean;
  /** The parameters that its errors name, as `_include`. */
  readonly names: readonly string[];
  /** The words of the server's errors, without those that can be values; undefined when none is left. */
  readonly words: string | undefined;
}

/** The cause of a failure whose answer has a status: for the log, `/readyz` and `doctor`. */
export interface StatusCause {
  /** `HTTP_` and the status. */
  readonly code: string;
  /** The issue code of the server, and its words without values. */
  readonly said?: string;
  readonly names?: readonly string[];
}

/** The code of a transaction of which the server executed only a part. */
export const NON_ATOMIC_TRANSACTION = 'non_atomic_transaction';

/** Whether only a part of a transaction was executed, so that its outcome is wrong for good. */
export const isNonAtomicTransaction = (error: unknown): boolean =>
  error instanceof Failure && error.code === NON_ATOMIC_TRANSACTION;

/**
 * The failure that a status other than 2xx stands for, of an answer or of an entry in a transaction. Of a write only what
 * proves that nothing was done is taken at its word: a 503, for one, may come after the commit.
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
    return new Failure('unavailable', 'the FHIR server reports an error of its own', { cause, at });
  return new Failure('bad_answer', 'the FHIR server does not accept a request of the gateway', { cause, at });
}

/** What a status says of what was sent, and that nothing was done. */
interface StatusMeaning {
  readonly statuses: readonly number[];
  /** @param proven whether it is of the server itself, or of a request after which nothing is left to prove. */
  readonly of: (sent: Sent, proven: boolean) => boolean;
  readonly kind: FailureKind;
  readonly message: string;
  readonly code?: string;
}

const always = () => true;
const onlyProven = (_sent: Sent, proven: boolean) => proven;
const ofWrites = (sent: Sent) => sent !== 'read';

/** What the statuses mean that leave no doubt; of any other a write has to be looked for. */
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
    message: 'the FHIR server does not take this kind of write',
  },
  { statuses: [423], of: ofWrites, kind: 'overloaded', message: 'the FHIR server has locked the resource' },
  { statuses: [429], of: always, kind: 'overloaded', message: 'the FHIR server is overloaded' },
  {
    ...{ statuses: [401], of: always, kind: 'unavailable', code: 'backend_auth' },
    message: 'the FHIR server rejects the credentials of the gateway',
  },
  {
    ...{ statuses: [403], of: onlyProven, kind: 'unavailable', code: 'forbidden' },
    message: 'the FHIR server forbids this to the gateway',
  },
];

/** Whether the server says that it refused a write, though not for which element: it was not done if it is not there. */
export const isRefused = (error: unknown): error is Failure =>
  error instanceof Failure && error.kind === 'outcome_unknown' && error.code === REFUSED;

export const toRefusal = (cause: unknown): Failure =>
  new Failure('invalid', 'the institution’s system refuses the data', { code: REFUSED, cause });

/** Reads an OperationOutcome; something else says nothing. */
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

/** Codes of FHIR's value set issue-type are lower-case words with hyphens. */
const isIssueCode = (code: string): boolean => /^[a-z]{3,12}(-[a-z]{3,12})?$/.test(code);

const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The seconds until an exhausted quota is whole again, as the header `RateLimit` has them; of several the longest. */
export function readRateLimit(header: string): string | undefined {
  const quotas = header.split(',').flatMap((each) => {
    const [, wait] = /;\s*t=(\d+)/.exec(each) ?? [];
    return wait === undefined ? [] : [{ wait: Number(wait), isExhausted: /;\s*r=0\b/.test(each) }];
  });
  const exhausted = quotas.filter(({ isExhausted }) => isExhausted);
  const waits = (exhausted.length > 0 ? exhausted : quotas).map(({ wait }) => wait);
  return waits.length > 0 ? String(Math.max(...waits)) : undefined;
}

import { Failure, type FailureKind } from '../ports/index.ts';
import type { Operation, Place } from './operation.ts';
import {
  type Fault,
  faultParts,
  getProblemPath,
  isProblemCode,
  type Problem,
  type ProblemCode,
  problemOfKind,
  problems,
} from './problems.ts';

export interface RejectionDetails {
  /** The event, in sentences without values. Default: the general text of the problem. */
  readonly happened?: string | undefined;
  /** The caller's next step. Default: the general text of the problem. */
  readonly advice?: string | undefined;
  readonly faults?: readonly Fault[] | undefined;
  /** Seconds until the caller should try again. */
  readonly retryAfter?: number | undefined;
  /** Headers of the response, e.g. `Allow`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly cause?: unknown;
  /** True if an earlier request exceeded the same limit. It is then counted without its own log line. */
  readonly repeated?: boolean | undefined;
  /** The place of a wrong value in an adapter's answer, for the log only. */
  readonly at?: string | undefined;
}

/** A request that ends in a problem: the only error that leaves `perform`. */
export class Rejection extends Error {
  override readonly name = 'Rejection';
  readonly code: ProblemCode;
  readonly details: RejectionDetails;
  /** A stable reason code for the log and the operator. The caller must not see it. */
  readonly reason: string | undefined;

  constructor(code: ProblemCode, details: RejectionDetails = {}, reason?: string) {
    super(code, { cause: details.cause });
    this.code = code;
    this.details = details;
    this.reason = reason;
  }
}

/** The kinds of failure whose message is sent to the caller. */
const publicKinds: ReadonlySet<FailureKind> = new Set(['invalid', 'not_found', 'conflict', 'unsupported']);

/** Maps a handler's error to the caller's problem. A backend's error never appears as the caller's. */
export function toRejection(error: unknown, operation: Operation): Rejection {
  if (error instanceof Rejection) return error;
  if (!(error instanceof Failure)) return new Rejection('internal_error', { cause: error });
  const code = error.code !== undefined && isProblemCode(error.code) ? error.code : problemOfKind[error.kind];
  return new Rejection(code, {
    happened: publicKinds.has(error.kind) ? formatSentence(error.message) : undefined,
    faults: error.kind === 'invalid' ? [toFault(error, operation)] : undefined,
    retryAfter: error.retryAfter,
    cause: error,
    at: error.kind === 'bad_answer' || error.kind === 'outcome_unknown' ? error.at : undefined,
  });
}

const idempotencyKey: Place = 'header /Idempotency-Key';

function toFault({ at, message }: Failure, operation: Operation): Fault {
  const places: Readonly<Record<string, Place>> = { idempotencyKey, ...operation.places };
  const place = (at && Object.hasOwn(places, at) && places[at]) || 'body /';
  const [, pointer = ''] = place.split(' ');
  const part = faultParts.find((each) => place.startsWith(`${each} `)) ?? 'body';
  return { in: part, at: pointer === '/' ? '' : pointer, message };
}

const formatSentence = (message: string): string =>
  `${message.charAt(0).toUpperCase()}${message.slice(1).replace(/\.$/, '')}.`;

/**
 * The statuses of `compat.strictStatusCodes` that replace those outside the API document for coverages and carriers.
 */
const listedStatuses: Readonly<Record<number, number>> = { 400: 422, 502: 500, 503: 500, 504: 500 };

/** The problem details (RFC 9457) of a rejection. `basePath` is the prefix of the gateway's own pages. */
export function toProblemBody(rejection: Rejection, requestId: string, basePath: string, strict = false): Problem {
  const { status, title, ...general } = problems[rejection.code];
  const { happened = general.happened, advice = general.advice, faults } = rejection.details;
  return {
    type: `${basePath}${getProblemPath(rejection.code)}`,
    title,
    status: strict ? (listedStatuses[status] ?? status) : status,
    detail: `${happened} ${advice}`,
    instance: `urn:puente:request:${encodeURIComponent(requestId)}`,
    code: rejection.code,
    ...(faults && { errors: faults }),
  };
}

import { Failure } from '../ports/index.ts';
import type { Operation, Place } from './operation.ts';
import { type Fault, getProblemPath, type Problem, type ProblemCode, problemOfKind, problems } from './problem.ts';

export interface RejectionDetails {
  /** One sentence about this occurrence, without values. Default: what the problem means in general. */
  readonly detail?: string | undefined;
  readonly faults?: readonly Fault[] | undefined;
  /** Seconds until the caller should try again. */
  readonly retryAfter?: number | undefined;
  /** Headers that belong to the problem, e.g. `Allow`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly cause?: unknown;
  /** Where an answer did not fit its schema; for the log only. */
  readonly at?: string | undefined;
}

/** A request that ends in a problem: the only error that leaves `perform`. */
export class Rejection extends Error {
  override readonly name = 'Rejection';
  readonly code: ProblemCode;
  readonly details: RejectionDetails;

  constructor(code: ProblemCode, details: RejectionDetails = {}) {
    super(code, { cause: details.cause });
    this.code = code;
    this.details = details;
  }
}

const told: ReadonlySet<string> = new Set(['invalid', 'not_found', 'conflict', 'unsupported']);

/** What the caller is told about an error that a handler threw. A backend's trouble is never shown as the caller's fault. */
export function toRejection(error: unknown, operation: Operation): Rejection {
  if (error instanceof Rejection) return error;
  if (!(error instanceof Failure)) return new Rejection('internal_error', { cause: error });
  const code = error.code && error.code in problems ? (error.code as ProblemCode) : problemOfKind[error.kind];
  return new Rejection(code, {
    detail: told.has(error.kind) ? error.message : undefined,
    faults: error.kind === 'invalid' ? [toFault(error, operation)] : undefined,
    retryAfter: error.retryAfter,
    cause: error,
    at: error.kind === 'bad_answer' ? error.at : undefined,
  });
}

function toFault({ at, message }: Failure, operation: Operation): Fault {
  const place: Place = (at && operation.places?.[at]) || 'body /';
  const [part, pointer] = place.split(' ') as [Fault['in'], string];
  return { in: part, at: pointer === '/' ? '' : pointer, message };
}

/** The statuses that the document lists for coverages and carriers have no room for these: `compat.strictStatusCodes`. */
const folded: Readonly<Record<number, number>> = { 400: 422, 502: 500, 503: 500, 504: 500 };

/** The problem details (RFC 9457) of a rejection. `root` is where the gateway's own pages begin. */
export function toProblemBody(rejection: Rejection, requestId: string, root: string, fold = false): Problem {
  const { status, title, meaning } = problems[rejection.code];
  const { detail = meaning, faults } = rejection.details;
  return {
    type: `${root}${getProblemPath(rejection.code)}`,
    title,
    status: fold ? (folded[status] ?? status) : status,
    detail,
    instance: `urn:puente:request:${encodeURIComponent(requestId)}`,
    code: rejection.code,
    ...(faults && { errors: faults }),
  };
}

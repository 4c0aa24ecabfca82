import type { FailureKind } from '../ports/index.ts';
import type { ProblemCode } from './problem-types.ts';

/** The problem for each kind of failure, unless the failure has a code of its own. */
export const problemOfKind: Readonly<Record<FailureKind, ProblemCode>> = {
  invalid: 'validation',
  not_found: 'not_found',
  conflict: 'conflict',
  unsupported: 'not_implemented',
  unavailable: 'backend_unavailable',
  timeout: 'backend_timeout',
  bad_answer: 'backend_invalid_response',
  outcome_unknown: 'backend_outcome_unknown',
  overloaded: 'overloaded',
};

/** One invalid value in a request. `at` is a JSON pointer (RFC 6901) in a body, else `/` and the name of the parameter. */
export interface Fault {
  readonly in: 'body' | 'query' | 'path' | 'header';
  readonly at: string;
  readonly message: string;
}

/** The body of an error response: problem details, RFC 9457. */
export interface Problem {
  /** A URI reference to the page that explains the problem. */
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  /** The request id as a URN, `urn:puente:request:<id>`. */
  readonly instance: string;
  readonly code: ProblemCode;
  readonly errors?: readonly Fault[];
}

/** The path of the page that explains the problem, below the base path. */
export const getProblemPath = (code: ProblemCode): string => `/problems/${code}`;

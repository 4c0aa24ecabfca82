import type { FailureKind } from '../ports/index.ts';

interface ProblemType {
  readonly status: number;
  readonly title: string;
  /** What happened and what to do about it: the text of the problem's own page. */
  readonly meaning: string;
}

/** Every problem that the gateway can answer with, by its stable code. The only table from problems to statuses. */
export const problems = {
  malformed_request: {
    status: 400,
    title: 'The request cannot be read',
    meaning:
      'The path, the headers or the body break the rules of HTTP or JSON: a body that is not JSON in UTF-8, that nests deeper than 20 levels or has more than 2,000 values, or a percent sign without two hexadecimal digits. Nothing was done. Mend the request before sending it again.',
  },
  unauthenticated: {
    status: 401,
    title: 'A valid bearer token is needed',
    meaning:
      'The Authorization header is missing, or its token is unknown, expired or not meant for this gateway. For safety the answer does not say which. Ask the institution for a token.',
  },
  insufficient_scope: {
    status: 403,
    title: 'The token does not allow this',
    meaning:
      'The token is valid but lacks the scope of this operation, which the WWW-Authenticate header names. Ask the institution to add the scope.',
  },
  not_found: {
    status: 404,
    title: 'There is no such thing',
    meaning: 'The patient, or another thing that the request is about, does not exist, or is not the patient’s.',
  },
  route_unknown: {
    status: 404,
    title: 'There is no such path',
    meaning: 'No operation has this path. Paths are case-sensitive. The documentation page lists all of them.',
  },
  no_main_practitioner: {
    status: 404,
    title: 'The patient has no main practitioner',
    meaning: 'The patient exists, but the institution has assigned nobody as main practitioner yet.',
  },
  no_change_request: {
    status: 404,
    title: 'The patient has no change request',
    meaning: 'The patient exists, but never asked to change the main practitioner.',
  },
  method_not_allowed: {
    status: 405,
    title: 'The path does not take this method',
    meaning: 'The Allow header lists the methods that this path takes.',
  },
  not_acceptable: {
    status: 406,
    title: 'Answers are JSON',
    meaning: 'The Accept header excludes application/json, and the gateway answers in nothing else.',
  },
  conflict: {
    status: 409,
    title: 'The present state forbids it',
    meaning: 'The request contradicts what the institution has on record now. Read the thing again, then decide.',
  },
  slot_taken: {
    status: 409,
    title: 'The slot has been taken',
    meaning:
      'The slot exists but is no longer free. Nothing was booked. Search the available slots again and offer another.',
  },
  not_cancelable: {
    status: 409,
    title: 'The appointment cannot be canceled any more',
    meaning: 'It is past, or too near for the institution’s rules. The patient should call the institution.',
  },
  identity_conflict: {
    status: 409,
    title: 'The identifier belongs to somebody else',
    meaning:
      'A patient with this identifier is on record with another birth date or gender. Nothing was changed. Check the identity document, and let the institution correct its record if that is the one that is wrong.',
  },
  change_request_open: {
    status: 409,
    title: 'A change request is in progress',
    meaning: 'The institution still works on the patient’s earlier request to change the main practitioner.',
  },
  relation_exists: {
    status: 409,
    title: 'The relation exists',
    meaning: 'The patient’s family group already has this relative. Remove the member first to change the relation.',
  },
  coverage_exists: {
    status: 409,
    title: 'The coverage exists',
    meaning: 'The beneficiary already has an active coverage with this credential number.',
  },
  payload_too_large: {
    status: 413,
    title: 'The body is too large',
    meaning: 'Bodies are limited to 64 KiB, and to 10 MiB where a ticket is filed.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Bodies are JSON in UTF-8',
    meaning: 'Send the body with Content-Type: application/json.',
  },
  validation: {
    status: 422,
    title: 'Some values do not fit',
    meaning:
      'The list `errors` says where each fault lies and what is wrong with it. The values themselves are not repeated, so that they end up in no log. Nothing was done.',
  },
  slot_unknown: {
    status: 422,
    title: 'There is no such slot',
    meaning:
      'The institution offers no slot of that service and practitioner at that time. Search the available slots.',
  },
  nonexistent_local_time: {
    status: 422,
    title: 'That time does not exist',
    meaning: 'A change of the clocks skips this local time in the institution’s zone.',
  },
  search_too_wide: {
    status: 422,
    title: 'Too many matches',
    meaning: 'More than 50 patients match. Narrow the search.',
  },
  headers_too_large: {
    status: 431,
    title: 'The request headers are too large',
    meaning: 'Path and headers together are limited, to 16 KiB unless the gateway’s configuration says otherwise.',
  },
  request_timeout: {
    status: 408,
    title: 'The request came too slowly',
    meaning: 'Headers and body must arrive within the time that the gateway’s configuration allows.',
  },
  internal_error: {
    status: 500,
    title: 'The gateway has a fault',
    meaning: 'Something happened that should not. Report the request id to the institution: its log has the place.',
  },
  not_implemented: {
    status: 501,
    title: 'This institution does not offer the operation',
    meaning: 'The system behind the gateway cannot do this. GET /capabilities lists what it offers.',
  },
  backend_unavailable: {
    status: 502,
    title: 'The institution’s system cannot be reached',
    meaning: 'The system behind the gateway refuses, fails or cannot be reached. Nothing was done. Try again later.',
  },
  backend_invalid_response: {
    status: 502,
    title: 'The institution’s system answered nonsense',
    meaning: 'The system behind the gateway sent an answer that cannot be understood.',
  },
  overloaded: {
    status: 503,
    title: 'Too much to do',
    meaning: 'The gateway or the system behind it sheds load. Try again after the time in Retry-After.',
  },
  draining: {
    status: 503,
    title: 'The gateway is stopping',
    meaning: 'This process finishes what it has begun and takes nothing new. Another process will take the request.',
  },
  auth_provider_unavailable: {
    status: 503,
    title: 'Tokens cannot be checked now',
    meaning: 'The keys of the token issuer cannot be fetched. The token may well be right: try again later.',
  },
  backend_timeout: {
    status: 504,
    title: 'The institution’s system did not answer in time',
    meaning: 'The deadline passed. Nothing was changed. Try again later.',
  },
  backend_outcome_unknown: {
    status: 504,
    title: 'It is not known whether it was done',
    meaning:
      'The request reached the institution’s system, but its answer was lost. Read the data back before repeating it, or repeat it with the same Idempotency-Key.',
  },
} as const satisfies Record<string, ProblemType>;

export type ProblemCode = keyof typeof problems;
export const problemCodes = Object.keys(problems) as ProblemCode[];

/** The problem that a failure of this kind is, unless its code says more. */
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

/** One fault in a request. `at` is a JSON pointer (RFC 6901) in a body, else `/` and the name of the parameter. */
export interface Fault {
  readonly in: 'body' | 'query' | 'path' | 'header';
  readonly at: string;
  readonly message: string;
}

/** The body of an error answer: problem details, RFC 9457. */
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

/** The page of this gateway that explains the problem, below the base path. */
export const getProblemPath = (code: ProblemCode): string => `/problems/${code}`;

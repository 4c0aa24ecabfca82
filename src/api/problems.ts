import type { FailureKind } from '../ports/index.ts';

interface ProblemType {
  readonly status: number;
  /**
   * False if an attempt under a key was not executed, so that the key stays free. Problems of earlier steps omit it.
   */
  readonly executed?: boolean;
  readonly title: string;
  /** The general event. An occurrence may be more specific. */
  readonly happened: string;
  /** The effect, and the caller's next step. */
  readonly advice: string;
}

/** Every problem type (RFC 9457) of the gateway, by its stable code, with its status unless a setting maps it. */
export const problems = {
  malformed_request: {
    status: 400,
    title: 'Malformed request',
    happened:
      'The request violates the rules of HTTP or JSON. Examples are a body that is not JSON in UTF-8, or has more than 20 levels or 2,000 values, and an invalid percent-encoding in the path.',
    advice: 'Nothing was changed. Correct the request before sending it again.',
  },
  idempotency_key_required: {
    status: 400,
    title: 'Idempotency-Key required',
    happened: 'This institution requires an Idempotency-Key for the operation.',
    advice:
      'Nothing was changed. Send a new key with every new request, and repeat a key only with the unchanged request.',
  },
  unauthenticated: {
    status: 401,
    title: 'Unauthorized',
    happened:
      'The Authorization header is missing, or its token is not valid: unknown, expired or for another service.',
    advice: 'Nothing was changed. Send a valid bearer token; the institution issues it.',
  },
  insufficient_scope: {
    status: 403,
    title: 'Insufficient scope',
    happened: 'The token is valid but lacks the scope of this operation, which the WWW-Authenticate header names.',
    advice: 'Nothing was changed. Ask the institution to grant the scope.',
  },
  forbidden: {
    status: 403,
    executed: false,
    title: 'Forbidden by the institution',
    happened:
      'The institution’s system works, but does not allow the gateway to read or change this record or kind of record.',
    advice: 'Nothing was changed. A repetition does not help: ask the institution to allow it.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    happened:
      'The patient, or another resource that the request names, does not exist or does not belong to the patient.',
    advice: 'Nothing was changed. Check the ids with a search or a list.',
  },
  route_unknown: {
    status: 404,
    title: 'Unknown route',
    happened: 'No operation has this path. Paths are case-sensitive.',
    advice: 'Nothing was changed. The documentation page, /docs, lists all paths.',
  },
  no_main_practitioner: {
    status: 404,
    title: 'No main practitioner',
    happened: 'The patient exists, but the institution has not assigned a main practitioner yet.',
    advice: 'Treat this as an empty result.',
  },
  no_change_request: {
    status: 404,
    title: 'No change request',
    happened: 'The patient exists, but has never requested another main practitioner.',
    advice: 'Treat this as an empty result.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    happened: 'The path exists but does not support this method.',
    advice: 'Nothing was changed. Use one of the methods that the Allow header lists.',
  },
  not_acceptable: {
    status: 406,
    title: 'Not acceptable',
    happened: 'The Accept header excludes application/json, the only format of the responses.',
    advice: 'Nothing was changed. Accept application/json.',
  },
  conflict: {
    status: 409,
    title: 'Conflict',
    happened: 'The request conflicts with the current state of the institution’s data.',
    advice: 'Nothing was changed. Read the data again before you decide whether to repeat the request.',
  },
  slot_taken: {
    status: 409,
    title: 'Slot taken',
    happened: 'The slot exists but is no longer free.',
    advice:
      'Nothing was booked. Search the available slots again and offer another one. If you repeat a booking whose answer was lost, first read the patient’s appointments.',
  },
  not_cancelable: {
    status: 409,
    title: 'Appointment not cancelable',
    happened:
      'The appointment is past, also belongs to other patients, or is too near for a cancellation by the institution’s rules.',
    advice: 'Nothing was changed. The patient should contact the institution.',
  },
  identity_conflict: {
    status: 409,
    title: 'Identity conflict',
    happened: 'The identifier is on record for another patient, or with another birth date or gender.',
    advice:
      'Nothing was changed. Check the identity document; if the institution’s record is wrong, ask the institution to correct it.',
  },
  change_request_open: {
    status: 409,
    title: 'Change request in progress',
    happened: 'The patient’s earlier request to change the main practitioner is still in progress.',
    advice: 'No new request was made. Wait until the institution has processed it.',
  },
  relation_exists: {
    status: 409,
    title: 'Relationship already exists',
    happened: 'The relative is already a member of the patient’s family group.',
    advice: 'Nothing was changed. To change the relationship, remove the member first.',
  },
  coverage_exists: {
    status: 409,
    title: 'Coverage already exists',
    happened: 'The beneficiary already has an active coverage with this credential number.',
    advice: 'Nothing was changed. Use or edit that coverage.',
  },
  idempotency_key_in_use: {
    status: 409,
    title: 'Idempotency-Key in use',
    happened: 'An earlier request with this Idempotency-Key is still running.',
    advice:
      'This request was not executed. Repeat it after the time in Retry-After: it then gets the response of the earlier one.',
  },
  precondition_failed: {
    status: 412,
    executed: false,
    title: 'Precondition failed',
    happened: 'The record was changed since the version that If-Match names.',
    advice: 'Nothing was changed. Read the record again, apply the change to it, and send its ETag.',
  },
  payload_too_large: {
    status: 413,
    title: 'Payload too large',
    happened: 'The body exceeds the limit of 64 KiB, or of 10 MiB for a ticket.',
    advice: 'Nothing was changed. Send a smaller body.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    happened: 'The body is not declared as JSON in UTF-8.',
    advice: 'Nothing was changed. Send it with Content-Type: application/json.',
  },
  validation: {
    status: 422,
    executed: false,
    title: 'Validation failed',
    happened: 'One or more values are invalid: `errors` lists the place and the fault of each one.',
    advice: 'Nothing was changed. Correct the values before sending the request again.',
  },
  slot_unknown: {
    status: 422,
    title: 'Unknown slot',
    happened: 'The institution offers no slot of this service and practitioner at this time.',
    advice: 'Nothing was booked. Search the available slots. Days beyond the booking horizon have none.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency-Key reused',
    happened: 'An earlier request with this Idempotency-Key had another path or another body.',
    advice:
      'Nothing was changed. Send a new key with every new request, and repeat a key only with the unchanged request.',
  },
  nonexistent_local_time: {
    status: 422,
    title: 'Nonexistent local time',
    happened: 'The local time does not exist in the institution’s time zone, because a clock change skips it.',
    advice: 'Nothing was changed. Choose another time.',
  },
  search_too_wide: {
    status: 422,
    title: 'Too many matches',
    happened: 'More than 50 patients match, so none is returned.',
    advice: 'Add criteria to narrow the search.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    happened:
      'The client exceeded its limit of requests, or its address the limit of invalid tokens. RateLimit and RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers-08) contain the limit and its window in seconds.',
    advice: 'Nothing was changed. Try again after the time in Retry-After.',
  },
  headers_too_large: {
    status: 431,
    title: 'Request header fields too large',
    happened:
      'The request line and the headers together exceed the limit, 16 KiB unless the gateway is configured otherwise.',
    advice: 'Nothing was changed. Send fewer or shorter headers.',
  },
  request_timeout: {
    status: 408,
    title: 'Request timeout',
    happened: 'The headers or the body did not arrive within the time that the gateway’s configuration allows.',
    advice: 'Nothing was changed. Send the request again.',
  },
  internal_error: {
    status: 500,
    title: 'Internal error',
    happened: 'An unexpected error happened in the gateway.',
    advice:
      'It is unknown whether a write took effect: read the data before a retry. Report the request id to the institution, whose log has the place of the error.',
  },
  not_implemented: {
    status: 501,
    executed: false,
    title: 'Not implemented',
    happened: 'This institution does not offer the operation.',
    advice: 'Nothing was changed. GET /capabilities lists what it offers.',
  },
  backend_unavailable: {
    status: 502,
    executed: false,
    title: 'Upstream unavailable',
    happened: 'The institution’s system cannot be reached, refuses the gateway or fails.',
    advice: 'Nothing was changed. Try again later.',
  },
  backend_invalid_response: {
    status: 502,
    title: 'Invalid upstream response',
    happened: 'The institution’s system sent a response that the gateway cannot interpret.',
    advice: 'Read the data before repeating a write. If it happens again, report the request id to the institution.',
  },
  overloaded: {
    status: 503,
    executed: false,
    title: 'Overloaded',
    happened: 'The gateway or the institution’s system has too many requests and rejected this one.',
    advice: 'Nothing was changed. Try again after the time in Retry-After.',
  },
  backend_circuit_open: {
    status: 503,
    executed: false,
    title: 'Upstream failing',
    happened:
      'The institution’s system has failed too often in the last seconds, so that requests of this kind are rejected immediately.',
    advice: 'Nothing was changed. Try again after the time in Retry-After.',
  },
  starting: {
    status: 503,
    executed: false,
    title: 'Starting',
    happened: 'This gateway process waits for a required system, and accepts no requests yet.',
    advice: 'Nothing was changed. Try again after the time in Retry-After.',
  },
  draining: {
    status: 503,
    executed: false,
    title: 'Shutting down',
    happened: 'This gateway process is shutting down. It completes the requests in flight and accepts no new ones.',
    advice: 'Nothing was changed. Try again; another process will accept the request.',
  },
  idempotency_store_unavailable: {
    status: 503,
    executed: false,
    title: 'Idempotency store unavailable',
    happened:
      'The gateway cannot look up Idempotency-Keys now, or has reached its limit of keys. It executes no request with a new key.',
    advice: 'Nothing was changed by this request. Try again with the same key after the time in Retry-After.',
  },
  audit_unavailable: {
    status: 503,
    executed: false,
    title: 'Audit trail unavailable',
    happened: 'The gateway cannot write its audit trail now, and executes no request that requires a record.',
    advice: 'Nothing was changed by this request. Try again after the time in Retry-After.',
  },
  auth_provider_unavailable: {
    status: 503,
    executed: false,
    title: 'Authentication provider unavailable',
    happened: 'The keys of the token issuer cannot be fetched, so the token was not checked and may be valid.',
    advice: 'Nothing was changed. Try again later.',
  },
  backend_timeout: {
    status: 504,
    executed: false,
    title: 'Upstream timeout',
    happened: 'The institution’s system did not respond before the deadline.',
    advice: 'Nothing was changed. Try again later.',
  },
  backend_outcome_unknown: {
    status: 504,
    title: 'Unknown outcome',
    happened: 'The write was sent to the institution’s system, but no response confirmed it: it may have taken effect.',
    advice: 'Read the data before you repeat the request, or repeat it with the same Idempotency-Key.',
  },
  outcome_unresolved: {
    status: 504,
    title: 'Unresolved outcome',
    happened:
      'An earlier request with this Idempotency-Key ended without a known outcome, and the institution’s system cannot determine the outcome.',
    advice:
      'It was not sent again, because it might then happen twice. Read the data, and send missing changes with a new key.',
  },
} as const satisfies Record<string, ProblemType>;

export type ProblemCode = keyof typeof problems;

/** The event, its effect, and the caller's next step. */
export const explainProblem = (code: ProblemCode): string => `${problems[code].happened} ${problems[code].advice}`;

export const isProblemCode = (code: string): code is ProblemCode => Object.hasOwn(problems, code);

export const problemCodes: readonly ProblemCode[] = Object.keys(problems).filter(isProblemCode);

/** The outcome of a write that ended in a problem: it was refused, may be sent again, or may have taken effect. */
export function getOutcome(code: ProblemCode): 'done' | 'untouched' | 'unknown' {
  const { status, executed = true }: ProblemType = problems[code];
  return executed ? (status < 500 ? 'done' : 'unknown') : 'untouched';
}

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

/** The parts of a request that can have a fault. */
export const faultParts = ['body', 'query', 'path', 'header'] as const;

/** One invalid value in a request. `at` is a JSON pointer (RFC 6901) in a body, otherwise `/` and the name of the parameter. */
export interface Fault {
  readonly in: (typeof faultParts)[number];
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

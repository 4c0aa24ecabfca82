import { z } from 'zod';
import type {
  oas31,
  ZodOpenApiOperationObject,
  ZodOpenApiRequestBodyObject,
  ZodOpenApiResponseObject,
  ZodOpenApiResponsesObject,
} from 'zod-openapi';
import type { PortName } from '../ports/index.ts';
import { getGroup } from './index.ts';
import answers from './openapi/answers.json' with { type: 'json' };
import { answersList, buildExample, getPortName, isWrite, type Operation, type Route } from './operation.ts';
import { explainProblem, type Fault, type Problem, type ProblemCode, problemCodes, problems } from './problems.ts';
import { Rejection, toProblemBody } from './rejection.ts';

/** The security of operations that require a token. */
export const bearer = [{ bearerAuth: [] }];

/** The problems that a token can cause. */
export const tokenProblems: readonly ProblemCode[] = [
  'unauthenticated',
  'insufficient_scope',
  'auth_provider_unavailable',
];

type HttpMethod = 'get' | 'post' | 'put' | 'delete';

/** The path and the method of a route, as OpenAPI names them. */
export function parseRoute(route: Route): { path: string; method: HttpMethod } {
  const [method, path] = route.split(' ') as [string, string];
  return { path, method: method.toLowerCase() as HttpMethod };
}

export interface Circumstances {
  readonly now: Date;
  readonly offered: boolean;
  /** It accepts requests without a token. */
  readonly anonymous: boolean;
  /** It accepts no request without an `Idempotency-Key`. */
  readonly keyRequired: boolean;
  readonly problems: ProblemResponses;
}

/** One operation with its parameters, body, response and every problem that it can end in. */
export function describeOperation(
  operation: Operation,
  { now, offered, anonymous, keyRequired, problems }: Circumstances,
): ZodOpenApiOperationObject {
  const example = buildExample(operation, now);
  const path = describeParameters(operation.params, example.params);
  const query = describeParameters(operation.query, example.query);
  return {
    operationId: operation.name,
    tags: [getTag(operation)],
    summary: operation.summary,
    description: formatDescription(operation, offered, anonymous),
    ...(!anonymous && { 'x-required-scope': operation.scope }),
    ...(!offered && { 'x-not-offered': true }),
    security: anonymous ? [] : bearer,
    ...((path || query) && { requestParams: { ...(path && { path }), ...(query && { query }) } }),
    ...(isWrite(operation) && { parameters: [describeKey(keyRequired)] }),
    ...(operation.body && { requestBody: describeRequestBody(operation.name, operation.body, example.body) }),
    responses: { ...describeSuccess(operation), ...problems.describe(listProblems(operation, anonymous, keyRequired)) },
  };
}

function formatDescription({ additions = [], scope }: Operation, offered: boolean, anonymous: boolean): string {
  return [
    ...(offered ? [] : ['**This institution does not offer the operation:** the response is 501.']),
    ...additions.map((addition) => `Addition of this gateway: ${addition}`),
    anonymous ? 'This institution requires no token for it.' : `Requires the scope \`${scope}\`.`,
  ].join('\n\n');
}

function describeParameters(schema: z.ZodObject | undefined, values: Readonly<Record<string, string>> = {}) {
  if (!schema) return undefined;
  const described = Object.entries(schema.shape).map(([name, parameter]) => {
    const description = getParameterDescription(parameter);
    const example = values[name];
    const param = { ...(description && { description }), ...(example !== undefined && { example }) };
    return [name, (parameter as z.ZodType).meta({ param })];
  });
  return z.object(Object.fromEntries(described));
}

/** The description of a schema, or of what is optional in it. */
const getParameterDescription = (schema: z.core.$ZodType): string | undefined =>
  z.globalRegistry.get(schema)?.description ??
  (schema instanceof z.ZodOptional ? getParameterDescription(schema.unwrap()) : undefined);

const describeRequestBody = (name: string, body: z.ZodType, example: unknown): ZodOpenApiRequestBodyObject => {
  const schema = nameSchema(body, `${name}Request`);
  return { required: true, content: { 'application/json': { schema, ...(example !== undefined && { example }) } } };
};

/** The schema with a name, of which generators make the name of a type: its own, or this one. */
const nameSchema = (schema: z.ZodType, name: string): z.ZodType =>
  schema.meta()?.id === undefined ? schema.meta({ id: name[0]!.toUpperCase() + name.slice(1) }) : schema;

/** The response of the sandbox hospital to the example of each operation, by operationId. */
const exampleResponses: Readonly<Record<string, unknown>> = answers;

function describeSuccess(operation: Operation) {
  const { name, returns, location } = operation;
  const [status, body] = returns;
  // oapi-codegen calls the whole response of an operation by its name with `Response`.
  const schema = nameSchema(body, `${name}Result`);
  return {
    [status]: {
      description: status === 201 ? 'Created' : 'OK',
      headers: {
        'X-Request-Id': requestId,
        ...(isWrite(operation) && { 'Idempotency-Replayed': replayed }),
        ...(answersList(operation) && { 'Puente-Omitted': omitted }),
        ...(location && {
          Location: {
            description: 'Addition of this gateway: the path of the new resource.',
            required: true,
            schema: { type: 'string' as const, format: 'uri-reference' },
          },
        }),
      },
      content: { 'application/json': { schema, ...(name in exampleResponses && { example: exampleResponses[name] }) } },
    },
  };
}

/** The parameter is one component for all operations, unless one of them requires it. */
const describeKey = (required: boolean): oas31.ReferenceObject | oas31.ParameterObject =>
  required ? { ...idempotencyKey, required } : { $ref: '#/components/parameters/IdempotencyKey' };

/** The problems that a request of any operation can end in. */
const always: readonly ProblemCode[] = [
  'malformed_request',
  'not_acceptable',
  'headers_too_large',
  'rate_limited',
  'internal_error',
  'not_implemented',
  'forbidden',
  'backend_unavailable',
  'backend_invalid_response',
  'overloaded',
  'backend_circuit_open',
  'starting',
  'draining',
  'audit_unavailable',
  'backend_timeout',
];

const keyProblems: readonly ProblemCode[] = [
  'idempotency_key_in_use',
  'idempotency_key_reused',
  'idempotency_store_unavailable',
  'outcome_unresolved',
];

/** Every problem that a request of this operation can end in. */
export function listProblems(operation: Operation, anonymous: boolean, keyRequired: boolean): readonly ProblemCode[] {
  const { params, query, body, fails = [] } = operation;
  const codes: ProblemCode[] = [...always, ...fails];
  if (!anonymous) codes.push(...tokenProblems);
  if (params) codes.push('not_found');
  if (query || body) codes.push('validation');
  if (body) codes.push('request_timeout', 'payload_too_large', 'unsupported_media_type');
  if (isWrite(operation)) codes.push('backend_outcome_unknown', ...keyProblems);
  if (keyRequired) codes.push('idempotency_key_required');
  return [...new Set(codes)];
}

/** The introduction of the documentation page, in CommonMark. */
export const introduction = `
One API for every institution: this gateway serves it in front of the institution’s patient-management system. Where the
API document leaves something open, the decision is marked **Addition of this gateway**.

### Authentication

Send \`Authorization: Bearer <ACCESS_TOKEN>\` with every request, except where an operation requires no token. The
institution issues the token and grants its scopes; each operation names the scope that it requires. A missing or invalid
token is 401, a missing scope 403.

### Ids

Ids are opaque strings: store them unchanged and never construct one. An unknown id, or one with an invalid format (longer
than 128 characters, or with white space or one of \`/ \\ ? # %\`), is 404 in a path and 422 in a query or a body. There are
two exceptions for unknown ids. Some operations of Group B identify their resource in the query or the body, and respond with
404: \`patientId\` of getAppointment and createAppointment, \`beneficiaryId\` and \`insurancePlanId\` of createCoverage and
editCoverage. And a filter of a list, such as \`ticket_type_id\`, or \`hcsId\` of getHealthCareService, matches nothing.

### Dates and times

Birth dates are sent as \`YYYY/MM/DD\` (\`YYYY-MM-DD\` is accepted too) and returned as \`YYYY-MM-DD\`. Times of slots and
appointments are in the institution’s time zone, without an offset. Timestamps of records are in UTC, with \`Z\` and
milliseconds.

### Two groups

Group A is resource-oriented with snake_case fields; Group B is operation-oriented with camelCase fields. Both use the same
patients, appointments and coverages. Two things look like mistakes but are part of the API document: the spelling
\`healht_care_service\`, and \`active\` as the string \`"true"\` or \`"false"\` where a schema says so.

### Pagination

Lists of Group B accept \`page\` (from 0) and \`limit\` (1 to 100, default 10), both strings of digits, and return
\`{ data, pagination }\`. Beyond the last page \`data\` is empty and the totals are correct. Lists of Group A are not paged.

### Errors

Every error is \`application/problem+json\` (RFC 9457). Programs should decide by \`code\`, which is stable; \`type\` links to a
page that explains the problem. With status 422, \`errors\` lists every invalid value: where it is and what is wrong with it.
Errors never repeat the values that you sent. An unknown field in a body is 422, so that no data is lost silently; unknown
query parameters are ignored. An unknown path is 404 \`route_unknown\`; another method on a known path is 405 with \`Allow\`.

### Retries

After 502 \`backend_unavailable\` and 503, nothing was changed: try again, after \`Retry-After\` where it is given. After 500,
502 \`backend_invalid_response\` and 504 \`backend_outcome_unknown\`, read the data before you repeat a write. Registering the
same person twice returns the same patient, canceling twice is one cancellation, and a slot is booked once.

### Idempotency

With an \`Idempotency-Key\` every write happens once however often it is sent: send a new key, such as a UUID, with every new
request, and the same key to repeat a request whose response was lost. The repetition has the status and the body of the first
response, and \`Idempotency-Replayed: true\`. While the first one is running it is 409 \`idempotency_key_in_use\`; with another
content it is 422 \`idempotency_key_reused\`. A response is kept for 24 hours unless the institution decides otherwise; requests
that were not executed (400, 401, 403, 422 for invalid values, 503, 502 \`backend_unavailable\`, 504 \`backend_timeout\`) leave the
key free. After 504 \`backend_outcome_unknown\` repeat the request with the same key: the gateway first finds out what became of it.

### Support

Every response has an \`X-Request-Id\`: the one that you sent, or a new one. Quote it when you report a problem, so that the
institution can find the request in its log.
`.trim();

const faultSchema = z
  .object({
    in: z.enum(['body', 'query', 'path', 'header']).meta({ id: 'RequestPart' }),
    at: z
      .string()
      .meta({ description: 'A JSON pointer (RFC 6901) into the body, or `/` and the name of the parameter.' }),
    message: z.string(),
  })
  .meta({ id: 'Fault', description: 'One invalid value in a request. The value itself is not repeated.' });

const problemSchema = z
  .object({
    type: z.string().meta({ format: 'uri-reference', description: 'The page that explains the problem.' }),
    title: z.string(),
    status: z.int(),
    detail: z.string().meta({ description: 'What happened, as text for a person.' }),
    instance: z.string().meta({ description: 'The request id as a URN. Include it when you report the problem.' }),
    code: z
      .enum(problemCodes)
      .meta({ id: 'ProblemCode', description: 'The stable code of the problem. Programs should decide by it.' }),
    errors: z
      .array(faultSchema)
      .exactOptional()
      .meta({ description: 'Every invalid value that was found, with status 422.' }),
  })
  .meta({ id: 'Problem', description: 'Problem details (RFC 9457).' }) satisfies z.ZodType<Problem>;

/** The headers of responses, as components. */
export const headers: Record<string, oas31.HeaderObject> = {
  RequestId: {
    description: 'The caller’s `X-Request-Id` if it has 1 to 128 visible ASCII characters, otherwise a new UUID.',
    required: true,
    schema: { type: 'string' },
    example: '3f0c1f5e-6f0e-4b8c-9a55-0f2b7d6d1c11',
  },
  Omitted: {
    description:
      'Addition of this gateway: how many records of the institution’s system the list is answered without, because they cannot be shown. Absent when the list is complete.',
    schema: { type: 'integer', minimum: 1 },
    example: 1,
  },
  Replayed: {
    description:
      'Addition of this gateway: the response is that of the first request with this `Idempotency-Key`. Absent when the request was executed now.',
    schema: { type: 'string', const: 'true' },
  },
  RetryAfter: {
    description: 'Seconds to wait before trying again.',
    schema: { type: 'integer' },
    example: 5,
  },
  RateLimit: {
    description:
      'The limit that was exceeded, what is left of it, and in how many seconds it begins anew. Absent when too many requests are worked on at the same time.',
    schema: { type: 'string' },
    example: '"read";r=0;t=3',
  },
  RateLimitPolicy: {
    description: 'The limit that was exceeded: how many requests in how many seconds. Absent with RateLimit.',
    schema: { type: 'string' },
    example: '"read";q=5000;w=10',
  },
  Challenge: {
    description: 'Why the token was rejected (RFC 6750).',
    required: true,
    schema: { type: 'string' },
    example: 'Bearer error="invalid_token"',
  },
};

const describeHeader = (name: keyof typeof headers): oas31.ReferenceObject => ({
  $ref: `#/components/headers/${name}`,
});

/** The header that every response has. */
export const requestId = describeHeader('RequestId');

const omitted = describeHeader('Omitted');

const replayed = describeHeader('Replayed');

/** The header with which a write happens once. */
export const idempotencyKey: oas31.ParameterObject = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Addition of this gateway: a key of your own for this request, as a quoted string (RFC 8941) or bare, of 1 to 255 visible ASCII characters; a UUID will do. The request then happens once however often it is sent, and every repetition has the same response. Postman and its kin replace the example by another UUID each time.',
  // No pattern: by it importers would invent one key for all operations, and all writes but the first would be refused.
  example: '{{$guid}}',
  schema: { type: 'string', minLength: 1, maxLength: 512 },
};

const headersOfStatus: Readonly<Record<number, Record<string, oas31.ReferenceObject>>> = {
  401: { 'WWW-Authenticate': describeHeader('Challenge') },
  403: { 'WWW-Authenticate': describeHeader('Challenge') },
  429: {
    'Retry-After': describeHeader('RetryAfter'),
    RateLimit: describeHeader('RateLimit'),
    'RateLimit-Policy': describeHeader('RateLimitPolicy'),
  },
  503: { 'Retry-After': describeHeader('RetryAfter') },
};

const describeHeaders = (status: number, codes: readonly ProblemCode[]) => ({
  'X-Request-Id': requestId,
  ...headersOfStatus[status],
  ...(codes.includes('idempotency_key_in_use') && { 'Retry-After': describeHeader('RetryAfter') }),
  ...(codes.some((code) => /^idempotency_key_(in_use|reused)$/.test(code)) && { 'Idempotency-Replayed': replayed }),
});

/** The error responses of one document. Operations with the same problems of a status share one component. */
export class ProblemResponses {
  readonly #basePath: string;
  readonly #known = new Map<string, ZodOpenApiResponseObject>();

  constructor(basePath: string) {
    this.#basePath = basePath;
  }

  /** One response for each status of these problems. */
  describe(codes: readonly ProblemCode[]): ZodOpenApiResponsesObject {
    const byStatus = Object.groupBy(codes, (code) => problems[code].status);
    return Object.fromEntries(
      Object.entries(byStatus).map(([status, codes = []]) => [status, this.#response(Number(status), codes)]),
    );
  }

  #response(status: number, codes: readonly ProblemCode[]): ZodOpenApiResponseObject {
    const id = codes.map(toPascalCase).join('Or');
    const known = this.#known.get(id);
    if (known) return known;
    const response: ZodOpenApiResponseObject = {
      id,
      description: codes.map((code) => `\`${code}\`: ${explainProblem(code)}`).join('\n\n'),
      headers: describeHeaders(status, codes),
      content: {
        'application/problem+json': {
          schema: problemSchema,
          examples: Object.fromEntries(codes.map((code) => [code, this.#example(code)])),
        },
      },
    };
    this.#known.set(id, response);
    return response;
  }

  #example(code: ProblemCode) {
    const faults = problems[code].status === 422 ? (exampleFaults[code] ?? exampleFaults.validation) : undefined;
    const value: Problem = toProblemBody(
      new Rejection(code, { faults }),
      '3f0c1f5e-6f0e-4b8c-9a55-0f2b7d6d1c11',
      this.#basePath,
    );
    return { summary: problems[code].title, value };
  }
}

const toPascalCase = (code: string): string =>
  code
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

const exampleFaults: Partial<Record<ProblemCode, readonly Fault[]>> = {
  validation: [{ in: 'body', at: '/date', message: 'must be a date that exists' }],
  slot_unknown: [{ in: 'body', at: '/date', message: 'no slot starts at this time' }],
  nonexistent_local_time: [{ in: 'body', at: '/date', message: 'a clock change skips this local time' }],
  idempotency_key_reused: [
    {
      in: 'header',
      at: '/Idempotency-Key',
      message: 'the key was used for a request with another path or another body',
    },
  ],
  search_too_wide: [{ in: 'query', at: '', message: 'more than 50 patients match, narrow the search' }],
};

const groups = {
  A: { name: 'Group A', style: 'resource-oriented, snake_case' },
  B: { name: 'Group B', style: 'operation-oriented, camelCase, paged lists' },
} as const;

type Group = keyof typeof groups;

/** The name and description of each tag, by group and port, in the order of the documentation. */
const subjects: Readonly<Record<Group, Partial<Record<PortName, readonly [name: string, description: string]>>>> = {
  A: {
    patients: ['Patients', 'Search, read, register and update patients.'],
    tickets: ['Tickets', 'Requests that patients file with the institution, and their types.'],
    appointments: ['Appointments', 'Search available slots; book, list and cancel appointments.'],
    insurance: ['Insurance', 'Carriers, their plans, and patients’ health insurances.'],
    practitioners: ['Practitioners', 'Practitioners, patients’ main practitioners, and requests to change them.'],
    'care-services': [
      'Care services',
      'The health care services that the institution offers, also for a patient and a health insurance.',
    ],
    'family-groups': ['Family group', 'The relatives of a patient.'],
    directory: ['Directory', 'Locations, and the medical directory of locations and their providers.'],
  },
  B: {
    appointments: ['Appointments B', 'List and create appointments; search available slots.'],
    insurance: ['Coverages B', 'Create and edit coverages; list insurance carriers.'],
    'care-services': ['Care services B', 'Search health care services (HCS); list those that a patient books most.'],
  },
};

const listSubjects = (group: Group) => Object.values(subjects[group]);

/** Every tag, with the group that its operations belong to. */
export const tags = (Object.keys(groups) as Group[]).flatMap((group) =>
  listSubjects(group).map(([name, description]) => ({
    name,
    description: `${description} ${groups[group].name}: ${groups[group].style}.`,
  })),
);

/** The tags by group, for readers that can show groups. */
export const tagGroups = (Object.keys(groups) as Group[]).map((group) => ({
  name: groups[group].name,
  tags: listSubjects(group).map(([name]) => name),
}));

/** The tag under which the operation is listed. */
export function getTag(operation: Operation): string {
  const group = getGroup(operation);
  const port = getPortName(operation);
  const subject = subjects[group][port];
  if (!subject) throw new Error(`src/api/openapi-operation.ts: group ${group} has no tag for the port ${port}`);
  return subject[0];
}

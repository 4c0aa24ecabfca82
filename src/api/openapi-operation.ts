import { hash } from 'node:crypto';
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
import { publishNulls } from './nulls.ts';
import answers from './openapi/answers.json' with { type: 'json' };
import texts from './openapi/texts.json' with { type: 'json' };
import {
  answersList,
  buildExample,
  getMethod,
  getPortName,
  isWrite,
  type Operation,
  type OperationRoute,
} from './operation.ts';
import { explainProblem, faultParts, type Problem, type ProblemCode, problemCodes, problems } from './problems.ts';
import { Rejection, toProblemBody } from './rejection.ts';

/** The security of operations that require a token. */
export const bearer = [{ bearerAuth: [] }];

/** The problems that a token can cause. */
export const tokenProblems: readonly ProblemCode[] = [
  'unauthenticated',
  'insufficient_scope',
  'auth_provider_unavailable',
];

const httpMethods = ['get', 'post', 'put', 'delete'] as const;
type HttpMethod = (typeof httpMethods)[number];

/** The path and the method of a route in the format of OpenAPI. */
export function parseRoute(route: OperationRoute): { path: string; method: HttpMethod } {
  const [verb = '', path = ''] = route.split(' ');
  const method = httpMethods.find((each) => each === verb.toLowerCase());
  if (!method) throw new TypeError(`${route} is not a route`);
  return { path, method };
}

export interface Circumstances {
  readonly now: Date;
  readonly offered: boolean;
  /** The operation accepts requests without a token. */
  readonly anonymous: boolean;
  /** The operation accepts only requests with an `Idempotency-Key`. */
  readonly keyRequired: boolean;
  readonly problems: ProblemResponses;
}

/** One operation with its parameters, body, response and all its possible problems. */
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
    ...(isWrite(operation) && {
      parameters: [describeKey(operation, keyRequired), ...(operation.conditional ? [ifMatch] : [])],
    }),
    ...(operation.body && { requestBody: describeRequestBody(operation, operation.body, example.body) }),
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
  const shape: Readonly<Record<string, z.ZodType>> = schema.shape;
  const described = Object.entries(shape).map(([name, parameter]) => {
    const description = getParameterDescription(parameter);
    const example = values[name];
    const param = { ...(description && { description }), ...(example !== undefined && { example }) };
    return [name, parameter.meta({ param })] as const;
  });
  return z.object(Object.fromEntries(described));
}

/** The description of a schema, or of its inner schema if it is optional. */
const getParameterDescription = (schema: z.core.$ZodType): string | undefined =>
  z.globalRegistry.get(schema)?.description ??
  (schema instanceof z.ZodOptional ? getParameterDescription(schema.unwrap()) : undefined);

const describeRequestBody = (operation: Operation, body: z.ZodType, example: unknown): ZodOpenApiRequestBodyObject => {
  const schema = nameSchema(getMethod(operation) === 'PUT' ? body : publishNulls(body), `${operation.name}Request`);
  return { required: true, content: { 'application/json': { schema, ...(example !== undefined && { example }) } } };
};

/** The schema with a name, which generators use as a type name. Keeps an existing name. */
const nameSchema = (schema: z.ZodType, name: string): z.ZodType =>
  schema.meta()?.id === undefined ? schema.meta({ id: name.charAt(0).toUpperCase() + name.slice(1) }) : schema;

/** The response of the sandbox hospital to the example of each operation, by operationId. */
const exampleResponses: Readonly<Record<string, unknown>> = answers;

function describeSuccess(operation: Operation) {
  const { name, returns, location, versioned } = operation;
  const [status, body] = returns;
  // oapi-codegen names an operation's whole response with the suffix `Response`.
  const schema = nameSchema(body, `${name}Result`);
  return {
    [status]: {
      description: status === 201 ? 'Created' : 'OK',
      headers: {
        'X-Request-Id': requestId,
        ...(isWrite(operation) && { 'Idempotency-Replayed': replayed }),
        ...(answersList(operation) && { 'Puente-Omitted': omitted }),
        'Puente-Ignored': ignored,
        ...(versioned && { ETag: etag }),
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

/**
 * An example key for each operation: importers would reuse a common one, and every write except one would be refused.
 */
const describeKey = ({ name }: Operation, required: boolean): oas31.ParameterObject => ({
  ...idempotencyKey,
  example: toExampleKey(name),
  ...(required && { required }),
});

/** The prefix of every example key. */
export const exampleKeyStart = 'e8a3d9c0';

/** A UUID that depends only on the operation. */
const toExampleKey = (name: string): string =>
  exampleKeyStart + hash('sha256', name).replace(/^(.{4}).(.{3}).(.{3})(.{12}).*$/, '-$1-4$2-a$3-$4');

/** The problems that any request to an operation can cause. */
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

/** Every problem that a request to this operation can cause. */
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
    detail: z.string().meta({ description: 'The event, as text for a person.' }),
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

const describeHeader = (name: keyof typeof texts.headers): oas31.ReferenceObject => ({
  $ref: `#/components/headers/${name}`,
});

/** The header of every response. */
export const requestId = describeHeader('RequestId');

const omitted = describeHeader('Omitted');

const ignored = describeHeader('Ignored');

const replayed = describeHeader('Replayed');

const etag = describeHeader('ETag');

/** The header that limits a change to one version. */
const ifMatch: oas31.ParameterObject = {
  name: 'If-Match',
  in: 'header',
  description: 'Addition of this gateway: the `ETag` of a read. If the record has changed since, the response is 412.',
  schema: { type: 'string' },
};

/** The header with which a write happens once. */
const idempotencyKey: oas31.ParameterObject = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Addition of this gateway: your own key for this request, as a quoted string (RFC 8941) or bare, of 1 to 255 visible ASCII characters, such as a UUID. The request then happens once, even if it is repeated, and every repetition gets the same response. Replace the example by a new UUID for each new request. In Postman, `{{$guid}}` does that.',
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

const exampleFaults = z
  .partialRecord(
    z.enum(problemCodes),
    z.array(z.object({ in: z.enum(faultParts), at: z.string(), message: z.string() })),
  )
  .parse(texts.faults);

const toPascalCase = (code: string): string =>
  code
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

const groups: Readonly<Record<'A' | 'B', TagGroup>> = texts.groups;

interface TagGroup {
  readonly name: string;
  readonly style: string;
  /** In the order of the documentation. */
  readonly tags: Readonly<Partial<Record<PortName, { readonly name: string; readonly description: string }>>>;
}

/** Every tag with the group of its operations. */
export const tags = Object.values(groups).flatMap((group) =>
  Object.values(group.tags).map(({ name, description }) => ({
    name,
    description: `${description} ${group.name}: ${group.style}.`,
  })),
);

/** The tags by group, for readers that can show groups. */
export const tagGroups = Object.values(groups).map((group) => ({
  name: group.name,
  tags: Object.values(group.tags).map(({ name }) => name),
}));

/** The tag of the operation. */
export function getTag(operation: Operation): string {
  const group = getGroup(operation);
  const port = getPortName(operation);
  const tag = groups[group].tags[port];
  if (!tag) throw new Error(`src/api/openapi/texts.json: group ${group} has no tag for the port ${port}`);
  return tag.name;
}

import { z } from 'zod';
import type { oas31, ZodOpenApiOperationObject, ZodOpenApiRequestBodyObject } from 'zod-openapi';
import { answersList, buildExample, isWrite, type Operation, type Route } from '../operation.ts';
import type { ProblemCode } from '../problem-types.ts';
import answers from './answers.json' with { type: 'json' };
import { idempotencyKey, omitted, type ProblemResponses, replayed, requestId } from './responses.ts';
import { getTag } from './tags.ts';

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

/** The parameters of an object schema, each with its description and its value in the example. */
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

/** The problems that an `Idempotency-Key` can cause. */
const keyProblems: readonly ProblemCode[] = [
  'idempotency_key_in_use',
  'idempotency_key_reused',
  'idempotency_store_unavailable',
  'outcome_unresolved',
];

/** Every problem that a request of this operation can end in. */
function listProblems(operation: Operation, anonymous: boolean, keyRequired: boolean): readonly ProblemCode[] {
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

import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import type { ProblemCode } from '../problem-types.ts';
import { bearer, tokenProblems } from './operation.ts';
import { type ProblemResponses, requestId } from './responses.ts';

export const gatewayTag = {
  name: 'Gateway',
  description: 'Additions of this gateway: capabilities, health checks and this document.',
};

const capabilities = z
  .object({
    gateway: z.object({ name: z.string(), version: z.string() }),
    operations: z.array(
      z.object({
        operation: z.string().meta({ description: 'The operationId.' }),
        route: z.string().meta({ description: 'Method and path template.' }),
        group: z.enum(['A', 'B']).meta({ id: 'OperationGroup' }),
        scope: z.string(),
        port: z.string(),
        adapter: z.string().meta({ description: 'The name of the adapter that implements it.' }),
        offered: z
          .boolean()
          .meta({ description: 'Whether this institution offers the operation; if not, the response is 501.' }),
      }),
    ),
  })
  .meta({ id: 'Capabilities' });

const respond = (description: string, schema: z.ZodType) => ({
  description,
  headers: { 'X-Request-Id': requestId },
  content: { 'application/json': { schema } },
});

const health = (status: string) => z.object({ status: z.literal(status) });

const ready = {
  omitted: z
    .array(
      z
        .object({
          resourceType: z.string().meta({ description: 'The kind of record, as the institution’s system calls it.' }),
          element: z.string().meta({ description: 'The element that does not fit.' }),
          count: z.int().meta({ description: 'How often a list was answered without such a record.' }),
        })
        .meta({ id: 'OmittedRecord' }),
    )
    .exactOptional()
    .meta({ description: 'What lists left out since the start, because it cannot be shown.' }),
};

const impairments = z.array(
  z
    .object({
      adapter: z
        .string()
        .exactOptional()
        .meta({ description: 'The adapter that is limited, where there are several.' }),
      code: z.string().meta({ description: 'A stable code, for programs.' }),
    })
    .meta({ id: 'Impairment' }),
);

const impaired = health('impaired').extend({ ...ready, impairments });

const alive = health('ok').meta({ id: 'Liveness' });
const readiness = z.union([health('ok').extend(ready), impaired]).meta({ id: 'Readiness' });
const unready = z.union([health('starting').extend({ impairments }), health('draining')]).meta({ id: 'Unreadiness' });
const openApi = z.looseObject({ openapi: z.string() }).meta({ id: 'OpenApiDocument' });

/** The problems that a request of any path can end in. */
const always: readonly ProblemCode[] = ['malformed_request', 'headers_too_large', 'internal_error'];

/** The gateway's own paths, which are not in the API document. */
export const gatewayPaths = (problems: ProblemResponses, openOps: boolean): ZodOpenApiPathsObject => ({
  '/capabilities': {
    get: {
      operationId: 'getCapabilities',
      tags: [gatewayTag.name],
      summary: 'List the operations that this institution offers',
      description: `Addition of this gateway. Requires ${openOps ? 'no token' : 'the scope `ops:read`'}.`,
      ...(!openOps && { 'x-required-scope': 'ops:read' }),
      security: openOps ? [] : bearer,
      responses: {
        200: respond('Every operation, and whether it is offered', capabilities),
        ...problems.describe(openOps ? always : [...always, ...tokenProblems, 'rate_limited']),
      },
    },
  },
  '/livez': {
    get: {
      operationId: 'getLiveness',
      tags: [gatewayTag.name],
      summary: 'Check liveness',
      description: 'Addition of this gateway. Requires no token and calls no other system.',
      security: [],
      responses: { 200: respond('The process is running', alive), ...problems.describe(always) },
    },
  },
  '/readyz': {
    get: {
      operationId: 'getReadiness',
      tags: [gatewayTag.name],
      summary: 'Check readiness',
      description:
        'Addition of this gateway. Requires no token. `impairments` lists what limits an adapter, by its code; the gateway still serves everything else. `omitted` counts the records that lists left out.',
      security: [],
      responses: {
        200: respond('The gateway accepts requests', readiness),
        503: respond('The gateway is shutting down, or waits for a system that it needs', unready),
        ...problems.describe(always),
      },
    },
  },
  '/openapi.json': {
    get: {
      operationId: 'getOpenApi',
      tags: [gatewayTag.name],
      summary: 'Get this document',
      description:
        'Addition of this gateway. Requires no token. `x-not-offered` marks the operations that this institution does not offer.',
      security: [],
      responses: {
        200: respond('An OpenAPI 3.1 document', openApi),
        ...problems.describe(always),
      },
    },
  },
});

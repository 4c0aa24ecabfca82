import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import type { ProblemCode } from '../problem.ts';
import { bearer, tokenProblems } from './operation.ts';
import { type ProblemResponses, requestId } from './responses.ts';

export const gatewayTag = {
  name: 'Gateway',
  description: 'Additions of this gateway: what it offers, and whether it works.',
};

const capabilities = z
  .object({
    gateway: z.object({ name: z.string(), version: z.string() }),
    operations: z.array(
      z.object({
        operation: z.string().meta({ description: 'The operationId.' }),
        route: z.string().meta({ description: 'Method and path template.' }),
        group: z.enum(['A', 'B']),
        scope: z.string(),
        port: z.string(),
        adapter: z.string().meta({ description: 'The name of what stands behind it.' }),
        offered: z.boolean().meta({ description: 'Whether this institution offers it; if not, it answers 501.' }),
      }),
    ),
  })
  .meta({ id: 'Capabilities' });

const answer = (description: string, schema: z.ZodType) => ({
  description,
  headers: { 'X-Request-Id': requestId },
  content: { 'application/json': { schema } },
});

const health = (status: string) => z.object({ status: z.literal(status) });

const impaired = health('impaired').extend({
  impairments: z.array(
    z.object({
      code: z.string().meta({ description: 'Stable, for programs.' }),
      detail: z.string().meta({ description: 'What it means and how to mend it.' }),
    }),
  ),
});

/** What HTTP itself can go wrong with, on any path. */
const always: readonly ProblemCode[] = ['malformed_request', 'headers_too_large', 'internal_error'];

/** The gateway's own paths, which the API document does not know. */
export const gatewayPaths = (problems: ProblemResponses, openOps: boolean): ZodOpenApiPathsObject => ({
  '/capabilities': {
    get: {
      operationId: 'getCapabilities',
      tags: [gatewayTag.name],
      summary: 'What this institution offers',
      description: `Addition of this gateway. Needs ${openOps ? 'no token' : 'the scope `ops:read`'}.`,
      ...(!openOps && { 'x-required-scope': 'ops:read' }),
      security: openOps ? [] : bearer,
      responses: {
        200: answer('Every operation, and whether it is offered', capabilities),
        ...problems.describe(openOps ? always : [...always, ...tokenProblems]),
      },
    },
  },
  '/livez': {
    get: {
      operationId: 'getLiveness',
      tags: [gatewayTag.name],
      summary: 'Whether the process answers',
      description: 'Addition of this gateway. Needs no token and asks no other system.',
      security: [],
      responses: { 200: answer('It does', health('ok')), ...problems.describe(always) },
    },
  },
  '/readyz': {
    get: {
      operationId: 'getReadiness',
      tags: [gatewayTag.name],
      summary: 'Whether the process takes requests',
      description:
        'Addition of this gateway. Needs no token. What keeps the adapter from doing all that it supports is named in `impairments`; the gateway serves the rest.',
      security: [],
      responses: {
        200: answer('It does', z.union([health('ok'), impaired])),
        503: answer('It is stopping', health('draining')),
        ...problems.describe(always),
      },
    },
  },
  '/openapi.json': {
    get: {
      operationId: 'getOpenApi',
      tags: [gatewayTag.name],
      summary: 'This document',
      description:
        'Addition of this gateway. Needs no token. `x-not-offered` marks what this institution does not offer.',
      security: [],
      responses: {
        200: answer('OpenAPI 3.1', z.looseObject({ openapi: z.string() })),
        ...problems.describe(always),
      },
    },
  },
});

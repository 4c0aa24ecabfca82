import { z } from 'zod';
import { createDocument, type oas31, type ZodOpenApiOverrideContext, type ZodOpenApiPathsObject } from 'zod-openapi';
import type { Capability } from '../ports/index.ts';
import { getField, isRecord } from '../toolkit/records.ts';
import { isAnonymous } from './index.ts';
import texts from './openapi/texts.json' with { type: 'json' };
import {
  bearer,
  describeOperation,
  ProblemResponses,
  parseRoute,
  requestId,
  tagGroups,
  tags,
  tokenProblems,
} from './openapi-operation.ts';
import { isOffered, type Operation } from './operation.ts';
import type { ProblemCode } from './problems.ts';

export type OpenApi = ReturnType<typeof createDocument>;

export interface OpenApiOptions {
  /** The version of the gateway. */
  readonly version: string;
  /** Prefix of every path, `` or `/something`. */
  readonly basePath?: string;
  /**
   * The capabilities of the institution's adapter. Other operations are marked `x-not-offered`. Default: everything.
   */
  readonly supports?: ReadonlySet<Capability>;
  /** Group A accepts requests without a token. Default: false. */
  readonly anonymousGroupA?: boolean;
  /** `/capabilities` accepts requests without a token. Default: false. */
  readonly openOps?: boolean;
  /** The names of the operations that require an `Idempotency-Key`. Default: none. */
  readonly idempotencyRequired?: ReadonlySet<string>;
  /**
   * The day to which the dates of the examples are relative. Default: one fixed day, so that the same declarations
   * always give the same document.
   */
  readonly now?: Date;
}

/** The Monday to which the dates of the examples in `openapi.json` are relative. */
export const referenceDay = new Date('2026-11-16T12:00:00Z');

/** The OpenAPI 3.1 document of these operations and of the gateway's own paths. */
export function buildOpenApiDocument(operations: readonly Operation[], options: OpenApiOptions): OpenApi {
  const { version, basePath = '', supports, anonymousGroupA = false, openOps = false, now = referenceDay } = options;
  const problems = new ProblemResponses(basePath);
  const paths: ZodOpenApiPathsObject = {};
  for (const operation of operations) {
    const { path, method } = parseRoute(operation.route);
    const offered = supports === undefined || isOffered(operation, supports);
    const anonymous = isAnonymous(operation, { anonymousGroupA });
    const keyRequired = options.idempotencyRequired?.has(operation.name) ?? false;
    const circumstances = { now, offered, anonymous, keyRequired, problems };
    paths[path] = { ...paths[path], [method]: describeOperation(operation, circumstances) };
  }
  const document = createDocument(
    {
      openapi: '3.1.1',
      info: {
        title: 'Healthcare Institution Integration API',
        summary:
          'Patients, appointments, insurance and tickets of one healthcare institution, served by the gateway Puente.',
        version,
        description: texts.introduction.join('\n'),
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [
        {
          url: `{gateway}${basePath}`,
          description: 'This gateway',
          variables: {
            gateway: {
              default: 'http://127.0.0.1:8080',
              description:
                'The address of the gateway, e.g. https://puente.hospital.example. Without a configured address, it is on this machine.',
            },
          },
        },
      ],
      tags: [...tags, gatewayTag],
      'x-tagGroups': [...tagGroups, { name: 'Gateway', tags: [gatewayTag.name] }],
      security: bearer,
      paths: { ...paths, ...gatewayPaths(problems, openOps) },
      components: {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON has no literal types, and a test validates the document
        headers: texts.headers as Record<string, oas31.HeaderObject>,
        securitySchemes: {
          bearerAuth: {
            type: 'http',
            scheme: 'bearer',
            description:
              'A token that the institution issues to the platform, sent as `Authorization: Bearer <ACCESS_TOKEN>`.',
          },
        },
      },
    },
    { override: toPortable },
  );
  return dropParameterMeta(document);
}

/** zod-openapi repeats the description of a parameter in its schema if the schema is a reference. */
function dropParameterMeta(document: OpenApi): OpenApi {
  const described = Object.values(document.paths ?? {}).flatMap((path) => [path.get, path.post, path.put, path.delete]);
  for (const parameter of described.flatMap((operation) => operation?.parameters ?? [])) {
    const schema = getField(parameter, 'schema');
    if (isRecord(schema)) delete schema.param;
  }
  return document;
}

/** Changes a schema so that other tools interpret it correctly. */
function toPortable({ jsonSchema, io }: ZodOpenApiOverrideContext) {
  // Most tools compile a pattern without the `u` flag, where `\p{L}` matches the letters p, {, L and }.
  if (jsonSchema.pattern?.includes('\\p{')) delete jsonSchema.pattern;
  if (io === 'input') return;
  // A response may have more fields in a later version.
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  // The limits of safe integers do not describe the value.
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

const gatewayTag = {
  name: 'Gateway',
  description: 'Additions of this gateway: capabilities, health checks and this document.',
};

const capabilities = z
  .object({
    gateway: z.object({ name: z.string(), version: z.string() }),
    timeZone: z.string().meta({ description: 'The time zone of slots and appointments, an IANA name.' }),
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
          .meta({ description: 'True if this institution offers the operation; otherwise the response is 501.' }),
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
          resourceType: z.string().meta({ description: 'The kind of record in the institution’s system.' }),
          element: z.string().meta({ description: 'The invalid element.' }),
          count: z.int().meta({ description: 'The number of list responses without such a record.' }),
        })
        .meta({ id: 'OmittedRecord' }),
    )
    .exactOptional()
    .meta({ description: 'Records that lists have omitted since the start, because they are invalid.' }),
};

const impairments = z.array(
  z
    .object({
      adapter: z.string().exactOptional().meta({ description: 'The limited adapter, if there are several.' }),
      code: z.string().meta({ description: 'A stable code, for programs.' }),
    })
    .meta({ id: 'Impairment' }),
);

const impaired = health('impaired').extend({ ...ready, impairments });

const alive = health('ok').meta({ id: 'Liveness' });
const readiness = z.union([health('ok').extend(ready), impaired]).meta({ id: 'Readiness' });
const unready = z.union([health('starting').extend({ impairments }), health('draining')]).meta({ id: 'Unreadiness' });
const openApi = z.looseObject({ openapi: z.string() }).meta({ id: 'OpenApiDocument' });

/** The problems that a request to any path can cause. */
const always: readonly ProblemCode[] = ['malformed_request', 'headers_too_large', 'internal_error'];

/** The gateway's own paths, in addition to the API document. */
const gatewayPaths = (problems: ProblemResponses, openOps: boolean): ZodOpenApiPathsObject => ({
  '/capabilities': {
    get: {
      operationId: 'getCapabilities',
      tags: [gatewayTag.name],
      summary: 'List the operations that this institution offers',
      description: `Addition of this gateway. Requires ${openOps ? 'no token' : 'the scope `ops:read`'}.`,
      ...(!openOps && { 'x-required-scope': 'ops:read' }),
      security: openOps ? [] : bearer,
      responses: {
        200: respond('Every operation, and whether the institution offers it', capabilities),
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
        'Addition of this gateway. Requires no token. `impairments` lists the limits of adapters by their codes. The gateway still serves everything else. `omitted` counts the records that lists left out.',
      security: [],
      responses: {
        200: respond('The gateway accepts requests', readiness),
        503: respond('The gateway is shutting down, or waits for a required system', unready),
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

import { createDocument, type oas31, type ZodOpenApiOverrideContext, type ZodOpenApiPathsObject } from 'zod-openapi';
import type { Capability } from '../ports/index.ts';
import { isAnonymous } from './index.ts';
import { gatewayPaths, gatewayTag } from './openapi/gateway-paths.ts';
import { introduction } from './openapi/introduction.ts';
import { bearer, describeOperation, parseRoute } from './openapi/operation.ts';
import { headers, idempotencyKey, ProblemResponses } from './openapi/responses.ts';
import { tagGroups, tags } from './openapi/tags.ts';
import { isOffered, type Operation } from './operation.ts';

export type OpenApi = oas31.OpenAPIObject;

export interface OpenApiOptions {
  /** The version of the gateway. */
  readonly version: string;
  /** Prefix of every path, `` or `/something`. */
  readonly basePath?: string;
  /** What the institution's adapter offers; operations beyond it are marked `x-not-offered`. Default: everything. */
  readonly supports?: ReadonlySet<Capability>;
  /** Group A accepts requests without a token. Default: false. */
  readonly anonymousGroupA?: boolean;
  /** `/capabilities` accepts requests without a token. Default: false. */
  readonly openOps?: boolean;
  /** The names of the operations that accept no request without an `Idempotency-Key`. Default: none. */
  readonly idempotencyRequired?: ReadonlySet<string>;
  /** The day to which the dates of the examples are relative. Default: one fixed day, so that the same declarations give the same document. */
  readonly now?: Date;
}

/** The Monday to which the dates of the examples in `openapi.json` are relative. */
export const referenceDay = new Date('2026-11-16T12:00:00Z');

/** The OpenAPI 3.1 document of these operations and of the gateway's own paths: everything a client needs to know. */
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
        description: introduction,
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
                'Where the gateway is reached, e.g. https://puente.hospital.example; as it comes, on this machine.',
            },
          },
        },
      ],
      tags: [...tags, gatewayTag],
      'x-tagGroups': [...tagGroups, { name: 'Gateway', tags: [gatewayTag.name] }],
      security: bearer,
      paths: { ...paths, ...gatewayPaths(problems, openOps) },
      components: {
        headers,
        parameters: { IdempotencyKey: idempotencyKey },
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
  ) as OpenApi;
  return dropParameterMeta(document);
}

/** zod-openapi leaves what is said of a parameter in its schema as well, where that is a reference. */
function dropParameterMeta(document: OpenApi): OpenApi {
  const described = Object.values(document.paths ?? {}).flatMap((path) => [path.get, path.post, path.put, path.delete]);
  for (const parameter of described.flatMap((operation) => operation?.parameters ?? [])) {
    const schema: object = ('schema' in parameter && parameter.schema) || {};
    Reflect.deleteProperty(schema, 'param');
  }
  return document;
}

/** Makes a schema mean the same to other tools. */
function toPortable({ jsonSchema, io }: ZodOpenApiOverrideContext) {
  // Most tools compile a pattern without the `u` flag, where `\p{L}` means the letters p, {, L and }.
  if (jsonSchema.pattern?.includes('\\p{')) delete jsonSchema.pattern;
  if (io === 'input') return;
  // A response may gain fields in a later version.
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  // The bounds of safe integers tell a client nothing about the value.
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

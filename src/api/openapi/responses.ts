import { z } from 'zod';
import type { oas31, ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import type { Fault, Problem } from '../problem.ts';
import { explainProblem, type ProblemCode, problemCodes, problems } from '../problem-types.ts';
import { Rejection, toProblemBody } from '../rejection.ts';

const faultSchema = z
  .object({
    in: z.enum(['body', 'query', 'path', 'header']).meta({ id: 'RequestPart' }),
    at: z
      .string()
      .meta({ description: 'A JSON pointer (RFC 6901) into the body, or `/` and the name of the parameter.' }),
    message: z.string(),
  })
  .meta({ id: 'Fault', description: 'One invalid value in a request. The value itself is not repeated.' });

/** The body of every error response. */
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

/** The header of a list that is not complete. */
export const omitted = describeHeader('Omitted');

/** The header of the response to a write that is not executed again. */
export const replayed = describeHeader('Replayed');

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

/** The headers of a response to these problems. */
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

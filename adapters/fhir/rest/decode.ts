import { z } from 'zod';
import type { Failure } from '../../../src/ports/index.ts';
import { badAnswer } from '../../../src/toolkit/http-client/failures.ts';
import { isObject, parseJsonObject } from '../../../src/toolkit/http-client/json.ts';
import { isId } from '../schema/datatypes.ts';
import { type Resource, type ResourceType, resources } from '../schema/resources.ts';
import { parseDecimals } from './decimals.ts';
import { type Outcome, parseOutcome, readRateLimit, type Sent, toStatusFailure } from './errors.ts';

/** A complete answer of a server, not yet understood. Header names are in lower case. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The base URL of the server, without a slash at its end. */
  readonly base: string;
  /** Most bytes of an answer. */
  readonly maxBytes: number;
  /** Whether what is read may be written again, and its decimals must not change. */
  readonly keepsDecimals: boolean;
}

export const isMissing = ({ status }: Reply): boolean => status === 404 || status === 410;

/** Whether it is a page for people, which a proxy sends in the place of a server that it does not reach. */
export const isPage = ({ body, headers }: Reply): boolean =>
  body.length > 0 && /^text\/(html|plain)\b/i.test(headers['content-type'] ?? '');

/**
 * The JSON object in an answer, with references to the server's own base made relative.
 * @throws Failure bad_answer for another media type, another encoding, text that is not JSON, or is too large.
 */
export function parseJson({ body, headers, base, maxBytes, keepsDecimals }: Reply): Record<string, unknown> {
  const parse = keepsDecimals ? parseDecimals : JSON.parse;
  const value = parseJsonObject(body, headers['content-type'], maxBytes, parse);
  makeRelative(value, `${base}/`);
  return value;
}

/** Walks over all of an answer, so it makes no list of what it walks over. */
function makeRelative(value: object, prefix: string): void {
  if (Array.isArray(value)) {
    for (const each of value) if (typeof each === 'object' && each !== null) makeRelative(each, prefix);
  } else if (isObject(value)) {
    for (const name in value) {
      const each = value[name];
      if (typeof each === 'object' && each !== null) makeRelative(each, prefix);
      else if (name === 'reference' && typeof each === 'string' && each.startsWith(prefix)) {
        value.reference = each.slice(prefix.length);
      }
    }
  }
}

/**
 * The body of an answer to a read. A missing end point is a fault of the server, not a missing resource.
 * @throws Failure as `toResponseFailure` says, when the status is not 200.
 */
export function parseBody(reply: Reply): Record<string, unknown> {
  if (isMissing(reply)) throw badAnswer('no_such_endpoint');
  if (reply.status !== 200) throw toResponseFailure(reply, 'read');
  return parseJson(reply);
}

/** What the body says went wrong. */
export function readOutcome(reply: Reply): Outcome {
  try {
    return parseOutcome(parseJson(reply));
  } catch {
    return parseOutcome(undefined);
  }
}

/** The failure that a status other than 2xx means; nothing of the server's words is kept but issue codes. */
export const toResponseFailure = (reply: Reply, sent: Sent, outcome = readOutcome(reply)): Failure =>
  toStatusFailure(reply.status, outcome, sent, readRetryAfter(reply));

/** A quota counts only for who has exceeded it: some servers tell it with every answer. */
const readRetryAfter = ({ status, headers }: Reply): string | undefined =>
  headers['retry-after'] ?? (status === 429 ? readRateLimit(headers.ratelimit ?? '') : undefined);

/** The type and the id in the `Location` of what was written, which may have a version too; empty when it is none. */
export function parseLocation(location: string | undefined): { readonly type?: string; readonly id?: string } {
  const [, type, id] = location?.match(/([A-Za-z]+)\/([^/]+)(?:\/_history\/[^/]+)?$/) ?? [];
  return type !== undefined && id !== undefined && isId(id) ? { type, id } : {};
}

/**
 * The value, when it is a resource of that type, and of that id when one was asked for.
 * @throws Failure bad_answer when it is not, or when an element that this adapter uses is not what FHIR says.
 */
export function parseResource<T extends ResourceType>(type: T, value: unknown, id?: string): Resource<T> {
  assertResource(type, value);
  if (id !== undefined && value.id !== id) throw badAnswer('another_resource');
  return value;
}

const compiled: Partial<Record<ResourceType, z.ZodType>> = {};

function assertResource<T extends ResourceType>(type: T, value: unknown): asserts value is Resource<T> {
  // Generated code looks at what matches in a fraction of the time; a type that nobody reads needs none.
  compiled[type] ??= z.compile(resources[type]);
  const { error } = compiled[type].safeParse(value);
  if (error) throw badAnswer('unexpected_resource', [type, ...(error.issues[0]?.path ?? [])].join('/'));
}

import { isObject, parseJsonObject, requireSize } from '../../../src/http-client/answer-size.ts';
import { badAnswer } from '../../../src/http-client/failures.ts';
import type { Failure } from '../../../src/ports/index.ts';
import { measureJson } from '../../../src/toolkit/measure-json.ts';
import { isId } from '../schema/datatypes.ts';
import { type OperationOutcome, parseOutcome, readRateLimit, type Sent, toStatusFailure } from './errors.ts';
import type { SearchQuery } from './query.ts';

/** A complete answer of a server, not yet parsed. Header names are in lower case. */
export interface ServerReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The base URLs of the server, each with a final slash: the configured one, and those in its own links. */
  readonly bases: Set<string>;
  /** The maximum bytes of an answer. */
  readonly maxBytes: number;
  /** True if the resource may be written again, so its decimals must not change. */
  readonly keepsDecimals: boolean;
}

export const isMissing = ({ status }: ServerReply): boolean => status === 404 || status === 410;

/** True if it is an HTML page, which a proxy sends if it cannot reach the server. */
export const isPage = ({ body, headers }: ServerReply): boolean =>
  body.length > 0 && /^text\/(html|plain)\b/i.test(headers['content-type'] ?? '');

/**
 * Parses and normalizes the JSON object of an answer. References to the server's own bases and files become relative.
 * Null stays only as a placeholder in a list. A leap second becomes the second before it.
 * @throws Failure bad_answer for another media type, another encoding, text that is not JSON, or is too large.
 */
export function parseJson({ body, headers, bases, maxBytes, keepsDecimals }: ServerReply): Record<string, unknown> {
  const parse = keepsDecimals ? parseDecimals : JSON.parse;
  const value = parseJsonObject(body, headers['content-type'], maxBytes, parse);
  const own = findOwnBase(value);
  if (own !== undefined) bases.add(own);
  simplify(value, [...bases]);
  return value;
}

/** The server's own base URL, from all matches of a search or from its capabilities. */
function findOwnBase({ resourceType, entry, implementation }: Record<string, unknown>): string | undefined {
  if (resourceType === 'CapabilityStatement' && isObject(implementation)) {
    const { url } = implementation;
    return typeof url === 'string' && /^https?:/.test(url) ? `${url.replace(/\/+$/, '')}/` : undefined;
  }
  const bases = (Array.isArray(entry) ? entry.filter(isObject) : []).flatMap(({ fullUrl, resource, search }) => {
    if (!isObject(resource) || (isObject(search) && search.mode !== 'match')) return [];
    const tail = `${resource.resourceType}/${resource.id}`;
    return typeof fullUrl === 'string' && /^https?:/.test(fullUrl) && fullUrl.endsWith(`/${tail}`)
      ? [fullUrl.slice(0, -tail.length)]
      : [];
  });
  return bases.every((each) => each === bases[0]) ? bases[0] : undefined;
}

/** Visits every value of an answer, so it avoids creating lists. */
function simplify(value: object, bases: readonly string[]): void {
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    for (const each of items) if (typeof each === 'object' && each !== null) simplify(each, bases);
  } else if (isObject(value)) {
    for (const name in value) {
      const each = value[name];
      if (each === null) delete value[name];
      else if (typeof each === 'object') {
        const keepsPlaces = name.startsWith('_') || Array.isArray(value[`_${name}`]);
        if (Array.isArray(each) && !keepsPlaces && each.includes(null)) {
          value[name] = each.filter((item) => item !== null);
        }
        simplify(each, bases);
      } else if (typeof each === 'string') {
        if (name === 'reference' || name === 'url') value[name] = makeRelative(each, name, bases);
        else if (each[17] === '6' && leapSecond.test(each)) value[name] = each.replace(':60', ':59');
      }
    }
  }
}

/** R4 allows leap seconds in instants; JavaScript does not. */
const leapSecond = /^\d{4}-\d\d-\d\dT\d\d:\d\d:60(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

function makeRelative(text: string, name: 'reference' | 'url', bases: readonly string[]): string {
  const base = bases.find((each) => text.startsWith(each));
  const path = base === undefined ? text : text.slice(base.length);
  return name === 'reference' || path.startsWith('Binary/') ? path : text;
}

/** The body of an answer to a read. Throws unless the status is 200: a missing endpoint is not a missing resource. */
export function parseBody(reply: ServerReply, search?: AskedFor): Record<string, unknown> {
  if (isMissing(reply)) throw badAnswer('no_such_endpoint', search?.type);
  if (reply.status !== 200) throw toResponseFailure(reply, 'read', readOutcome(reply), search);
  return parseJson(reply);
}

/** The errors in the body. */
export function readOutcome(reply: ServerReply): OperationOutcome {
  try {
    return parseOutcome(parseJson(reply));
  } catch {
    return parseOutcome(undefined);
  }
}

/** The failure for a status other than 2xx. Of the server's texts it keeps only issue codes. */
export const toResponseFailure = (
  reply: ServerReply,
  sent: Sent,
  outcome = readOutcome(reply),
  search?: AskedFor,
): Failure =>
  toStatusFailure(reply.status, outcome, sent, { retryAfter: readRetryAfter(reply), at: formatAsked(search, outcome) });

/** The type and the parameters of a request. */
interface AskedFor {
  readonly type: string;
  readonly query?: SearchQuery;
}

/** `Slot?_revinclude` if the server names that parameter, otherwise `Slot`. Never a value. */
function formatAsked(search: AskedFor | undefined, { names }: OperationOutcome): string | undefined {
  if (!search) return undefined;
  const { type, query = {} } = search;
  const asked = names.filter((name) => query[name] !== undefined);
  return asked.length > 0 ? `${type}?${asked.join(',')}` : type;
}

/** Some servers send their quota with every answer. It counts only after it is exceeded. */
const readRetryAfter = ({ status, headers }: ServerReply): string | undefined =>
  headers['retry-after'] ?? (status === 429 ? readRateLimit(headers.ratelimit ?? '') : undefined);

/** The type and the id in the `Location` of a write, which may include a version. Empty if it is invalid. */
export function parseLocation(location: string | undefined): { readonly type?: string; readonly id?: string } {
  const [, type, id] = location?.match(/([A-Za-z]+)\/([^/]+)(?:\/_history\/[^/]+)?$/) ?? [];
  return type !== undefined && id !== undefined && isId(id) ? { type, id } : {};
}

declare global {
  // ECMAScript 2026, which the types of the compiler do not have yet.
  interface JSON {
    rawJSON(text: string): object;
  }
}

/**
 * The key under which an object or array keeps the original text of its numbers. A copy by `...` keeps it, and JSON has
 * no such keys.
 */
const written = Symbol('written');

interface Written {
  [written]?: Map<string, string>;
}

/** Numbers that JavaScript may format differently: with a final zero, an exponent, tiny values, or too many digits. */
const fragile = /[:[,]\s*-?(?:\d+\.\d*0|0\.0{6}\d+|\d[\d.]*[eE][+-]?\d+|\d[\d.]{15,})\s*[,}\]]/;

/**
 * The maximum number of values of a text with such numbers: each takes ten times as long. Only a few resources are
 * written again.
 */
const MAX_VALUES = 20_000;

/**
 * Parses as `JSON.parse` does, and keeps the original text of decimals. In FHIR, 0.010 and 0.01 are different values
 * (https://hl7.org/fhir/R4/datatypes.html#decimal).
 * @throws Failure bad_answer `TOO_LARGE` for more than 20,000 values with such numbers among them.
 */
export function parseDecimals(text: string): unknown {
  if (!fragile.test(text)) return JSON.parse(text);
  const { values } = measureJson(Buffer.from(text), { depth: Number.POSITIVE_INFINITY, values: MAX_VALUES });
  requireSize(values, MAX_VALUES);
  return JSON.parse(text, remember);
}

function remember(this: Written, key: string, value: unknown, { source }: { readonly source?: string } = {}): unknown {
  if (typeof value !== 'number' || source === undefined || source === String(value)) return value;
  this[written] ??= new Map();
  this[written].set(key, source);
  return value;
}

/**
 * Formats a resource as FHIR requires. Unchanged decimals of `parseDecimals` keep their original text. Empty lists, which
 * FHIR forbids, are left out (https://hl7.org/fhir/R4/json.html).
 */
export const formatResource = (resource: unknown): string => JSON.stringify(resource, writeAgain);

function writeAgain(this: Written, key: string, value: unknown): unknown {
  if (Array.isArray(value) && value.length === 0) return undefined;
  const source = typeof value === 'number' ? this[written]?.get(key) : undefined;
  return source !== undefined && Number(source) === value ? JSON.rawJSON(source) : value;
}

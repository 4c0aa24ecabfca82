import { Failure } from '../ports/index.ts';
import { measureJson } from '../toolkit/measure-json.ts';
import { badAnswer, TOO_LARGE } from './failures.ts';

/** Levels of an answer. Those of systems have far fewer, and later code walks them recursively. */
const MAX_DEPTH = 100;
/** What a value costs at least, in bytes of an answer: it takes so much longer to read than the same bytes of a text. */
const BYTES_OF_VALUE = 25;
/** How many times the limit of one answer all pages of a list may have together. */
const ANSWERS_OF_LIST = 4;

/**
 * How large an answer counts, in bytes: 25 for each of its values, if it has no more. Infinite when it is nested deeper than
 * 100 levels.
 * @param json in UTF-8, not yet parsed.
 * @param most bytes, beyond which it need not be exact.
 */
export function weighJson(json: Uint8Array, most: number): number {
  const { depth, values } = measureJson(json, { depth: MAX_DEPTH, values: most / BYTES_OF_VALUE });
  return depth > MAX_DEPTH ? Number.POSITIVE_INFINITY : Math.max(json.length, values * BYTES_OF_VALUE);
}

/** @throws Failure bad_answer `TOO_LARGE` when the answer counts more. */
export function requireSize(weight: number, most: number): void {
  if (weight > most) throw badAnswer(TOO_LARGE);
}

/** The size of a list, all its pages together. */
export class ListSize {
  #left: number;

  /** @param most bytes of one answer; the list may be four times as large. */
  constructor(most: number) {
    this.#left = most * ANSWERS_OF_LIST;
  }

  /** @throws Failure bad_answer `TOO_LARGE` when the list is larger with this page. */
  add(weight: number): void {
    requireSize(weight, this.#left);
    this.#left -= weight;
  }
}

/** Most bytes of an answer that is no record, e.g. a token, or keys. */
export const SMALL_ANSWER = 1 << 20;

/**
 * The JSON object in a body.
 * @param maxBytes as `weighJson` counts them.
 * @param parse as `JSON.parse` does.
 * @throws Failure bad_answer for another media type, another encoding, text that is no JSON object, and one that is too large.
 */
export function parseJsonObject(
  body: Uint8Array,
  contentType = '',
  maxBytes: number = SMALL_ANSWER,
  parse: (text: string) => unknown = JSON.parse,
): Record<string, unknown> {
  const [mediaType = '', ...parameters] = contentType.split(';').map((part) => part.trim());
  if (!/^(application|text)\/([\w.-]+\+)?json$/i.test(mediaType)) throw badAnswer('not_json_type');
  const charset = parameters.find((each) => /^charset=/i.test(each))?.slice('charset='.length);
  const name = charset?.replaceAll('"', '') ?? 'utf-8';
  const text = decodeText(body, name);
  requireSize(weighJson(isUtf8(name) ? body : Buffer.from(text), maxBytes), maxBytes);
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    throw error instanceof Failure ? error : badAnswer('not_json');
  }
  if (!isObject(value)) throw badAnswer('not_an_object');
  return value;
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isUtf8 = (charset: string): boolean => /^utf-?8$/i.test(charset);
const utf8 = new TextDecoder('utf-8', { fatal: true });

function decodeText(body: Uint8Array, charset: string): string {
  try {
    return (isUtf8(charset) ? utf8 : new TextDecoder(charset, { fatal: true })).decode(body);
  } catch {
    throw badAnswer('bad_charset');
  }
}

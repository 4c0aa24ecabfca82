import { Failure } from '../ports/index.ts';
import { measureJson } from '../toolkit/measure-json.ts';
import { badAnswer, TOO_LARGE } from './failures.ts';

/** Levels of an answer. Answers of systems have far fewer, and later code walks them recursively. */
const MAX_DEPTH = 100;
/** The minimum weight of a value in bytes. Reading a value takes as long as reading that many bytes of text. */
const BYTES_OF_VALUE = 25;
/** The limit for all pages of a list, as a multiple of the limit for one answer. */
const ANSWERS_OF_LIST = 4;

/**
 * Returns the weight of an answer in bytes: its length, or 25 for each of its values if that is more. Infinite if it is
 * nested deeper than 100 levels.
 * @param json in UTF-8, not yet parsed.
 * @param most bytes; beyond this limit the result need not be exact.
 */
export function weighJson(json: Uint8Array, most: number): number {
  const { depth, values } = measureJson(json, { depth: MAX_DEPTH, values: most / BYTES_OF_VALUE });
  return depth > MAX_DEPTH ? Number.POSITIVE_INFINITY : Math.max(json.length, values * BYTES_OF_VALUE);
}

/** @throws Failure bad_answer `TOO_LARGE` when the weight exceeds the limit. */
export function requireSize(weight: number, most: number): void {
  if (weight > most) throw badAnswer(TOO_LARGE);
}

/** The total size of a list over all its pages. */
export class ListSize {
  #left: number;

  /** @param most bytes of one answer. The list may have four times as many. */
  constructor(most: number) {
    this.#left = most * ANSWERS_OF_LIST;
  }

  /** @throws Failure bad_answer `TOO_LARGE` when this page exceeds the limit of the list. */
  add(weight: number): void {
    requireSize(weight, this.#left);
    this.#left -= weight;
  }
}

/** The maximum bytes of an answer without records, e.g. a token or keys. */
export const SMALL_ANSWER = 1 << 20;

/**
 * Parses the JSON object in a body.
 * @param maxBytes as `weighJson` counts them.
 * @param parse as `JSON.parse` does.
 * @throws Failure bad_answer for another media type, another encoding, text that is not a JSON object, or too large an
 * answer.
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

import { Failure } from '../../ports/index.ts';
import { requireSize, weighJson } from './answer-size.ts';
import { badAnswer } from './failures.ts';

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

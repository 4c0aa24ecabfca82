import { badAnswer } from './failures.ts';

/**
 * The JSON object in a body.
 * @param parse as `JSON.parse` does.
 * @throws Failure bad_answer for another media type, another encoding, or text that is no JSON object.
 */
export function parseJsonObject(
  body: Uint8Array,
  contentType = '',
  parse: (text: string) => unknown = JSON.parse,
): Record<string, unknown> {
  const [mediaType = '', ...parameters] = contentType.split(';').map((part) => part.trim());
  if (!/^(application|text)\/([\w.-]+\+)?json$/i.test(mediaType)) throw badAnswer('not_json_type');
  const charset = parameters.find((each) => /^charset=/i.test(each))?.slice('charset='.length);
  const text = decodeText(body, charset?.replaceAll('"', '') ?? 'utf-8');
  let value: unknown;
  try {
    value = parse(text);
  } catch {
    throw badAnswer('not_json');
  }
  if (!isObject(value)) throw badAnswer('not_an_object');
  return value;
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decodeText(body: Uint8Array, charset: string): string {
  try {
    return (/^utf-?8$/i.test(charset) ? utf8 : new TextDecoder(charset, { fatal: true })).decode(body);
  } catch {
    throw badAnswer('bad_charset');
  }
}

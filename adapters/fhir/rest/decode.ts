import { Failure } from '../../../src/ports/index.ts';

/** Levels of arrays and objects that an answer may have; FHIR needs far fewer, and later code walks it recursively. */
const MAX_DEPTH = 100;

/** A complete answer of a server, not yet understood. Header names are in lower case. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** An answer that makes no sense; `cause` says why in a code. */
export const badAnswer = (cause: string, at?: string): Failure =>
  new Failure('bad_answer', 'the FHIR server sent an answer that cannot be used', {
    cause: { code: cause },
    ...(at !== undefined && { at }),
  });

/**
 * The JSON object in an answer, with references to the server's own base made relative.
 * @throws Failure bad_answer for another media type, another encoding, text that is not JSON, or too deep a nest.
 */
export function parseJson(reply: Reply, base: string): Record<string, unknown> {
  const [mediaType = '', ...parameters] = (reply.headers['content-type'] ?? '').split(';').map((part) => part.trim());
  if (!/^(application|text)\/(fhir\+)?json$/i.test(mediaType)) throw badAnswer('not_json_type');
  const charset = parameters.find((each) => /^charset=/i.test(each))?.slice('charset='.length);
  const text = decodeText(reply.body, charset?.replaceAll('"', '') ?? 'utf-8');
  if (computeDepth(text) > MAX_DEPTH) throw badAnswer('too_deep');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw badAnswer('not_json');
  }
  if (!isObject(value)) throw badAnswer('not_an_object');
  makeRelative(value, `${base}/`);
  return value;
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function decodeText(body: Uint8Array, charset: string): string {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(body);
  } catch {
    throw badAnswer('bad_charset');
  }
}

function computeDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index++) {
    const character = text.charCodeAt(index);
    if (quoted) {
      if (character === BACKSLASH) index++;
      else if (character === QUOTE) quoted = false;
    } else if (character === QUOTE) quoted = true;
    else if (character === OPEN_BRACE || character === OPEN_BRACKET) deepest = Math.max(deepest, ++depth);
    else if (character === CLOSE_BRACE || character === CLOSE_BRACKET) depth--;
  }
  return deepest;
}

const [QUOTE, BACKSLASH, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [34, 92, 123, 125, 91, 93];

function makeRelative(value: unknown, prefix: string): void {
  if (Array.isArray(value)) {
    for (const each of value) makeRelative(each, prefix);
  } else if (isObject(value)) {
    const { reference } = value;
    if (typeof reference === 'string' && reference.startsWith(prefix)) value.reference = reference.slice(prefix.length);
    for (const each of Object.values(value)) makeRelative(each, prefix);
  }
}

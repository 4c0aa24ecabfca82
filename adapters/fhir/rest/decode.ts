import { badAnswer } from '../../http-client/failures.ts';
import { isObject, parseJsonObject } from '../../http-client/json.ts';

/** Levels of arrays and objects that an answer may have; FHIR needs far fewer, and later code walks it recursively. */
const MAX_DEPTH = 100;

/** A complete answer of a server, not yet understood. Header names are in lower case. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/**
 * The JSON object in an answer, with references to the server's own base made relative.
 * @throws Failure bad_answer for another media type, another encoding, text that is not JSON, or too deep a nest.
 */
export function parseJson({ body, headers }: Reply, base: string): Record<string, unknown> {
  const value = parseJsonObject(body, headers['content-type']);
  makeRelative(value, `${base}/`, 1);
  return value;
}

function makeRelative(value: unknown, prefix: string, depth: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth > MAX_DEPTH) throw badAnswer('too_deep');
  if (isObject(value)) {
    const { reference } = value;
    if (typeof reference === 'string' && reference.startsWith(prefix)) value.reference = reference.slice(prefix.length);
  }
  for (const each of Object.values(value)) makeRelative(each, prefix, depth + 1);
}

import { isObject } from '../../../src/http-client/answer-size.ts';

/** A `Binary` as JSON. */
export const formatBinary = (bytes: Uint8Array, contentType: string): string =>
  JSON.stringify({ resourceType: 'Binary', contentType, data: Buffer.from(bytes).toString('base64') });

/** Only what begins so can be a `Binary`; a file is not read twice to find out. */
const beginnings = /^(?:\ufeff)?\s*[{<]/;

/**
 * The file in an answer to a read of a `Binary`: its bytes as they are, or what the resource holds that a server sends in
 * their place, in JSON or in XML, whatever its media type says. A file that is a resource itself is a file. Empty when the resource
 * has no data.
 */
export function readContent(body: Uint8Array, id: string): Uint8Array {
  const start = Buffer.from(body.subarray(0, 16)).toString();
  if (!beginnings.test(start)) return body;
  const text = Buffer.from(body)
    .toString()
    .replace(/^\ufeff/, '');
  const resource = text.trimStart().startsWith('{') ? readJson(text) : readXml(text);
  if (resource?.id !== id) return body;
  return Buffer.from(typeof resource.data === 'string' ? resource.data : '', 'base64');
}

function readJson(text: string): { readonly id?: unknown; readonly data?: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && value.resourceType === 'Binary' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The two elements that matter; base64 and ids need no escaping in XML. */
function readXml(text: string): { readonly id?: string | undefined; readonly data?: string | undefined } | undefined {
  if (!/^\s*(?:<\?xml[^>]*>\s*)?<Binary\s[^>]*http:\/\/hl7\.org\/fhir/.test(text)) return undefined;
  const find = (name: string) => new RegExp(`<${name}\\s+value\\s*=\\s*["']([^"']*)["']`).exec(text)?.[1];
  return { id: find('id'), data: find('data') };
}

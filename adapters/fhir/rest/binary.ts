import { isObject } from '../../../src/http-client/answer-size.ts';

/** A `Binary` as JSON. */
export const formatBinary = (bytes: Uint8Array, contentType: string): string =>
  JSON.stringify({ resourceType: 'Binary', contentType, data: Buffer.from(bytes).toString('base64') });

/** Matches the start of every JSON or XML `Binary`. Other files need not be parsed. */
const beginnings = /^(?:\ufeff)?\s*[{<]/;

/**
 * Extracts the file from an answer to a read of a `Binary`. The answer has the plain bytes, or a `Binary` resource as
 * JSON or XML with any media type. Any other resource is itself the file. Empty if the resource has no data.
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

/** The two relevant elements. Base64 and ids need no escaping in XML. */
function readXml(text: string): { readonly id?: string | undefined; readonly data?: string | undefined } | undefined {
  if (!/^\s*(?:<\?xml[^>]*>\s*)?<Binary\s[^>]*http:\/\/hl7\.org\/fhir/.test(text)) return undefined;
  const find = (name: string) => new RegExp(`<${name}\\s+value\\s*=\\s*["']([^"']*)["']`).exec(text)?.[1];
  return { id: find('id'), data: find('data') };
}

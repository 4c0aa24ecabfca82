import { createHash, randomBytes } from 'node:crypto';
import iconv from 'iconv-lite';
import { listNames, NotMade, namePattern, type Scalar, type Values } from '../source.ts';
import type { HttpChange, HttpQuestion, SessionLogin } from './schema.ts';

export type Template = HttpQuestion | HttpChange | SessionLogin;

/** A request with the values of its `:names`. */
export interface FilledRequest {
  readonly method: string;
  /** Below the base, with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** The same with references in the place of secrets, for tools. Undefined if it has none. */
  readonly shown?: FilledRequest;
}

const onlyName = /^:([a-z]\w*)$/i;
const elementOrName = /<([\w:.-]+)([^<>]*)>\s*:([a-z]\w*)\s*<\/\1>|(?<![\w:]):([a-z]\w*)/gi;

/** The `:names` of a request. */
export const findHttpNames = ({ request, query, headers, form, json, xml }: Partial<Template>): Set<string> =>
  new Set(listNames([request, query, headers, form, json, xml]));

/** The `:names` of a request at places that take only the first of several values. */
export function findSingleHttpNames({ request, query, headers, form, json, xml }: Partial<Template>): Set<string> {
  const parameters = Object.values({ ...query, ...form }).filter((value) => !onlyName.test(String(value)));
  const texts = [...(xml ?? '').matchAll(elementOrName)].flatMap(
    ([, , attributes = '', , key]) => key ?? listNames(attributes),
  );
  return new Set([...listNames([request, headers, parameters]), ...findSingleJsonNames(json), ...texts]);
}

/** In a list, `:name` is all values, and an entry with a name of several values is repeated. */
function findSingleJsonNames(json: unknown): string[] {
  if (!Array.isArray(json))
    return typeof json === 'object' && json ? Object.values(json).flatMap(findSingleJsonNames) : listNames(json);
  return json.flatMap((item: unknown) => {
    if (onlyName.test(String(item))) return [];
    const [several] = listSeveral(item);
    return findSingleJsonNames(item).filter((name) => name !== several);
  });
}

const listSeveral = (item: unknown): string[] => listNames(item).filter((key) => key.endsWith('Ids'));

/**
 * Fills in a request.
 * @param paging additional query parameters.
 * @throws NotMade if a value is not valid at its place.
 */
export function fillRequest(
  template: Template,
  values: Values,
  charset: string,
  paging: Readonly<Record<string, string>> = {},
): FilledRequest {
  const { request, query = {}, headers = {}, form, json, xml, join } = template;
  const [method = '', path = ''] = request.split(' ');
  const encode = (text: string) => percentEncode(text, charset);
  const encodeParameters = (parameters: Readonly<Record<string, Scalar>>) =>
    Object.entries(parameters)
      .flatMap(([key, value]) => fillParameter(value, values, join).map((text) => `${encode(key)}=${encode(text)}`))
      .join('&');
  const search = encodeParameters({ ...query, ...paging });
  const body = form ? encodeParameters(form) : xml ? fillXml(xml, values) : fillJson(json, values);
  const type = form ? 'application/x-www-form-urlencoded' : xml ? 'text/xml' : 'application/json';
  const text = typeof body === 'string' && json === undefined ? body : JSON.stringify(body);
  const declaration = xml && !xml.trimStart().startsWith('<?xml') ? `<?xml version="1.0" encoding="${charset}"?>` : '';
  const segments = path.split('/').map((segment) => fillSegment(segment, values, encode));
  return {
    method,
    path: segments.join('/') + (search && `?${search}`),
    headers: {
      ...(text !== undefined && { 'Content-Type': `${type}; charset=${charset}` }),
      ...Object.fromEntries(Object.entries(headers).flatMap(([key, value]) => fillHeader(key, value, values))),
    },
    ...(text !== undefined && { body: encodeText(declaration + text, charset) }),
  };
}

/**
 * The bytes of a text.
 * @throws NotMade for characters outside the charset.
 */
export function encodeText(text: string, charset: string): Buffer {
  const bytes = iconv.encode(text, charset);
  if (iconv.decode(bytes, charset, { stripBOM: false }) !== text) throw new NotMade('invalid');
  return bytes;
}

const percentEncode = (text: string, charset: string): string =>
  encodeText(text, charset)
    .toString('latin1')
    .replace(/[^\w.~-]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);

const listTexts = (values: Values, key: string): string[] =>
  (values[key] ?? []).flatMap((value) => (value === null ? [] : String(value)));

/** Undefined if one of its `:names` has no value. */
function fill(template: string, values: Values, encode: (text: string) => string = String): string | undefined {
  let isWhole = true;
  const text = template.replace(namePattern, (_, key: string) => {
    const [first] = listTexts(values, key);
    isWhole &&= first !== undefined;
    return encode(first ?? '');
  });
  return isWhole ? text : undefined;
}

function fillParameter(template: Scalar, values: Values, join?: string): string[] {
  const [, key] = onlyName.exec(String(template)) ?? [];
  if (key === undefined) return [fill(String(template), values) ?? []].flat();
  const texts = listTexts(values, key);
  return join === undefined || texts.length === 0 ? texts : [texts.join(join)];
}

/** A value that is not one segment, or that removes the previous segment, is not valid. */
function fillSegment(template: string, values: Values, encode: (text: string) => string): string {
  const segment = fill(template, values, (text) => {
    if (text === '') throw new NotMade('nothing');
    return encode(text);
  });
  if (segment === undefined || /^\.\.?$/.test(segment)) throw new NotMade('nothing');
  return segment;
}

function fillHeader(key: string, template: string, values: Values): [string, string][] {
  const text = fill(template, values);
  if (text === undefined) return [];
  if (!/^[\t\x20-\x7e\xa0-\xff]*$/.test(text)) throw new NotMade('invalid');
  return [[key, text]];
}

/** Undefined for an omitted value. */
function fillJson(template: unknown, values: Values): unknown {
  if (typeof template === 'string') {
    const [, key] = onlyName.exec(template) ?? [];
    return key === undefined ? fill(template, values) : values[key]?.[0];
  }
  if (Array.isArray(template)) {
    const items = template.flatMap((item): unknown => {
      const [, key] = onlyName.exec(String(item)) ?? [];
      return key === undefined ? fillItem(item, values) : (values[key] ?? []);
    });
    return items.filter((item) => item !== undefined);
  }
  if (typeof template !== 'object' || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([key, value]) => [key, fillJson(value, values)]));
}

/** One item for each value of a name with several, such as `:slotIds`. Empty if none of its names has a value. */
function fillItem(item: unknown, values: Values): readonly unknown[] {
  const names = listNames(item);
  const [several] = listSeveral(item);
  if (several !== undefined) return (values[several] ?? []).map((id) => fillJson(item, { ...values, [several]: [id] }));
  return names.length > 0 && names.every((key) => !values[key]?.length) ? [] : [fillJson(item, values)];
}

const references: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };

/** @throws NotMade for characters that XML cannot contain. */
function escapeXml(text: string): string {
  if (/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u.test(text)) throw new NotMade('invalid');
  return text.replace(/[&<>"'\t\n\r]/g, (found) => `&${references[found] ?? `#${found.charCodeAt(0)}`};`);
}

const fillXml = (template: string, values: Values): string =>
  template.replace(elementOrName, (...found: readonly string[]) => {
    // An element with only a name in it has the first three groups. Another name has the last one.
    const [, tag = '', attributes = '', only, key] = found;
    if (only === undefined) return escapeXml(listTexts(values, key ?? '')[0] ?? '');
    const start = `<${tag}${fillXml(attributes, values)}>`;
    return listTexts(values, only)
      .map((text) => `${start}${escapeXml(text)}</${tag}>`)
      .join('');
  });

const oasis = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss';
const namespaces = `xmlns:wsse="${oasis}-wssecurity-secext-1.0.xsd" xmlns:wsu="${oasis}-wssecurity-utility-1.0.xsd"`;
const envelope = /(<((?:[\w.-]+:)?)Envelope\b[^>]*>\s*)(<(?:[\w.-]+:)?Header\b[^>]*>)?/;

/** Adds a new UsernameToken of WS-Security 1.1 to the header of a SOAP envelope, for each request. */
export function addUsernameToken(xml: string, user: string, password: string, isDigest: boolean): string {
  const nonce = randomBytes(16);
  const created = new Date().toISOString();
  const digest = createHash('sha1')
    .update(nonce)
    .update(created + password)
    .digest('base64');
  const type = `${oasis}-username-token-profile-1.0#Password${isDigest ? 'Digest' : 'Text'}`;
  const token = [
    `<wsse:Username>${escapeXml(user)}</wsse:Username>`,
    `<wsse:Password Type="${type}">${isDigest ? digest : escapeXml(password)}</wsse:Password>`,
    `<wsse:Nonce EncodingType="${oasis}-soap-message-security-1.0#Base64Binary">${nonce.toString('base64')}</wsse:Nonce>`,
    `<wsu:Created>${created}</wsu:Created>`,
  ].join('');
  const security = `<wsse:Security ${namespaces}><wsse:UsernameToken>${token}</wsse:UsernameToken></wsse:Security>`;
  return xml.replace(envelope, (_, start: string, prefix: string, header?: string) =>
    header === undefined || header.endsWith('/>')
      ? `${start}<${prefix}Header>${security}</${prefix}Header>`
      : start + header + security,
  );
}

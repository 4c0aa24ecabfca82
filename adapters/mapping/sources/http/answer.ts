import { parseXml, XmlElement, XmlText } from '@rgrove/parse-xml';
import type { AxiosResponse } from 'axios';
import { parse as parseCsv } from 'csv-parse/sync';
import { requireSize, weighJson } from '../../../../src/http-client/answer-size.ts';
import { badAnswer } from '../../../../src/http-client/failures.ts';
import { Failure } from '../../../../src/ports/index.ts';
import { getFields } from '../../../../src/toolkit/records.ts';
import { decodeText } from '../../../common/charset.ts';
import { findValue, isRecord, type Meaning, nest, parseExactJson, type SourceValue } from '../source.ts';
import type { HttpQuestion, HttpSettings } from './schema.ts';

/** A parsed answer of a system. */
export interface SystemAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** The content of its root. Undefined if it is unreadable or empty. */
  readonly content: SourceValue | undefined;
  /** Its size in bytes for the limit. */
  readonly weight: number;
}

/** An empty XML element is a text. */
const toItems = (value: SourceValue | undefined): readonly SourceValue[] =>
  [value ?? []].flat().filter((each) => each !== '');

/** The records at a path, each with its enclosing record. */
function findRecords(content: SourceValue | undefined, path: string): readonly SourceValue[] {
  let found = toItems(content);
  for (const name of path.replace('?', '').split('.')) {
    found = found.flatMap((outer) => {
      const inner = toItems(findValue(outer, name));
      for (const each of inner) if (isRecord(each) && isRecord(outer)) nest(each, outer);
      return inner;
    });
  }
  return found;
}

/** The text at a path. Undefined for an absent value. */
export function findText(value: SourceValue | undefined, path: string): string | undefined {
  const [found = null] = toItems(findValue(value, path));
  return found === null || isRecord(found) ? undefined : String(found);
}

/** The number of items of a page as the system counts them: those of the first list on the path to the records. */
export function countItems(content: SourceValue | undefined, path: string | undefined): number {
  if (path === undefined || !isRecord(content)) return toItems(content).length;
  const [name = '', ...rest] = path.replace('?', '').split('.');
  return countItems(findValue(content, name), rest.length > 0 ? rest.join('.') : undefined);
}

/**
 * The records of a successful answer.
 * @throws Failure bad_answer if they are not records, or the JSON lacks their list.
 */
export function readRecords(
  { content, status }: SystemAnswer,
  path: string | undefined,
  { answers, root }: HttpSettings,
) {
  if (status === 204) return [];
  const [first = ''] = path?.split('.') ?? [];
  const items = toItems(content);
  // XML omits an empty list in its root. JSON must have it, unless the path has a `?`.
  const isOmitted = answers === 'xml' ? root !== undefined : answers !== 'json';
  const mayLack = isOmitted || path === undefined || first.endsWith('?') || items.length === 0;
  const isMissing = !mayLack && !items.some((each) => Object.hasOwn(getFields(each), first));
  if (content === undefined || isMissing) throw badAnswer('no_records', path);
  const records = path === undefined ? items : findRecords(content, path);
  if (!records.every(isRecord)) throw badAnswer('not_a_record', path);
  return records;
}

/** The meaning of an answer by the file. Undefined if the file does not define its code. */
export function findMeaning(
  { status, content }: SystemAnswer,
  { code: path, good, meaning }: HttpSettings['errors'],
  own: Readonly<Record<string, Meaning>> = {},
): Meaning | 'good' | undefined {
  const code = path === undefined ? undefined : findText(content, path);
  for (const each of [code, String(status)]) {
    const known = each === undefined ? undefined : (own[each] ?? meaning[each]);
    if (known) return known;
  }
  const isGood = code === undefined ? !good && !hasFault(content) : good?.includes(code);
  return status >= 200 && status < 300 && isGood ? 'good' : undefined;
}

/** True for a fault of SOAP, which some systems send with the status 200. */
const hasFault = (content: SourceValue | undefined): boolean =>
  ['Fault', 'Body.Fault', 'Envelope.Body.Fault'].some((path) => isRecord(findValue(content, path)));

type HttpReply = Pick<AxiosResponse<Uint8Array>, 'status' | 'headers' | 'data'>;

/**
 * Parses an answer.
 * @throws Failure bad_answer if its body does not match the file or is too large, although the status is a success.
 */
export function readAnswer({ status, headers, data }: HttpReply, settings: HttpSettings): SystemAnswer {
  try {
    const text = decodeText(data, settings.charset);
    const weight = weighAnswer(data, text, settings);
    requireSize(weight, settings.bytes);
    return { status, headers, content: readContent(text, settings), weight };
  } catch (error) {
    if (status < 200 || status >= 300) return { status, headers, content: undefined, weight: 0 };
    throw error instanceof Failure ? error : badAnswer(`not_${settings.answers}`);
  }
}

function readContent(text: string, { answers, root, separator }: HttpSettings): SourceValue | undefined {
  if (text.trim() === '') return undefined;
  const whole = parsers[answers](text, separator);
  if (root === undefined) return whole;
  const content = findValue(whole, root);
  if (content === undefined) throw new Error('the root is missing');
  return content;
}

const parsers: Readonly<Record<HttpSettings['answers'], (text: string, separator: string) => SourceValue>> = {
  json: parseExactJson,
  xml: (text) => {
    // XML 1.0, 2.11; the parser copies the whole text for each line.
    const lines = text.replace(/\r\n?/g, '\n');
    const { children, root } = parseXml(lines, { preserveDocumentType: true });
    if (root === null || children.some(({ type }) => type === 'doctype')) throw new Error('a DOCTYPE is refused');
    const instances = new Set(['xsi', ...[...lines.matchAll(schemaInstance)].map(([, prefix = '']) => prefix)]);
    return { [toLocalName(root.name)]: readElement(root, instances) };
  },
  csv: (text, delimiter) => parseCsv(text, { columns: true, bom: true, delimiter, skip_empty_lines: true }),
};

const toLocalName = (name: string): string => name.slice(name.indexOf(':') + 1);

/** The declaration of the prefix of `nil` and `type`. */
const schemaInstance = /\bxmlns:([\w.-]+)\s*=\s*["']http:\/\/www\.w3\.org\/2001\/XMLSchema-instance["']/g;
const toPrefix = (name: string): string => (name.includes(':') ? name.slice(0, name.indexOf(':')) : '');

/** A text, or a record of elements and attributes (`@name`) whose text is `#text`. Repeated elements become a list. */
function readElement({ attributes, children }: XmlElement, instances: ReadonlySet<string>): SourceValue {
  const given = Object.entries(attributes);
  const isOfSchema = (name: string) => instances.has(toPrefix(name));
  if (given.some(([name, value]) => isOfSchema(name) && name.endsWith(':nil') && /^(true|1)$/.test(value))) return null;
  const parts: [string, SourceValue][] = given
    .filter(([name]) => !/^xmlns(:|$)/.test(name) && !isOfSchema(name))
    .map(([name, value]) => [`@${toLocalName(name)}`, value]);
  let text = '';
  for (const child of children) {
    if (child instanceof XmlElement) parts.push([toLocalName(child.name), readElement(child, instances)]);
    if (child instanceof XmlText) text += child.text;
  }
  if (parts.length === 0) return text;
  if (text.trim() !== '') parts.push(['#text', text]);
  const byName = Map.groupBy(parts, ([name]) => name);
  return Object.fromEntries(
    [...byName].map(([name, all]) => [name, all.length === 1 ? all[0]![1] : all.map(([, value]) => value)]),
  );
}

export type Paging = NonNullable<HttpQuestion['pages']>;

/** How to request a page: by query parameters, or by a URL. */
export type PagePlace = Readonly<Record<string, string>> | URL;

/** A page that has been read. */
export interface AnswerPage {
  readonly content: SourceValue | undefined;
  /** The number of its items. */
  readonly size: number;
  /** The numbers of pages and items read so far, including it. */
  readonly pages: number;
  readonly items: number;
  /** The URL of the page. */
  readonly url: URL;
}

export function findFirstPage(pages: Paging | undefined): PagePlace {
  if (pages && 'parameter' in pages) return { [pages.parameter]: String(pages.first) };
  return pages && 'offset' in pages ? { [pages.offset]: '0' } : {};
}

/**
 * The place of the next page. Undefined after the last one.
 * @throws Failure bad_answer if the answer lacks what the file specifies.
 */
export function findNextPage(pages: Paging, page: AnswerPage): PagePlace | undefined {
  if ('parameter' in pages) {
    const isLast = pages.count === undefined ? page.size === 0 : page.pages >= readCount(page, pages.count);
    return isLast ? undefined : { [pages.parameter]: String(pages.first + page.pages) };
  }
  if ('offset' in pages) {
    const isLast = pages.total === undefined ? page.size === 0 : page.items >= readCount(page, pages.total);
    return isLast ? undefined : { [pages.offset]: String(page.items) };
  }
  if ('cursor' in pages) {
    const cursor = findText(page.content, pages.from);
    return cursor === undefined ? undefined : { [pages.cursor]: cursor };
  }
  const link = findText(page.content, pages.next);
  if (link === undefined) return undefined;
  if (!URL.canParse(link, page.url.href)) throw badAnswer('bad_link');
  return new URL(link, page.url);
}

function readCount({ content }: AnswerPage, path: string): number {
  const count = Number(findText(content, path));
  if (!Number.isInteger(count)) throw badAnswer('no_count', path);
  return count;
}

/**
 * The minimum weight of each construct in bytes: it takes as long to parse as that many bytes of text. A reference has
 * the weight of a carriage return, and of a line in an attribute.
 */
const REFERENCE = 25;
const CELL = 50;
const NODE = 150;
const COLUMN = 200;
const MAX_DEPTH = 100;

/**
 * The size of an answer in bytes for the limit, before it is parsed: its own size, or the higher
 * cost of its values, cells and elements. Infinite for more than 100 levels of nesting. Beyond the limit it is approximate.
 * @param text the answer, in the charset of the settings.
 */
function weighAnswer(data: Uint8Array, text: string, { answers, bytes, charset, separator }: HttpSettings) {
  if (answers === 'xml') return Math.max(data.length, weighXml(text, bytes));
  if (answers === 'csv') return Math.max(data.length, weighCsv(text, separator));
  return weighJson(/^utf-?8$/i.test(charset) ? data : Buffer.from(text), bytes);
}

/** Sections in which `<` begins no tag. */
const sections = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
] as const;

function weighXml(text: string, most: number): number {
  let weight = 0;
  let depth = 0;
  let isInTag = false;
  for (let at = 0; at < text.length && weight <= most; at++) {
    switch (text[at]) {
      case '<': {
        const [begin = '', end = ''] = sections.find(([begin]) => text.startsWith(begin, at)) ?? [];
        isInTag = begin === '' && text[at + 1] !== '/';
        if (isInTag) depth++;
        else if (begin === '') depth--;
        else at = findOrEnd(text, end, at + begin.length) + end.length - 1;
        if (isInTag || begin !== '') weight += NODE;
        if (depth > MAX_DEPTH) return Number.POSITIVE_INFINITY;
        break;
      }
      case '>':
        if (isInTag && text[at - 1] === '/') depth--;
        isInTag = false;
        break;
      case '"':
      case "'":
        if (isInTag) {
          const end = findOrEnd(text, text[at]!, at + 1);
          weight += NODE + REFERENCE * countAll('&\t\n', text, at, end);
          at = end;
        }
        break;
      case '&':
      case '\r':
        weight += REFERENCE;
        break;
      default:
    }
  }
  return weight;
}

const findOrEnd = (text: string, what: string, from: number): number => {
  const at = text.indexOf(what, from);
  return at === -1 ? text.length : at;
};

function countAll(characters: string, text: string, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) if (characters.includes(text[at]!)) count++;
  return count;
}

function weighCsv(text: string, separator: string): number {
  const head = findOrEnd(text, '\n', 0);
  const between = `${separator}\r\n`;
  return COLUMN * countAll(between, text, 0, head) + CELL * countAll(between, text, head, text.length);
}

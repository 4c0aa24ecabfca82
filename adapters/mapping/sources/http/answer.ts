import { parseXml, XmlElement, XmlText } from '@rgrove/parse-xml';
import { parse as parseCsv } from 'csv-parse/sync';
import iconv from 'iconv-lite';
import { badAnswer } from '../../../../src/toolkit/http-client/failures.ts';
import type { Meaning, SourceRecord, SourceValue } from '../source.ts';
import type { HttpSettings } from './schema.ts';

/** An answer of a system, whatever it says. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** What is in its root; undefined when it cannot be read, or is empty. */
  readonly content: SourceValue | undefined;
}

/** Everything that stands at a path; lists on the way are gone through. */
function findAll(value: SourceValue | undefined, path: string): readonly SourceValue[] {
  let found = toItems(value);
  for (const key of path.split('.')) found = found.flatMap((each) => toList(each, key));
  return found;
}

/** The text at a path; undefined when nothing is there. */
export function findText(value: SourceValue | undefined, path: string): string | undefined {
  const [found] = findAll(value, path);
  return found === undefined || found === null || found === '' || isRecord(found) ? undefined : String(found);
}

const toItems = (value: SourceValue | undefined): readonly SourceValue[] =>
  value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];
const toList = (value: SourceValue, key: string): readonly SourceValue[] =>
  isRecord(value) && Object.hasOwn(value, key) ? toItems(value[key]) : [];
const findKeys = (value: SourceValue | undefined): string[] =>
  toItems(value).flatMap((each) => Object.keys(Object(each)));
const isRecord = (value: SourceValue): value is SourceRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The records of a good answer.
 * @throws Failure bad_answer when they are none, or JSON does not have what they should stand in.
 */
export function readRecords({ content, status }: Answer, path: string | undefined, { answers }: HttpSettings) {
  if (status === 204) return [];
  const found = path === undefined ? toItems(content) : findAll(content, path);
  // An empty list is left out of XML, and stands in JSON.
  const [first] = path?.split('.') ?? [];
  const isMissing = answers === 'json' && first !== undefined && findKeys(content).every((key) => key !== first);
  if (content === undefined || isMissing) throw badAnswer('no_records');
  // XML says of what is empty that it is a text.
  const records = found.filter((each) => each !== '');
  if (!records.every(isRecord)) throw badAnswer('not_a_record');
  return records;
}

/** What an answer says of a request; undefined when the file does not say what its code means. */
export function findMeaning(
  { status, content }: Answer,
  { code: path, good, meaning }: HttpSettings['errors'],
  own: Readonly<Record<string, Meaning>> = {},
): Meaning | 'good' | undefined {
  const code = path === undefined ? undefined : findText(content, path);
  for (const each of [code, String(status)]) {
    const known = each === undefined ? undefined : (own[each] ?? meaning[each]);
    if (known) return known;
  }
  const isGood = code === undefined ? !good : good?.includes(code);
  return status >= 200 && status < 300 && isGood ? 'good' : undefined;
}

/**
 * Reads the body of an answer.
 * @throws Failure bad_answer when it is not what the file says, and the status says that all went well.
 */
export function readAnswer(
  { status, headers, data }: { status: number; headers: object; data: Uint8Array },
  { charset, answers, root, separator }: Pick<HttpSettings, 'charset' | 'answers' | 'root' | 'separator'>,
): Answer {
  const isFine = status >= 200 && status < 300;
  const answer = { status, headers: { ...headers } };
  try {
    const text = decodeText(data, charset);
    if (text.trim() === '') return { ...answer, text, content: undefined };
    const whole = parsers[answers](text, separator);
    const content = root === undefined ? whole : findAll(whole, root)[0];
    if (content === undefined && isFine) throw new Error('the root is missing');
    return { ...answer, text, content };
  } catch {
    if (isFine) throw badAnswer(`not_${answers}`);
    return { ...answer, text: '', content: undefined };
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });
const decodeText = (data: Uint8Array, charset: string): string =>
  /^utf-?8$/i.test(charset) ? utf8.decode(data) : iconv.decode(Buffer.from(data), charset);

/** With what each number was written as. */
const parseExactly = JSON.parse as (
  text: string,
  revive: (key: string, value: unknown, written: { readonly source: string }) => unknown,
) => SourceValue;
const keepDigits = (_: string, value: unknown, { source }: { readonly source: string }): unknown =>
  Number.isInteger(value) && !Number.isSafeInteger(value) ? source : value;

const parsers: Readonly<Record<HttpSettings['answers'], (text: string, separator: string) => SourceValue>> = {
  json: (text) => (/\d{16}/.test(text) ? parseExactly(text, keepDigits) : JSON.parse(text)),
  xml: (text) => {
    const { children, root } = parseXml(text, { preserveDocumentType: true });
    if (root === null || children.some(({ type }) => type === 'doctype')) throw new Error('a DOCTYPE is refused');
    return { [toLocalName(root.name)]: readElement(root) };
  },
  csv: (text, delimiter) => parseCsv(text, { columns: true, bom: true, delimiter, skip_empty_lines: true }),
};

const toOne = ([first = '', ...others]: readonly SourceValue[]): SourceValue =>
  others.length === 0 ? first : [first, ...others];
const toLocalName = (name: string): string => name.slice(name.indexOf(':') + 1);

/** A text, or a record of elements and attributes (`@name`) whose text is `#text`; what is repeated is a list. */
function readElement({ attributes, children }: XmlElement): SourceValue {
  const found = new Map<string, SourceValue[]>();
  const add = (key: string, value: SourceValue) => {
    const values = found.get(key);
    if (values) values.push(value);
    else found.set(key, [value]);
  };
  let text = '';
  for (const [name, value] of Object.entries(attributes)) {
    if (name === 'xsi:nil' && value === 'true') return null;
    if (!/^(xmlns|xsi)(:|$)/.test(name)) add(`@${toLocalName(name)}`, value);
  }
  for (const child of children) {
    if (child instanceof XmlElement) add(toLocalName(child.name), readElement(child));
    if (child instanceof XmlText) text += child.text;
  }
  if (found.size === 0) return text;
  if (text.trim() !== '') add('#text', text);
  return Object.fromEntries([...found].map(([key, values]) => [key, toOne(values)]));
}

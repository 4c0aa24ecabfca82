import { isUtf8 } from 'node:buffer';
import { requireSize } from '../../../../src/http-client/answer-size.ts';
import { badAnswer } from '../../../../src/http-client/failures.ts';
import type { ColumnValue, DatabaseDriverOptions, Marks, StatementOutcome } from '../../../common/sql-driver.ts';
import { decodeText } from '../charset.ts';
import { requireFewRecords, type Scalar, type Values } from '../source.ts';

function toValue(value: unknown, charset = 'utf-8'): ColumnValue {
  if (value === null || value === undefined) return null;
  if (value instanceof Uint8Array) return decodeBytes(value, charset);
  if (Array.isArray(value)) return value.map(String);
  return typeof value === 'object' ? {} : String(value);
}

const decodeBytes = (bytes: Uint8Array, charset: string): ColumnValue => {
  if (isUtf8(bytes)) return decodeText(bytes, 'utf-8');
  return /^utf-?8$/i.test(charset) ? {} : decodeText(bytes, charset);
};

/** @throws Failure bad_answer for what has lost digits, or may have moved to another day, on its way through a library. */
function requireExact(name: string, value: unknown): void {
  if (value instanceof Date) throw badAnswer('moved_time', name);
  const isWhole = typeof value === 'number' && Number.isInteger(value);
  if (isWhole && !Number.isSafeInteger(value)) throw badAnswer('unsafe_number', name);
}

/** Most bytes of the rows of one statement, of which each value counts at least so many. */
const MOST_BYTES = 20 << 20;
const BYTES_OF_VALUE = 25;

type RowOptions = Pick<DatabaseDriverOptions, 'records' | 'charset'>;

/** The rows of one statement, all of whose values become texts. */
export function createRows({ records, charset }: RowOptions) {
  const all: Record<string, ColumnValue>[] = [];
  let bytes = 0;
  return {
    all,
    /** @throws Failure bad_answer when there are too many with this one, or they are too large. */
    add: (row: Record<string, unknown>): void => {
      for (const name of Object.keys(row)) {
        requireExact(name, row[name]);
        const value = toValue(row[name], charset);
        row[name] = value;
        bytes += Math.max(BYTES_OF_VALUE, String(value).length);
      }
      requireSize(bytes, MOST_BYTES);
      all.push(row as Record<string, ColumnValue>);
      requireFewRecords(all, records);
    },
  };
}

/** The rows that a driver has read as a whole. */
export function toRows(rows: readonly Record<string, unknown>[], options: RowOptions): StatementOutcome['rows'] {
  const read = createRows(options);
  for (const row of rows) read.add(row);
  return read.all;
}

/** What is no `:name` though it may look like one (quoted text, comments, PostgreSQL’s dollar quotes), and what is one. */
const token =
  /\bE'(?:[^'\\]|\\[\s\S])*'|'[^']*'|"[^"]*"|`[^`]*`|--[^\n]*|\/\*[\s\S]*?\*\/|\$(\w*)\$[\s\S]*?\$\1\$|(?<list>\bIN\s*\(\s*):(?<all>[a-z]\w*)(?=\s*\))|(?<![\w:]):(?<one>[a-z]\w*)/gi;

/** The `:names` of a statement. */
export const findSqlNames = (sql: string): Set<string> =>
  new Set([...sql.matchAll(token)].flatMap(({ groups = {} }) => groups.all ?? groups.one ?? []));

/** What stands outside of quotes, comments and parentheses. */
export function dropNested(sql: string): string {
  let text = sql.replace(token, (found: string) =>
    /^(--|\/\*)/.test(found) ? ' ' : /^E?['"`$]/i.test(found) ? '0' : found,
  );
  for (let before = ''; before !== text; ) {
    before = text;
    text = text.replace(/\([^()]*\)/g, ' 0 ');
  }
  return text;
}

/** What a statement does, e.g. SELECT, UPDATE or CALL; empty for what is none of these. */
export const readVerb = (sql: string): string =>
  /\b(SELECT|INSERT|REPLACE|UPDATE|DELETE|MERGE|CALL|EXEC|EXECUTE|DO|BEGIN)\b/i
    .exec(dropNested(sql))?.[1]
    ?.toUpperCase() ?? '';

/**
 * Puts a mark in the place of each `:name`, the same one wherever it stands. `IN (:name)` takes all its values, any other
 * place the first one; without a value it is NULL. `places` says of which name each value is, and which one of its values.
 */
export function bind(sql: string, given: Values, { mark, isPositional }: Marks) {
  const values: (string | number | null)[] = [];
  const places: (readonly [string, number])[] = [];
  const marks = new Map<string, string>();
  const place = (value: Scalar, name: string, index: number): string => {
    const key = `${name} ${index}`;
    const known = marks.get(key);
    if (known !== undefined && !isPositional) return known;
    values.push(typeof value === 'boolean' ? Number(value) : value);
    places.push([name, index]);
    marks.set(key, mark(values.length));
    return mark(values.length);
  };
  const text = sql.replace(token, (found: string, ...rest: unknown[]) => {
    const { list = '', all, one } = rest.at(-1) as { list?: string; all?: string; one?: string };
    const name = all ?? one;
    if (name === undefined) return found;
    const [first = null, ...others] = given[name] ?? [];
    const taken = all === undefined ? [first] : [first, ...others];
    return list + taken.map((value, index) => place(value, name, index)).join(', ');
  });
  return { sql: text, values, places };
}

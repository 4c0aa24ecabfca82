import { isUtf8 } from 'node:buffer';
import { requireSize } from '../../src/http-client/answer-size.ts';
import { badAnswer, TOO_LARGE } from '../../src/http-client/failures.ts';
import { decodeText } from './charset.ts';
import type { ColumnValue, DatabaseDriverOptions, StatementOutcome } from './sql-driver.ts';

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

/** @throws Failure bad_answer when a library's value may have lost digits or moved to another day. */
function requireExact(name: string, value: unknown): void {
  if (value instanceof Date) throw badAnswer('moved_time', name);
  const isWhole = typeof value === 'number' && Number.isInteger(value);
  if (isWhole && !Number.isSafeInteger(value)) throw badAnswer('unsafe_number', name);
}

/** The maximum bytes of the rows of one statement. Each value has a minimum weight. */
const MOST_BYTES = 20 << 20;
const BYTES_OF_VALUE = 25;

type RowOptions = Pick<DatabaseDriverOptions, 'records' | 'charset'>;

/** The rows of one statement, with all values as texts. */
export function createRows({ records, charset }: RowOptions) {
  const all: Record<string, ColumnValue>[] = [];
  let bytes = 0;
  return {
    all,
    /** @throws Failure bad_answer when this row exceeds the limit of rows or bytes. */
    add: (row: Record<string, unknown>): void => {
      for (const name of Object.keys(row)) {
        requireExact(name, row[name]);
        const value = toValue(row[name], charset);
        row[name] = value;
        bytes += Math.max(BYTES_OF_VALUE, String(value).length);
      }
      requireSize(bytes, MOST_BYTES);
      all.push(row as Record<string, ColumnValue>);
      if (all.length > records) throw badAnswer(TOO_LARGE, 'records');
    },
  };
}

/** Converts rows that the driver has read completely. */
export function toRows(rows: readonly Record<string, unknown>[], options: RowOptions): StatementOutcome['rows'] {
  const read = createRows(options);
  for (const row of rows) read.add(row);
  return read.all;
}

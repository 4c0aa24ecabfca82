import { isUtf8 } from 'node:buffer';
import { requireSize } from '../../../../src/toolkit/http-client/answer-size.ts';
import type { ColumnValue, DriverOptions, Outcome } from '../../../common/sql-driver.ts';
import { decodeText } from '../charset.ts';
import { requireFewRecords } from '../source.ts';

/** What a driver gives for one value. */
function toValue(value: unknown, charset = 'utf-8'): ColumnValue {
  if (value === null || value === undefined) return null;
  if (value instanceof Uint8Array) return decodeBytes(value, charset);
  if (Array.isArray(value)) return value.map(String);
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'object' ? {} : String(value);
}

const decodeBytes = (bytes: Uint8Array, charset: string): ColumnValue => {
  if (isUtf8(bytes)) return decodeText(bytes, 'utf-8');
  return /^utf-?8$/i.test(charset) ? {} : decodeText(bytes, charset);
};

/** Most bytes of the rows of one statement, of which each value counts at least so many. */
const MOST_BYTES = 20 << 20;
const BYTES_OF_VALUE = 25;

type RowOptions = Pick<DriverOptions, 'records' | 'charset'>;

/** The rows of one statement, all of whose values become texts. */
export function createRows({ records, charset }: RowOptions) {
  const all: Record<string, ColumnValue>[] = [];
  let bytes = 0;
  return {
    all,
    /** @throws Failure bad_answer when there are too many with this one, or they are too large. */
    add: (row: Record<string, unknown>): void => {
      for (const name of Object.keys(row)) {
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
export function toRows(rows: readonly Record<string, unknown>[], options: RowOptions): Outcome['rows'] {
  const read = createRows(options);
  for (const row of rows) read.add(row);
  return read.all;
}

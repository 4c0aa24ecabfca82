import { requireSize } from '../../../../src/toolkit/http-client/answer-size.ts';
import type { Outcome } from '../../../common/sql-driver.ts';
import { requireFewRecords } from '../source.ts';

/** What a driver gives for one value, as a text. */
function toText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  // A column of MySQL for one bit.
  if (value instanceof Uint8Array) return value.length === 1 ? String(value[0]) : Buffer.from(value).toString('base64');
  return value instanceof Date ? value.toISOString() : String(value);
}

/** Most bytes of the rows of one statement, of which each value counts at least so many. */
const MOST_BYTES = 20 << 20;
const BYTES_OF_VALUE = 25;

/** The rows of one statement, all of whose values become texts. */
export class Rows {
  readonly all: Record<string, string | null>[] = [];
  readonly #most: number;
  #bytes = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** @throws Failure bad_answer when there are too many with this one, or they are too large. */
  add(row: Record<string, unknown>): void {
    for (const name of Object.keys(row)) {
      const text = toText(row[name]);
      row[name] = text;
      this.#bytes += Math.max(BYTES_OF_VALUE, text?.length ?? 0);
    }
    requireSize(this.#bytes, MOST_BYTES);
    this.all.push(row as Record<string, string | null>);
    requireFewRecords(this.all, this.#most);
  }
}

/** The rows that a driver has read as a whole. */
export function toRows(rows: readonly Record<string, unknown>[], most: number): Outcome['rows'] {
  const read = new Rows(most);
  for (const row of rows) read.add(row);
  return read.all;
}

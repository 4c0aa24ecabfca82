import { requireSize } from '../../../../src/toolkit/http-client/answer-size.ts';
import { SettingsProblem } from '../../../../src/toolkit/settings-problem.ts';
import type { ConnectionPool } from '../../../../src/toolkit/telemetry.ts';
import { requireFewRecords, type SourceRecord } from '../source.ts';
import type { BoundStatement, Marks } from './statement.ts';

/** What a statement did. */
export interface Outcome {
  /** All values are texts, so that no day and no large number is changed on its way. */
  readonly rows: readonly SourceRecord[];
  readonly changed: number;
  /** Of the row that it made, when the driver tells it. */
  readonly id?: string | undefined;
}

/** A connection that nobody else uses. */
export interface Connection {
  run(statement: BoundStatement): Promise<Outcome>;
  /** The columns that a statement returns; it is not run. */
  describe?(sql: string): Promise<readonly string[]>;
  /** @param isBroken whether nobody may use it again. */
  release(isBroken: boolean): void;
}

/** A kind of database. */
export interface Driver {
  readonly marks: Marks;
  /** What OpenTelemetry calls it. */
  readonly system: string;
  readonly pool?: ConnectionPool;
  /** What begins a transaction, if anything does; one that is serializable where the database has it, so that no two read at once what both change. */
  readonly begin?: string;
  /** What asks for tables of which nothing is undone; without it there are none. */
  readonly lasting?: string;
  /** A statement that every database of this kind answers. */
  readonly probe: string;
  connect(purpose: 'read' | 'write'): Promise<Connection>;
  /** The code of an error of the database; undefined when it is the connection that failed. */
  findCode(error: object): string | undefined;
  /** Codes by what they say of a statement; all others say that it is wrong. */
  readonly codes: {
    /** A row with this key is there already. */
    readonly exists: RegExp;
    /** The data breaks a rule of the database. */
    readonly refused: RegExp;
    /** It met another transaction, and may be tried again. */
    readonly clash: RegExp;
    /** It waited too long for another one. */
    readonly busy: RegExp;
  };
  close(): Promise<void>;
}

/** How a server is reached. */
export interface ServerOptions {
  readonly url: string;
  /** Milliseconds for one statement. */
  readonly timeout: number;
  readonly connections: number;
  /** Most rows of one statement. */
  readonly records: number;
}

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
  readonly all: SourceRecord[] = [];
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
    this.all.push(row as SourceRecord);
    requireFewRecords(this.all, this.#most);
  }
}

/** The rows that a driver has read as a whole. */
export function toRows(rows: readonly Record<string, unknown>[], most: number): readonly SourceRecord[] {
  const read = new Rows(most);
  for (const row of rows) read.add(row);
  return read.all;
}

/**
 * A driver that does not come with Puente.
 * @throws SettingsProblem when it is not installed.
 */
export async function loadPackage<T>(name: string): Promise<T> {
  try {
    return await import(name);
  } catch {
    throw new SettingsProblem('database.kind', [`needs the package ${name}: npm install ${name}`]);
  }
}

import type { ConnectionPool } from '../../src/toolkit/telemetry.ts';

/** How a driver marks the place of a value. */
export interface Marks {
  /** Of the value with this number, from 1 on. */
  readonly mark: (number: number) => string;
  /** True if marks have no number, so that a value is given again for each of its places. */
  readonly isPositional?: true;
}

/** A statement with marks, and the values for them. */
export interface BoundStatement {
  readonly sql: string;
  readonly values: readonly (string | number | null)[];
}

/** A text, so that no day and no large number is changed on its way; several where the database has lists; bytes that are no text are `{}`. */
export type ColumnValue = string | null | readonly string[] | Readonly<Record<string, never>>;

/** What a statement did. */
export interface StatementOutcome {
  readonly rows: readonly Readonly<Record<string, ColumnValue>>[];
  readonly changed: number;
  /** Of the row that it made, when the driver tells it. */
  readonly id?: string | undefined;
}

/** A connection that nobody else uses. */
export interface DatabaseConnection {
  /** @throws the error of the database, which `DatabaseDriver.findCode` reads. */
  run(statement: BoundStatement): Promise<StatementOutcome>;
  /** The columns that a statement returns; it is not run. */
  describe?(sql: string): Promise<readonly string[]>;
  /** @param isBroken whether nobody may use it again. */
  release(isBroken: boolean): void;
}

/** A kind of database, as the mapping adapter asks and changes one. */
export interface DatabaseDriver {
  readonly marks: Marks;
  /** What OpenTelemetry calls it. */
  readonly system: string;
  readonly pool?: ConnectionPool;
  /** What begins a transaction, if anything does; one that is serializable where the database has it, so that no two read at once what both change. */
  readonly begin?: string;
  /** True if a transaction that may write keeps out every other one. */
  readonly isExclusive?: true;
  /**
   * Where two transactions that exclude each other both go on, and one of them cannot commit: what is asked in one of them, and how its
   * first answer begins if that holds.
   */
  readonly optimism?: { readonly sql: string; readonly answer: RegExp };
  /** What asks for tables of which nothing is undone; without it there are none. */
  readonly lasting?: string;
  /** A statement that every database of this kind answers. */
  readonly probe: string;
  connect(purpose: 'read' | 'write'): Promise<DatabaseConnection>;
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
    /** It took longer than it may, and was ended. */
    readonly slow: RegExp;
  };
  /** Which of the values, from 1 on, cannot be one of the column that it is compared with; where the database minds. */
  findNoValue?(error: object): number | undefined;
  close(): Promise<void>;
}

/** How a server is reached. */
export interface DatabaseDriverOptions {
  readonly url: string;
  /** Milliseconds for one statement. */
  readonly timeout: number;
  readonly connections: number;
  /** Of local times, for a database that moves those that have a zone. */
  readonly timeZone?: string | undefined;
  /** That of texts in binary columns, where it is not UTF-8. */
  readonly charset?: string | undefined;
  /** Most rows of one statement. */
  readonly records: number;
  /**
   * What a library gives for the rows of a statement, as texts.
   * @throws Failure bad_answer when there are too many, or they are too large.
   */
  readRows(rows: readonly Record<string, unknown>[]): StatementOutcome['rows'];
}

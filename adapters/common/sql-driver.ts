import type { ConnectionPool } from '../../src/toolkit/telemetry.ts';

/** The placeholders of a driver. */
export interface Marks {
  /** The placeholder of the value with this number, from 1 on. */
  readonly mark: (number: number) => string;
  /** True if placeholders have no number. A value is then passed again for each of its places. */
  readonly isPositional?: true;
}

/** A statement with placeholders, and the values for them. */
export interface BoundStatement {
  readonly sql: string;
  readonly values: readonly (string | number | null)[];
}

/**
 * A text, so that no library changes a day or a large number. Several texts if the database has lists. Bytes that are
 * not text become `{}`.
 */
export type ColumnValue = string | null | readonly string[] | Readonly<Record<string, never>>;

/** The result of a statement. */
export interface StatementOutcome {
  readonly rows: readonly Readonly<Record<string, ColumnValue>>[];
  readonly changed: number;
  /** The id of the new row, if the driver returns it. */
  readonly id?: string | undefined;
}

/** A connection with exclusive use. */
export interface DatabaseConnection {
  /** @throws the database's error, for `DatabaseDriver.findCode`. */
  run(statement: BoundStatement): Promise<StatementOutcome>;
  /** Returns the columns of a statement without running it. */
  describe?(sql: string): Promise<readonly string[]>;
  /** @param isBroken true if the connection must not be used again. */
  release(isBroken: boolean): void;
}

/** A kind of database, as the mapping adapter uses it. */
export interface DatabaseDriver {
  readonly marks: Marks;
  /** The name of the database in OpenTelemetry. */
  readonly system: string;
  readonly pool?: ConnectionPool;
  /**
   * The statement that begins a transaction, if one is needed. The transaction is serializable if the database supports
   * it: two transactions then cannot both read what both change.
   */
  readonly begin?: string;
  /** True if a transaction that may write excludes all others. */
  readonly isExclusive?: true;
  /**
   * For databases in which two conflicting transactions both continue until one cannot commit: the statement that
   * detects this mode, and the pattern of its first value.
   */
  readonly optimism?: { readonly sql: string; readonly answer: RegExp };
  /** The statement that lists tables without rollback. Absent if there are none. */
  readonly lasting?: string;
  /** A statement that every database of this kind can execute. */
  readonly probe: string;
  connect(purpose: 'read' | 'write'): Promise<DatabaseConnection>;
  /** The code of a database error. Undefined if the connection failed. */
  findCode(error: object): string | undefined;
  /** The codes of errors by their meaning. Any other code is a fault of the statement. */
  readonly codes: {
    /** A row with this key exists. */
    readonly exists: RegExp;
    /** The data violates a constraint. */
    readonly refused: RegExp;
    /** The transaction conflicted with another one and may be retried. */
    readonly clash: RegExp;
    /** The statement waited too long for another one. */
    readonly busy: RegExp;
    /** The statement reached its time limit. */
    readonly slow: RegExp;
  };
  /**
   * The number of the value, from 1 on, that is invalid for the column of its comparison. Only for databases that
   * report it.
   */
  findNoValue?(error: object): number | undefined;
  close(): Promise<void>;
}

/** The connection settings of a server. */
export interface DatabaseDriverOptions {
  readonly url: string;
  /** The time limit of one statement in milliseconds. */
  readonly timeout: number;
  readonly connections: number;
  /** The zone of local times, for a database that converts times with a zone. */
  readonly timeZone?: string | undefined;
  /** The charset of texts in binary columns. Default: UTF-8. */
  readonly charset?: string | undefined;
  /** The maximum number of rows of one statement. */
  readonly records: number;
  /**
   * Converts the rows of a library to texts.
   * @throws Failure bad_answer when there are too many rows, or they are too large.
   */
  readRows(rows: readonly Record<string, unknown>[]): StatementOutcome['rows'];
}

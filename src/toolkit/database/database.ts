import type { ConnectionPool } from '../telemetry.ts';

export type SqlValue = string | number | Uint8Array | null;

/**
 * Runs one statement as a transaction of its own, with values for `$1`, `$2` and so on, and returns its rows.
 * @param timeLeft the milliseconds that whoever waits for it has left; without it the database has a limit of its own.
 * @throws DatabaseUnavailable when the database cannot be reached, or refuses.
 */
export type Query = (sql: string, values?: readonly SqlValue[], timeLeft?: () => number) => Promise<readonly object[]>;

export interface Statement {
  readonly sql: string;
  readonly values: readonly SqlValue[];
  /** Whether the transaction fails when this statement returns no row. */
  readonly mustReturn?: boolean;
}

/** A database, in the words of SQL that SQLite and PostgreSQL share. */
export interface Database {
  readonly query: Query;
  /**
   * Runs statements, one after another, of which either all take effect or none.
   * @throws DatabaseUnavailable when the database cannot be reached, or refuses one of them.
   */
  transact(statements: readonly Statement[]): Promise<void>;
  /** What OpenTelemetry calls it. */
  readonly system: 'sqlite' | 'postgresql';
  readonly pool?: ConnectionPool;
  /** Milliseconds since 1970, of a clock that all gateways of this database share. */
  now(): number;
  /** Its type of bytes. */
  readonly bytes: 'BLOB' | 'BYTEA';
  /** A primary key that counts the rows, later ones higher. */
  readonly counter: string;
  /** Runs statements in one transaction, while no other gateway does so. */
  migrate(work: (query: Query) => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

/** @throws DatabaseUnavailable `row_missing` when the statement had to return a row. */
export function checkRows({ mustReturn = false }: Statement, rows: readonly object[]): void {
  if (mustReturn && rows.length === 0) throw new DatabaseUnavailable('a row is not as expected', 'row_missing');
}

/** The database cannot be reached, or refuses. Only its `code` is ever logged. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
  /** Of the database or the network; `unknown` when neither gave one. */
  readonly code: string;
  /** Whether the statement may have taken effect; else it is certain that it has not. */
  readonly isOutcomeUnknown: boolean;

  constructor(message: string, code: unknown, isOutcomeUnknown = false) {
    super(message);
    this.code = typeof code === 'string' ? code : 'unknown';
    this.isOutcomeUnknown = isOutcomeUnknown;
  }
}

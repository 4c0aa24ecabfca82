import type {
  BoundStatement,
  DatabaseConnection,
  DatabaseDriver,
  DatabaseDriverOptions,
  StatementOutcome,
} from '../../adapters/common/sql-driver.ts';

/** The settings that the suite gives to a driver; the address is the author's. */
export type DriverOptions = Omit<DatabaseDriverOptions, 'url'>;

/** A column of each type that hospitals use: what is written into it, in SQL, and the text that the database has then. */
export interface DriverColumn {
  readonly type: string;
  readonly written: string;
  readonly read: string;
}

/** How a database writes what databases write differently. */
export interface DriverDialect {
  readonly columns: readonly DriverColumn[];
  /** The definition of a column of texts of at most 12 letters, e.g. `(name) => `${name} VARCHAR(12)``. */
  readonly short: (name: string) => string;
  /** The same of whole numbers of 32 bits, of 64 bits, and of a decimal of 30 digits where there is one. */
  readonly small: (name: string) => string;
  readonly large: (name: string) => string;
  readonly decimal?: (name: string) => string;
  /** The type of a primary key that numbers its rows by itself. */
  readonly numbered: string;
  /** What an `INSERT` ends with to tell that number, where the driver does not tell it by itself. */
  readonly returning?: string;
  /** The text between a `SELECT` of values and its `WHERE`, e.g. ` FROM dual`. */
  readonly from?: string;
  /** A `SELECT` that takes more than ten seconds; without it nothing ends a statement there. */
  readonly slow?: string;
  /** Creates a trigger that writes three rows into `log` after each `UPDATE` of a row of `table`. */
  readonly trigger?: (table: string, log: string) => readonly string[];
}

/** A driver on a database in which the suite makes tables of its own, whose names begin with `puente_driver_`. */
export interface DriverSubject {
  readonly dialect: DriverDialect;
  open(options: DriverOptions): DatabaseDriver | Promise<DatabaseDriver>;
  /** Ends every connection to the database from outside, as a restart of the server would. */
  endConnections?(): Promise<void>;
}

/** Sends a statement whose `?` are its values. */
export type SendStatement = (sql: string, ...values: BoundStatement['values'][number][]) => Promise<StatementOutcome>;

/** A driver at work: what a case uses. */
export interface OpenedDriver {
  readonly driver: DatabaseDriver;
  readonly dialect: DriverDialect;
  /** The name of a table that nobody has, dropped after the case. */
  name(): string;
  /** Lends a connection as the mapping adapter does: one that failed without a code is given up. */
  use<T>(
    purpose: 'read' | 'write',
    work: (send: SendStatement, connection: DatabaseConnection) => Promise<T>,
  ): Promise<T>;
  /** One statement on a connection of its own. */
  readonly change: SendStatement;
  readonly ask: SendStatement;
  /** A change from `begin` to `COMMIT`, undone when the work fails, and made again when it met another one. */
  transact<T>(work: (send: SendStatement) => Promise<T>): Promise<T>;
  readonly end: DriverSubject['endConnections'];
}

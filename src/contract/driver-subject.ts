import type {
  BoundStatement,
  DatabaseConnection,
  DatabaseDriver,
  DatabaseDriverOptions,
  StatementOutcome,
} from '../../adapters/common/sql-driver.ts';

/** The settings that the suite passes to a driver. The author supplies the address. */
export type DriverOptions = Omit<DatabaseDriverOptions, 'url'>;

/** A column of each type that hospitals use: the SQL of its value, and the text that the database then has. */
export interface DriverColumn {
  readonly type: string;
  readonly written: string;
  readonly read: string;
}

/** The syntax in which databases differ. */
export interface DriverDialect {
  readonly columns: readonly DriverColumn[];
  /** The definition of a column of texts of at most 12 letters, e.g. `(name) => `${name} VARCHAR(12)``. */
  readonly short: (name: string) => string;
  /**
   * Definitions of a column of whole numbers of 32 bits, of 64 bits, and of decimals of 30 digits if the database has
   * them.
   */
  readonly small: (name: string) => string;
  readonly large: (name: string) => string;
  readonly decimal?: (name: string) => string;
  /** The type of a primary key with automatic numbers. */
  readonly numbered: string;
  /** The end of an `INSERT` that returns this number, if the driver does not return it. */
  readonly returning?: string;
  /** The text between a `SELECT` of values and its `WHERE`, e.g. ` FROM dual`. */
  readonly from?: string;
  /** A `SELECT` that takes more than ten seconds. Leave it out if the database cancels no statement. */
  readonly slow?: string;
  /** Creates a trigger that writes three rows into `log` after each `UPDATE` of a row of `table`. */
  readonly trigger?: (table: string, log: string) => readonly string[];
}

/** A driver on a database in which the suite creates its own tables. Their names begin with `puente_driver_`. */
export interface DriverSubject {
  readonly dialect: DriverDialect;
  open(options: DriverOptions): DatabaseDriver | Promise<DatabaseDriver>;
  /** Ends every connection to the database from outside, as a restart of the server would. */
  endConnections?(): Promise<void>;
}

/** Sends a statement. Each `?` is a placeholder for one value. */
export type SendStatement = (sql: string, ...values: BoundStatement['values'][number][]) => Promise<StatementOutcome>;

/** An open driver, as a case uses it. */
export interface OpenedDriver {
  readonly driver: DatabaseDriver;
  readonly dialect: DriverDialect;
  /** A new table name. The table is dropped after the case. */
  name(): string;
  /** Lends a connection like the mapping adapter, and discards it after an error without a code. */
  use<T>(
    purpose: 'read' | 'write',
    work: (send: SendStatement, connection: DatabaseConnection) => Promise<T>,
  ): Promise<T>;
  /** One statement on a connection of its own. */
  readonly change: SendStatement;
  readonly ask: SendStatement;
  /**
   * Runs a change from `begin` to `COMMIT`. Rolls back if the work fails, and repeats it after a conflict with another
   * change.
   */
  transact<T>(work: (send: SendStatement) => Promise<T>): Promise<T>;
  readonly end: DriverSubject['endConnections'];
}

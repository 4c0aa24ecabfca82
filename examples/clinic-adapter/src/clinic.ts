import { readFileSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type SQLOutputValue } from 'node:sqlite';
import { Failure, type Institution, SettingsProblem, type Zone } from 'puente/adapter';

/** A row as the database has it. */
export type Row = Readonly<Record<string, SQLOutputValue>>;
type Values = Readonly<Record<string, SQLInputValue>>;

/** What all ports have to know of the clinic. */
export interface Rules extends Institution {
  readonly zone: Zone;
  readonly institutionId: string;
  readonly cancelUntilHours: number;
}

const readSql = (name: string): string => readFileSync(new URL(`../legacy/${name}.sql`, import.meta.url), 'utf8');

/** A table of the adapter's own, beside those of the legacy system, which it leaves as they are. */
const ownTables = `
  CREATE TABLE IF NOT EXISTS puente_claves (clave TEXT PRIMARY KEY, huella TEXT NOT NULL, id TEXT NOT NULL)`;

/** The clinic's database, and its rules. Every query of it is synchronous: what one method does, no other interrupts. */
export class Clinic {
  readonly rules: Rules;
  readonly #database: DatabaseSync;

  private constructor(database: DatabaseSync, rules: Rules) {
    this.#database = database;
    this.rules = rules;
  }

  /**
   * Opens the file, or a database in memory; an empty one gets the tables and invented data.
   * @throws SettingsProblem when it cannot be opened.
   */
  static open({ file, lockTimeout }: { file?: string | undefined; lockTimeout: number }, rules: Rules): Clinic {
    try {
      const database = new DatabaseSync(file ?? ':memory:', { timeout: lockTimeout });
      const isEmpty = database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;
      database.exec(`BEGIN IMMEDIATE; ${isEmpty ? readSql('schema') + readSql('sample') : ''}; ${ownTables}; COMMIT`);
      return new Clinic(database, rules);
    } catch (error) {
      throw new SettingsProblem('file', [`the database cannot be opened (SQLite says ${getCode(error)})`]);
    }
  }

  /** @throws Failure unavailable, or overloaded while another program writes. */
  all(sql: string, values: Values = {}): Row[] {
    return this.#attempt(() => [...this.#database.prepare(sql).iterate(values)]);
  }

  /** The first row. @throws Failure as `all`. */
  get(sql: string, values: Values = {}): Row | undefined {
    return this.#attempt(() => this.#database.prepare(sql).get(values));
  }

  /** Returns how many rows were changed, and the key of the last one that was added. @throws Failure as `all`. */
  run(sql: string, values: Values = {}): { readonly changes: number; readonly id: string } {
    const { changes, lastInsertRowid } = this.#attempt(() => this.#database.prepare(sql).run(values));
    return { changes: Number(changes), id: String(lastInsertRowid) };
  }

  /** Does all of it or nothing. Nobody else writes meanwhile, also no other program. @throws Failure as `all`. */
  transaction<T>(write: () => T): T {
    this.#attempt(() => this.#database.exec('BEGIN IMMEDIATE'));
    try {
      const result = write();
      this.#attempt(() => this.#database.exec('COMMIT'));
      return result;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  close(): void {
    this.#database.close();
  }

  /** The messages of SQLite may hold values: only its code goes on, into the log. */
  #attempt<T>(query: () => T): T {
    try {
      return query();
    } catch (cause) {
      const code = getCode(cause);
      if (code === SQLITE_BUSY) throw new Failure('overloaded', 'the database is locked', { retryAfter: 1 });
      throw new Failure('unavailable', 'the database fails', { cause: { code: `sqlite_${code}` } });
    }
  }
}

const SQLITE_BUSY = 5;

const getCode = (error: unknown): unknown => (error instanceof Error && 'errcode' in error ? error.errcode : 'unknown');

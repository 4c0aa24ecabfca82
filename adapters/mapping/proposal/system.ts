import type { SystemTable, TableReference } from '../sources/sql/tables.ts';
import { isWholeType, type SeenColumn } from './values.ts';
import { findPrefix, isSame, readMeanings, readTableMeanings } from './words.ts';

/** Some rows of a table, and its number of rows. */
export interface TableSample {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly count: number | undefined;
}

/** The tables of a system: the meanings of their names, their references, and samples of their values. */
export class HospitalSystem {
  readonly tables: readonly SystemTable[];
  readonly #meanings: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #sample: (table: SystemTable) => Promise<TableSample>;
  readonly #samples = new Map<string, Promise<TableSample>>();
  readonly #seen = new Map<SystemTable, readonly SeenColumn[]>();
  readonly #prefixes = new Map<string, string>();

  /** @param sample reads some rows of a table. It runs once for each table that may be useful. */
  constructor(tables: readonly SystemTable[], sample: (table: SystemTable) => Promise<TableSample>) {
    this.tables = tables;
    this.#meanings = readTableMeanings(tables);
    this.#sample = sample;
  }

  meaningsOf({ name }: SystemTable): ReadonlySet<string> {
    return this.#meanings.get(name) ?? new Set();
  }

  find(name: string): SystemTable | undefined {
    return this.tables.find((table) => table.name === name);
  }

  /** The name of a column without the common prefix of its table. */
  shorten(table: SystemTable, column: string): string {
    const prefix = this.#prefixes.get(table.name) ?? findPrefix(table.columns.map(({ name }) => name));
    this.#prefixes.set(table.name, prefix);
    return column.startsWith(prefix) ? column.slice(prefix.length) : column;
  }

  columnMeanings(table: SystemTable, column: string): ReadonlySet<string> {
    return readMeanings(this.shorten(table, column));
  }

  sample(table: SystemTable): Promise<TableSample> {
    const known = this.#samples.get(table.name) ?? this.#sample(table);
    this.#samples.set(table.name, known);
    return known;
  }

  /** The columns of a table with their values that are not empty. */
  async look(table: SystemTable): Promise<readonly SeenColumn[]> {
    const { rows } = await this.sample(table);
    const known = this.#seen.get(table);
    if (known) return known;
    const seen = table.columns.map((column) => ({
      ...column,
      values: rows.flatMap((row) => {
        const value = row[column.name];
        return typeof value === 'string' && value.trim() !== '' ? [value.trim()] : [];
      }),
    }));
    this.#seen.set(table, seen);
    return seen;
  }

  /** References that the database declares, and those that names imply. */
  referencesOf(table: SystemTable): readonly TableReference[] {
    const declared = table.references.filter(({ table: other }) => this.find(other));
    const others = table.columns.filter(({ name }) => !declared.some(({ column }) => column === name));
    return [...declared, ...others.flatMap(({ name }) => this.#inferReference(table, name) ?? [])];
  }

  /** The id column of a table: the one that others refer to, or its key. Undefined if it is unclear. */
  findId(table: SystemTable): string | undefined {
    const [key, ...more] = table.primaryKey;
    const keys = [...table.uniqueColumns, ...(more.length === 0 && key !== undefined ? [key] : [])];
    const named = keys.filter((name) => name !== key && this.#isNamedElsewhere(table, name));
    const [id = more.length === 0 ? key : undefined] = named;
    return id ?? this.#findOnlyId(table);
  }

  /** A view has no key. */
  #findOnlyId(table: SystemTable): string | undefined {
    const own = this.meaningsOf(table);
    const found = table.columns.filter(({ name }) => {
      const meanings = this.columnMeanings(table, name);
      return meanings.has('id') && (meanings.size === 1 || isSame(meanings.difference(new Set(['id'])), own));
    });
    return table.primaryKey.length === 0 && found.length === 1 ? found[0]?.name : undefined;
  }

  #isNamedElsewhere(table: SystemTable, column: string): boolean {
    const declared = this.tables.some(({ references }) =>
      references.some((each) => each.table === table.name && each.target === column),
    );
    if (declared) return true;
    return this.tables.some(
      (other) =>
        other !== table &&
        !other.uniqueColumns.includes(column) &&
        other.columns.some(({ name }) => this.#isSameKey(other, name, column)),
    );
  }

  /** True if a column is named like a key, and the name has a subject. */
  #isSameKey(table: SystemTable, column: string, key: string): boolean {
    const names = [column, this.shorten(table, column)].map((name) => name.toLowerCase());
    return names.includes(key.toLowerCase()) && !general.test(key);
  }

  #inferReference(table: SystemTable, column: string): TableReference | undefined {
    const type = table.columns.find(({ name }) => name === column)?.type ?? '';
    const meanings = this.columnMeanings(table, column);
    const meant = meanings.difference(new Set(['id', 'number']));
    const mayRefer = isWholeType(type) || meanings.has('id');
    const others = this.tables.filter((other) => other !== table);
    const meantTables =
      mayRefer && meant.size > 0 ? others.filter((other) => isSame(meant, this.meaningsOf(other))) : [];
    const byMeaning = meantTables.flatMap((other): TableReference[] => {
      const id = this.findId(other);
      return id === undefined ? [] : [{ column, table: other.name, target: id }];
    });
    // The key of its own table does not refer to another table by its name alone.
    const mayBeKey = !table.uniqueColumns.includes(column) && byMeaning.length === 0;
    const byKey = (mayBeKey ? others : []).flatMap((other): TableReference[] => {
      const key = other.uniqueColumns.find((each) => this.#isSameKey(table, column, each));
      return key === undefined ? [] : [{ column, table: other.name, target: key }];
    });
    const [first, ...more] = [...byMeaning, ...byKey];
    return more.length === 0 ? first : undefined;
  }
}

/** Names that are too general to identify a table. */
const general =
  /^(id|cod|codigo|code|nro|numero|num|number|nombre|name|nome|uuid|guid|descripcion|description|email|fecha|date|type|tipo|dni|documento)$/i;

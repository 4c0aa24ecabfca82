import type { SystemDatabase } from './schema.ts';

/** A reference of a column to a column of a table. */
export interface TableReference {
  readonly column: string;
  readonly table: string;
  readonly target: string;
}

export interface TableColumn {
  readonly name: string;
  /** The database's name in lower case. */
  readonly type: string;
}

/** A table or a view of the system, as in the database's own catalog. */
export interface SystemTable {
  readonly name: string;
  readonly columns: readonly TableColumn[];
  readonly primaryKey: readonly string[];
  /** Columns whose values are unique. */
  readonly uniqueColumns: readonly string[];
  readonly references: readonly TableReference[];
}

/** Kinds of databases with a readable catalog. */
export type CatalogueKind = Exclude<SystemDatabase['kind'], 'other'>;

interface Dialect {
  /** Rows of table_name, column_name and data_type, in the order of the columns. */
  readonly columns: string;
  /** Rows of table_name, key_name, kind (p, u or f), column_name, ref_table and ref_column. */
  readonly keys: string;
  /** The quotation marks around a name. */
  readonly quotes: readonly [string, string];
}

const dialects: Readonly<Record<CatalogueKind, Dialect>> = {
  sqlite: {
    columns: `SELECT m.name AS table_name, c.name AS column_name, c.type AS data_type
      FROM sqlite_schema m JOIN pragma_table_info(m.name) c
      WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY m.name, c.cid`,
    keys: `SELECT m.name AS table_name, 'key' AS key_name, 'p' AS kind, c.name AS column_name, NULL AS ref_table, NULL AS ref_column
      FROM sqlite_schema m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND c.pk > 0
      UNION ALL SELECT m.name, i.name, 'u', c.name, NULL, NULL
      FROM sqlite_schema m JOIN pragma_index_list(m.name) i JOIN pragma_index_info(i.name) c
      WHERE m.type = 'table' AND i."unique" = 1 AND i.partial = 0
      UNION ALL SELECT m.name, 'f' || f.id, 'f', f."from", f."table", f."to"
      FROM sqlite_schema m JOIN pragma_foreign_key_list(m.name) f WHERE m.type = 'table'`,
    quotes: ['"', '"'],
  },
  postgres: {
    columns: `SELECT table_name, column_name, data_type FROM information_schema.columns
      WHERE table_schema = ANY (current_schemas(false)) ORDER BY table_name, ordinal_position`,
    keys: `SELECT t.relname AS table_name, k.conname AS key_name, k.contype AS kind, a.attname AS column_name,
        f.relname AS ref_table, b.attname AS ref_column
      FROM pg_constraint k JOIN pg_class t ON t.oid = k.conrelid JOIN pg_namespace n ON n.oid = t.relnamespace
        CROSS JOIN LATERAL unnest(k.conkey, k.confkey) AS pair (own, other)
        JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = pair.own
        LEFT JOIN pg_class f ON f.oid = k.confrelid
        LEFT JOIN pg_attribute b ON b.attrelid = k.confrelid AND b.attnum = pair.other
      WHERE k.contype IN ('p', 'u', 'f') AND n.nspname = ANY (current_schemas(false))`,
    quotes: ['"', '"'],
  },
  mysql: {
    columns: `SELECT table_name AS table_name, column_name AS column_name, data_type AS data_type FROM information_schema.columns
      WHERE table_schema = database() ORDER BY table_name, ordinal_position`,
    // `table_constraints` is empty for a user with read-only rights.
    keys: `SELECT table_name AS table_name, index_name AS key_name, IF(index_name = 'PRIMARY', 'p', 'u') AS kind,
        column_name AS column_name, NULL AS ref_table, NULL AS ref_column
      FROM information_schema.statistics WHERE table_schema = database() AND non_unique = 0 AND column_name IS NOT NULL
      UNION ALL SELECT table_name, constraint_name, 'f', column_name, referenced_table_name, referenced_column_name
      FROM information_schema.key_column_usage WHERE table_schema = database() AND referenced_table_name IS NOT NULL`,
    quotes: ['`', '`'],
  },
  sqlserver: {
    columns: `SELECT TABLE_NAME AS table_name, COLUMN_NAME AS column_name, DATA_TYPE AS data_type FROM INFORMATION_SCHEMA.COLUMNS
      WHERE TABLE_SCHEMA = SCHEMA_NAME() ORDER BY TABLE_NAME, ORDINAL_POSITION`,
    keys: `SELECT t.name AS table_name, i.name AS key_name, CASE WHEN i.is_primary_key = 1 THEN 'p' ELSE 'u' END AS kind,
        c.name AS column_name, NULL AS ref_table, NULL AS ref_column
      FROM sys.tables t JOIN sys.indexes i ON i.object_id = t.object_id AND i.is_unique = 1
        JOIN sys.index_columns x ON x.object_id = i.object_id AND x.index_id = i.index_id
        JOIN sys.columns c ON c.object_id = x.object_id AND c.column_id = x.column_id
      WHERE t.schema_id = SCHEMA_ID()
      UNION ALL SELECT t.name, CAST(f.constraint_object_id AS VARCHAR(20)), 'f', c.name, r.name, d.name
      FROM sys.foreign_key_columns f JOIN sys.tables t ON t.object_id = f.parent_object_id
        JOIN sys.columns c ON c.object_id = f.parent_object_id AND c.column_id = f.parent_column_id
        JOIN sys.tables r ON r.object_id = f.referenced_object_id
        JOIN sys.columns d ON d.object_id = f.referenced_object_id AND d.column_id = f.referenced_column_id
      WHERE t.schema_id = SCHEMA_ID()`,
    quotes: ['[', ']'],
  },
};

type CatalogueRow = Readonly<Record<string, unknown>>;
/** Runs a statement without values. */
export type RunSql = (sql: string) => Promise<readonly CatalogueRow[]>;

/** The tables and views that are visible to the user in the schemas of its connection. */
export async function readTables(kind: CatalogueKind, run: RunSql): Promise<SystemTable[]> {
  const { columns, keys } = dialects[kind];
  const byTable = Map.groupBy(await run(columns), ({ table_name }) => String(table_name));
  // A database may use another spelling in references.
  const spell = createSpelling(
    [...byTable].flatMap(([table, rows]) => [table, ...rows.map(({ column_name }) => `${table}.${column_name}`)]),
  );
  const all = (await run(keys)).map((row) => {
    const table = spell(String(row.table_name));
    const other = spell(String(row.ref_table));
    const column = (owner: string, name: unknown) => spell(`${owner}.${name}`).slice(owner.length + 1);
    return {
      table,
      other,
      key: `${row.kind} ${row.key_name}`,
      kind: String(row.kind),
      column: column(table, row.column_name),
      target: row.ref_column === null ? undefined : column(other, row.ref_column),
    };
  });
  const keysOf = Map.groupBy(all, ({ table }) => table);
  const primary = (table: string): string[] =>
    (keysOf.get(table) ?? []).filter((each) => each.kind === 'p').map(({ column }) => column);
  return [...byTable].map(([name, rows]) => {
    const grouped = [...Map.groupBy(keysOf.get(name) ?? [], ({ key }) => key).values()];
    const single = grouped.flatMap((key) => (key.length === 1 ? key : []));
    return {
      name,
      columns: rows.map(({ column_name, data_type }) => ({
        name: String(column_name),
        type: String(data_type).toLowerCase(),
      })),
      primaryKey: primary(name),
      uniqueColumns: [...new Set(single.filter((each) => each.kind !== 'f').map(({ column }) => column))],
      references: single.flatMap(({ kind: is, column, other, target = primary(other)[0] }) =>
        // SQLite leaves the column out if it is the primary key.
        is === 'f' && target !== undefined ? [{ column, table: other, target }] : [],
      ),
    };
  });
}

/** Returns the listed spelling of a name, ignoring case. */
function createSpelling(names: readonly string[]): (name: string) => string {
  const known = new Map(names.map((name) => [name.toLowerCase(), name]));
  return (name) => known.get(name.toLowerCase()) ?? name;
}

/** The maximum number of sampled rows of a table. */
const SAMPLE = 500;

/** The statement that reads some rows of a table. */
export function sampleStatement(kind: CatalogueKind, { name, columns }: SystemTable): string {
  const list = columns.filter(({ type }) => !isBinary(type)).map((column) => quoteName(kind, column.name));
  const from = `${list.join(', ') || '1 AS one'} FROM ${quoteName(kind, name)}`;
  return kind === 'sqlserver' ? `SELECT TOP ${SAMPLE} ${from}` : `SELECT ${from} LIMIT ${SAMPLE}`;
}

/** The statement that counts the rows of a table. */
export const countStatement = (kind: CatalogueKind, table: string): string =>
  `SELECT count(*) AS rows_there FROM ${quoteName(kind, table)}`;

const isBinary = (type: string): boolean => /blob|binary|bytea|image|xml|geo|json/.test(type);

/** Reserved words that no dialect accepts as a name. */
const reserved =
  /^(from|to|order|group|user|key|index|check|default|end|table|column|desc|asc|all|and|or|not|null|is|in|on|as|by|case|when|then|else|select|where|limit|offset|primary|unique|references|plan|percent|read|usage|values|set|left|right|join|full|cross|rows|row|rank|system|function|procedure|trigger|view|interval|between|exists|like|grant|option|public|of|do|open|close)$/i;

/** A name for a statement, quoted if the database would read it differently. */
export function quoteName(kind: CatalogueKind, name: string): string {
  // PostgreSQL folds names to lower case.
  const plain = kind === 'postgres' ? /^[a-z_][a-z0-9_]*$/ : /^[A-Za-z_][A-Za-z0-9_]*$/;
  if (plain.test(name) && !reserved.test(name)) return name;
  const [open, close] = dialects[kind].quotes;
  return `${open}${name.replaceAll(close, close + close)}${close}`;
}

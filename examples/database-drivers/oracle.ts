import type { DatabaseDriver, DatabaseDriverOptions } from 'puente/adapter';

interface Oracledb {
  readonly OUT_FORMAT_OBJECT: number;
  readonly DATE: unknown;
  readonly NUMBER: unknown;
  readonly CLOB: unknown;
  fetchAsString: unknown[];
  createPool(options: object): Promise<OraclePool>;
}
interface OraclePool {
  getConnection(): Promise<OracleConnection>;
  close(seconds: number): Promise<void>;
}
interface OracleConnection {
  callTimeout: number;
  execute(sql: string, values?: object, options?: object): Promise<Result>;
  getStatementInfo(sql: string): Promise<Pick<Result, 'metaData'>>;
  close(options: object): Promise<void>;
}
interface Result {
  readonly rows?: Record<string, unknown>[];
  readonly rowsAffected?: number;
  readonly metaData?: readonly { readonly name: string }[];
}

// In a variable, since a clone of Puente has no such package.
const library: string = 'oracledb';

/** Oracle at `oracle://user:password@host:1521/service`, without its client (thin). Untried. */
export async function openDriver(options: DatabaseDriverOptions): Promise<DatabaseDriver> {
  const { url, timeout, connections, records, readRows } = options;
  const { default: oracledb }: { default: Oracledb } = await import(library);
  oracledb.fetchAsString = [oracledb.DATE, oracledb.NUMBER, oracledb.CLOB];
  const { host, username, password, pathname } = new URL(url);
  const pool = await oracledb.createPool({
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    connectString: host + pathname,
    poolMin: 0,
    poolMax: connections,
    queueTimeout: timeout,
    sessionCallback: (connection: OracleConnection, _tag: string, done: (error?: unknown) => void) => {
      const set = `ALTER SESSION SET NLS_DATE_FORMAT = 'YYYY-MM-DD HH24:MI:SS'`;
      connection.execute(set).then(() => done(), done);
    },
  });
  return {
    system: 'oracle.db',
    marks: { mark: (number) => `:p${number}` },
    probe: 'SELECT 1 FROM dual',
    connect: async () => {
      const connection = await pool.getConnection();
      connection.callTimeout = timeout;
      return {
        run: async ({ sql, values }) => {
          const named = Object.fromEntries(values.map((value, index) => [`p${index + 1}`, value]));
          const { rows = [], rowsAffected = rows.length } = await connection.execute(sql, named, {
            outFormat: oracledb.OUT_FORMAT_OBJECT,
            maxRows: records + 1,
          });
          return { rows: readRows(rows), changed: rowsAffected };
        },
        describe: async (sql) => ((await connection.getStatementInfo(sql)).metaData ?? []).map(({ name }) => name),
        release: (isBroken) => void connection.close({ drop: isBroken }).catch(() => undefined),
      };
    },
    // Of these the connection ends.
    findCode: ({ errorNum }: { errorNum?: number }) =>
      errorNum && ![28, 1012, 1041, 3113, 3114, 3135, 12537].includes(errorNum) ? `ORA_${errorNum}` : undefined,
    codes: {
      exists: /_1$/,
      refused: /_(1400|2290|2291|2292|12899|1722)$/,
      clash: /_(60|8177)$/,
      busy: /_(54|30006)$/,
      slow: /_1013$/,
    },
    close: () => pool.close(1),
  };
}

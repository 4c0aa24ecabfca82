import type { DatabaseConnection, DatabaseDriver, DatabaseDriverOptions, StatementOutcome } from 'puente/adapter';

type Rows = readonly { readonly metadata: { readonly colName: string }; readonly value: unknown }[][];
interface Request {
  addParameter(name: string, type: unknown, value: unknown): void;
}
interface Tedious {
  readonly Connection: new (config: object) => Session;
  readonly Request: new (sql: string, done: (error: Error | null, changed: number, rows: Rows) => void) => Request;
  readonly TYPES: { readonly NVarChar: unknown };
}
interface Session {
  connect(done: (error?: Error) => void): void;
  execSql(request: Request): void;
  execSqlBatch(request: Request): void;
  close(): void;
}

// In a variable, since a clone of Puente has no such package.
const library: string = 'tedious';

/** Microsoft SQL Server at `sqlserver://user:password@host:1433/database`. Untried. */
export async function openDriver({ url, timeout, readRows }: DatabaseDriverOptions): Promise<DatabaseDriver> {
  const tedious: Tedious = await import(library);
  const { hostname: server, port, username, password, pathname, searchParams } = new URL(url);
  const config = {
    server,
    authentication: {
      type: 'default',
      options: { userName: decodeURIComponent(username), password: decodeURIComponent(password) },
    },
    options: {
      port: Number(port || 1433),
      database: pathname.slice(1),
      trustServerCertificate: searchParams.get('trustServerCertificate') === 'true',
      connectTimeout: timeout,
      requestTimeout: timeout,
      rowCollectionOnRequestCompletion: true,
    },
  };
  const idle: Session[] = [];
  const run = (session: Session, sql: string, values: readonly unknown[] = []): Promise<StatementOutcome> =>
    new Promise((resolve, reject) => {
      const request = new tedious.Request(sql, (error, changed, rows) => {
        if (error) return reject(error);
        const toRow = (row: Rows[number]) => row.map(({ metadata, value }) => [metadata.colName, value]);
        try {
          return resolve({ rows: readRows(rows.map((row) => Object.fromEntries(toRow(row)))), changed });
        } catch (tooMany) {
          return reject(tooMany);
        }
      });
      values.forEach((value, index) => {
        request.addParameter(`p${index + 1}`, tedious.TYPES.NVarChar, value === null ? null : String(value));
      });
      // What begins or ends a transaction must stand in a batch.
      if (values.length > 0) session.execSql(request);
      else session.execSqlBatch(request);
    });
  const connect = async (): Promise<Session> => {
    const session = new tedious.Connection(config);
    await new Promise<void>((resolve, reject) => session.connect((error) => (error ? reject(error) : resolve())));
    await run(session, `SET LOCK_TIMEOUT ${Math.ceil(timeout / 2)}`);
    return session;
  };
  return {
    system: 'microsoft.sql_server',
    marks: { mark: (number) => `@p${number}` },
    begin: 'BEGIN TRANSACTION',
    probe: 'SELECT 1',
    connect: async (): Promise<DatabaseConnection> => {
      const session = idle.pop() ?? (await connect());
      return {
        run: ({ sql, values }) => run(session, sql, values),
        release: (isBroken) => void (isBroken ? session.close() : idle.push(session)),
      };
    },
    findCode: ({ number }: { number?: number }) => (number ? `MSSQL_${number}` : undefined),
    codes: {
      exists: /_(2601|2627)$/,
      refused: /_(515|547|2628|8152|8114|245)$/,
      clash: /_1205$/,
      busy: /_1222$/,
      slow: /^$/,
    },
    close: async () => idle.splice(0).forEach((session) => void session.close()),
  };
}

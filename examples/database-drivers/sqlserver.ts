import type { DatabaseConnection, DatabaseDriver, DatabaseDriverOptions, StatementOutcome } from 'puente/adapter';

interface Column {
  readonly metadata: { readonly colName: string; readonly type: { readonly name: string } };
  readonly value: unknown;
}
type Row = readonly Column[];
interface Request {
  addParameter(name: string, type: unknown, value: unknown): void;
  on(event: 'row', heard: (row: Row) => void): void;
}
interface Tedious {
  readonly Connection: new (config: object) => Session;
  readonly Request: new (sql: string, done: (error?: Error | null) => void) => Request;
  readonly TYPES: { readonly NVarChar: unknown; readonly VarChar: unknown };
}
interface Session {
  connect(done: (error?: Error) => void): void;
  on(event: 'error' | 'end', heard: () => void): void;
  execSql(request: Request): void;
  execSqlBatch(request: Request): void;
  cancel(): boolean;
  close(): void;
}

// In a variable, since a clone of Puente has no such package.
const library: string = 'tedious';

/** Counts what the statement itself changed, without its triggers, whatever NOCOUNT says. */
const counted = 'SELECT @@ROWCOUNT AS puente_changed, SCOPE_IDENTITY() AS puente_id';

/** How a column is written: a time as it stands in the database, and not moved to UTC. */
function toText({ metadata, value }: Column): unknown {
  if (!(value instanceof Date)) return value;
  const text = value.toISOString();
  switch (metadata.type.name) {
    case 'Date':
      return text.slice(0, 10);
    case 'Time':
      return text.slice(11, 19);
    case 'DateTimeOffset':
      return text;
    default:
      return text.slice(0, 19).replace('T', ' ');
  }
}

const toRecord = (row: Row): Record<string, unknown> =>
  Object.fromEntries(row.map((column) => [column.metadata.colName, toText(column)]));

/** A text of ASCII is no NVARCHAR, or a VARCHAR column would be converted row by row, without its index. */
const isAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

/** What `sqlserver://user:password@host:1433/database` says, with `encrypt`, `trustServerCertificate`, `instance` and `domain`. */
function readAddress(url: string, timeout: number): object {
  const { hostname: server, port, username, password, pathname, searchParams } = new URL(url);
  const login = { userName: decodeURIComponent(username), password: decodeURIComponent(password) };
  const domain = searchParams.get('domain');
  const instanceName = searchParams.get('instance');
  return {
    server,
    authentication:
      domain === null ? { type: 'default', options: login } : { type: 'ntlm', options: { ...login, domain } },
    options: {
      ...(instanceName === null ? { port: Number(port || 1433) } : { instanceName }),
      database: pathname.slice(1),
      encrypt: searchParams.get('encrypt') !== 'false',
      trustServerCertificate: searchParams.get('trustServerCertificate') === 'true',
      connectTimeout: timeout,
      requestTimeout: timeout,
      useUTC: true,
    },
  };
}

/** Lets so many work at once; the others wait in the order in which they came. */
function createTurns(most: number) {
  const waiting: (() => void)[] = [];
  let free = most;
  return {
    take: async (): Promise<void> => {
      if (free > 0) free--;
      else await new Promise<void>((resolve) => waiting.push(resolve));
    },
    give: (): void => {
      const next = waiting.shift();
      if (next) next();
      else free++;
    },
  };
}

/** Microsoft SQL Server. Run on Babelfish, which speaks its protocol; not on SQL Server itself. */
export async function openDriver(options: DatabaseDriverOptions): Promise<DatabaseDriver> {
  const { url, timeout, connections, records, readRows } = options;
  const tedious: Tedious = await import(library);
  const config = readAddress(url, timeout);
  const turns = createTurns(connections);
  const idle = new Set<Session>();
  const send = (session: Session, sql: string, values?: readonly (string | number | null)[]): Promise<Row[]> =>
    new Promise((resolve, reject) => {
      const rows: Row[] = [];
      const request = new tedious.Request(sql, (error) =>
        error && rows.length <= records + 1 ? reject(error) : resolve(rows),
      );
      request.on('row', (row) => {
        rows.push(row);
        // That is too many; readRows says so.
        if (rows.length === records + 2) session.cancel();
      });
      values?.forEach((value, index) => {
        const text = value === null ? null : String(value);
        const type = text === null || !isAscii(text) ? tedious.TYPES.NVarChar : tedious.TYPES.VarChar;
        request.addParameter(`p${index + 1}`, type, text);
      });
      // What begins or ends a transaction must stand in a batch.
      if (values) session.execSql(request);
      else session.execSqlBatch(request);
    });
  const run = async (
    session: Session,
    sql: string,
    values: readonly (string | number | null)[],
  ): Promise<StatementOutcome> => {
    const first = /^\s*(\w+)/.exec(sql)?.[1]?.toUpperCase();
    if (first === 'ROLLBACK') await send(session, 'IF @@TRANCOUNT > 0 ROLLBACK');
    if (first === 'COMMIT' || (first === 'SET' && values.length === 0)) await send(session, sql);
    if (first === 'ROLLBACK' || first === 'COMMIT' || first === 'SET') return { rows: [], changed: 0 };
    const rows = await send(session, `${sql}\n;${counted}`, values);
    const last = rows.at(-1);
    const isCounted = last?.[0]?.metadata.colName === 'puente_changed';
    const found = readRows((isCounted ? rows.slice(0, -1) : rows).map(toRecord));
    const [changed, id] = isCounted ? last : [];
    return {
      rows: found,
      changed: Number(changed?.value ?? found.length),
      id: id?.value ? String(id.value) : undefined,
    };
  };
  const open = async (): Promise<Session> => {
    const session = new tedious.Connection(config);
    // Without a listener a connection that the server ends would end the process.
    for (const event of ['error', 'end'] as const) session.on(event, () => void idle.delete(session));
    await new Promise<void>((resolve, reject) => session.connect((error) => (error ? reject(error) : resolve())));
    const wait = Math.ceil(timeout / 2);
    await send(session, `SET XACT_ABORT ON; SET NOCOUNT OFF; SET LOCK_TIMEOUT ${wait}`);
    return session;
  };
  const describe = async (session: Session, sql: string): Promise<readonly string[]> => {
    const found = await send(session, 'EXEC sp_describe_first_result_set @tsql = @p1', [sql.replace(/@p\d+/g, 'NULL')]);
    return found.map(toRecord).map(({ name }) => String(name));
  };
  return {
    system: 'microsoft.sql_server',
    marks: { mark: (number) => `@p${number}` },
    begin: 'SET TRANSACTION ISOLATION LEVEL SERIALIZABLE; BEGIN TRANSACTION',
    probe: 'SELECT 1 AS one',
    connect: async (): Promise<DatabaseConnection> => {
      await turns.take();
      try {
        const [known] = idle;
        if (known) idle.delete(known);
        const session = known ?? (await open());
        return {
          run: ({ sql, values }) => run(session, sql, values),
          describe: (sql) => describe(session, sql),
          release: (isBroken) => {
            if (isBroken) session.close();
            else idle.add(session);
            turns.give();
          },
        };
      } catch (error) {
        turns.give();
        throw error;
      }
    },
    findCode: (error) => {
      const { number, code, message = '' }: { number?: number; code?: string; message?: string } = error;
      // As Babelfish says it, whose numbers are others.
      if (/could not serialize|deadlock detected/.test(message)) return 'MSSQL_1205';
      if (number) return `MSSQL_${number}`;
      return code === 'ETIMEOUT' ? 'MSSQL_ETIMEOUT' : undefined;
    },
    codes: {
      exists: /_(2601|2627)$/,
      refused: /_(220|241|242|245|248|515|547|2628|8114|8115|8152)$/,
      clash: /_(1205|3960)$/,
      busy: /_1222$/,
      slow: /_ETIMEOUT$/,
    },
    close: async () => {
      for (const session of idle) session.close();
      idle.clear();
    },
  };
}

import { Connection, type ConnectionConfiguration, Request, type RequestError, TYPES } from 'tedious';
import { badAnswer } from '../../../../src/http-client/failures.ts';
import { getField, getFields } from '../../../../src/toolkit/records.ts';
import type {
  BoundStatement,
  ColumnValue,
  DatabaseConnection,
  DatabaseDriver,
  DatabaseDriverOptions,
  StatementOutcome,
} from '../../../common/sql-driver.ts';
import { createRows } from '../../../common/sql-rows.ts';
import { readVerb } from './driver.ts';
import { Turns } from './sql-source.ts';
import { createAddressProblem, readTls } from './tls.ts';

interface Column {
  readonly metadata: {
    readonly colName: string;
    readonly type: { readonly name: string };
    readonly scale?: number | undefined;
  };
  readonly value: unknown;
}
type SqlValues = BoundStatement['values'];

const begin = 'SET TRANSACTION ISOLATION LEVEL SERIALIZABLE; BEGIN TRANSACTION';
const readCommitted = 'SET TRANSACTION ISOLATION LEVEL READ COMMITTED';

/**
 * A transaction begins and ends in batches, because a statement with values must not change the number of transactions.
 */
const batches: Readonly<Record<string, string>> = {
  [begin]: begin,
  COMMIT: 'COMMIT',
  // With XACT_ABORT, an error has already ended it.
  ROLLBACK: 'IF @@TRANCOUNT > 0 ROLLBACK',
};

/** Counts the rows of the statement itself, not those of its triggers, regardless of NOCOUNT. */
const counted = 'SELECT @@ROWCOUNT AS puente_changed, CAST(SCOPE_IDENTITY() AS VARCHAR(40)) AS puente_id';

/** Milliseconds in which a server acknowledges a cancellation; otherwise the connection is closed. */
const CANCEL_TIMEOUT = 1_000;

/** Codes of a canceled statement, and of a cancellation that no server acknowledged. */
const SLOW = /^(ECANCEL|ETIMEOUT)$/;

/** Error codes of a value that its column cannot hold. */
const invalidValueCodes = /_(220|232|241|242|244|245|248|295|296|8114|8115|8169)$/;

/** The sessions with a server: all open ones, and the idle ones. */
class Sessions {
  readonly #options: DatabaseDriverOptions;
  readonly #config: ConnectionConfiguration;
  readonly #live = new Set<Session>();
  readonly #idle = new Set<Session>();
  /** Sessions that keep the isolation level of a change. */
  readonly #serializable = new WeakSet<Session>();

  /** @throws SettingsProblem if the address is invalid. */
  constructor(options: DatabaseDriverOptions) {
    this.#options = options;
    this.#config = readAddress(options);
  }

  /** An idle session, or a new one. */
  async take(purpose: 'read' | 'write'): Promise<Session> {
    const [known] = this.#idle;
    if (known) this.#idle.delete(known);
    const session = known ?? (await this.#open());
    try {
      if (purpose === 'write') this.#serializable.add(session);
      else if (this.#serializable.delete(session)) await session.send({ sql: readCommitted, take: () => undefined });
      return session;
    } catch (error) {
      session.close();
      throw error;
    }
  }

  /** Returns the session to the pool, unless it is broken. */
  release(session: Session, isBroken: boolean): void {
    if (isBroken || !this.#live.has(session)) session.close();
    else this.#idle.add(session);
  }

  close(): void {
    for (const session of this.#live) session.close();
  }

  async #open(): Promise<Session> {
    const session = await connect(this.#config, this.#options.timeout, (gone) => {
      this.#live.delete(gone);
      this.#idle.delete(gone);
    });
    try {
      await setSession(session, this.#options);
    } catch (error) {
      session.close();
      throw error;
    }
    this.#live.add(session);
    return session;
  }
}

/** Microsoft SQL Server, at `sqlserver://user:password@host:1433/database`. */
export async function openSqlserver(options: DatabaseDriverOptions): Promise<DatabaseDriver> {
  const sessions = new Sessions(options);
  const turns = new Turns(options.connections);
  return {
    system: 'microsoft.sql_server',
    marks: { mark: (number) => `@p${number}` },
    begin,
    // Babelfish lets both transactions continue, and refuses the second commit.
    optimism: { sql: "SELECT coalesce(CAST(SERVERPROPERTY('Babelfish') AS VARCHAR(1)), '0') AS b", answer: /^1$/ },
    probe: 'SELECT 1 AS one',
    connect: (purpose) =>
      new Promise((resolve, reject) => {
        const work = async (): Promise<void> => {
          const session = await sessions.take(purpose);
          const isBroken = await new Promise<boolean>((release) =>
            resolve({ ...createConnection(session, purpose, options), release }),
          );
          sessions.release(session, isBroken);
        };
        turns.take(work).catch(reject);
      }),
    findCode,
    codes: {
      exists: /_(2601|2627)$/,
      // Also errors that the hospital's triggers and procedures throw.
      refused: /_(220|232|241|242|244|245|248|295|296|515|547|2628|3609|8114|8115|8152|8169|5\d{4})$/,
      clash: /_(1205|3960)$/,
      busy: /_1222$/,
      slow: /_(ECANCEL|ETIMEOUT)$/,
    },
    findNoValue: ({ place }: { place?: number }) => place,
    close: async () => sessions.close(),
  };
}

/** @throws SettingsProblem if the address is invalid. */
function readAddress({ url, timeout }: DatabaseDriverOptions): ConnectionConfiguration {
  const { address, tls } = readTls(url, 'sqlserver');
  if (!address.startsWith('sqlserver:')) throw createAddressProblem('sqlserver');
  const { hostname, port, username, password, pathname, searchParams } = new URL(address);
  const login = { userName: decodeURIComponent(username), password: decodeURIComponent(password) };
  const [domain, instanceName] = [searchParams.get('domain'), searchParams.get('instance')];
  return {
    server: hostname.replace(/^\[|\]$/g, ''),
    authentication:
      domain === null ? { type: 'default', options: login } : { type: 'ntlm', options: { ...login, domain } },
    options: {
      ...(instanceName === null ? { port: Number(port || 1433) } : { instanceName }),
      database: decodeURIComponent(pathname.slice(1)),
      appName: 'puente',
      encrypt: tls !== undefined,
      trustServerCertificate: tls?.rejectUnauthorized === false,
      ...(tls?.ca !== undefined && { cryptoCredentialsDetails: { ca: tls.ca } }),
      connectTimeout: timeout,
      // `Session` has its own timer.
      requestTimeout: 0,
      cancelTimeout: CANCEL_TIMEOUT,
      // Times without a zone are then in the fields of UTC.
      useUTC: true,
    },
  };
}

/** @param heard is called when the connection has ended. */
async function connect(config: ConnectionConfiguration, timeout: number, heard: (gone: Session) => void) {
  const session = new Session(config, timeout);
  // Without a listener, the end of a connection would end the process.
  session.on('error', () => undefined);
  session.on('end', () => heard(session));
  await new Promise<void>((resolve, reject) =>
    session.connect((error) => (error ? reject(toConnectError(error)) : resolve())),
  );
  return session;
}

/** The connect timeout differs from that of a statement. */
const toConnectError = (error: Error): Error =>
  getField(error, 'code') === 'ETIMEOUT' ? Object.assign(error, { code: 'connect_timeout' }) : error;

const WANTED = { wait: '', options: '16384', isolation: '4' };

/**
 * Sets the session options that Puente needs, and verifies them.
 * @throws an error without a number if the server does not apply them.
 */
async function setSession(session: Session, { timeout }: DatabaseDriverOptions): Promise<void> {
  const wait = String(Math.ceil(timeout / 2));
  const rows = createRows({ records: 1 });
  await session.send({
    sql: `SET NOCOUNT OFF; SET XACT_ABORT ON; SET LOCK_TIMEOUT ${wait}; SET TRANSACTION ISOLATION LEVEL SERIALIZABLE;
SELECT @@LOCK_TIMEOUT AS wait, @@OPTIONS & 16896 AS options,
  (SELECT transaction_isolation_level FROM sys.dm_exec_sessions WHERE session_id = @@SPID) AS isolation;
${readCommitted}`,
    take: (row) => rows.add(toRecord(row)),
  });
  const [found = {}] = rows.all;
  const isSet = Object.entries({ ...WANTED, wait }).every(([name, value]) => found[name] === value);
  if (!isSet)
    throw Object.assign(new Error('the server does not apply the session options'), { code: 'SESSION_NOT_SET' });
}

interface SentRequest {
  readonly sql: string;
  /** Without values it is a batch. */
  readonly values?: SqlValues;
  /** @param set the number of the row list, from 1. */
  readonly take?: (row: readonly Column[], set: number) => void;
  /** Receives the column names of each row list. */
  readonly onColumns?: (names: readonly string[]) => void;
}

/** A connection with a time limit for statements in milliseconds. */
class Session extends Connection {
  readonly #timeout: number;

  constructor(config: ConnectionConfiguration, timeout: number) {
    super(config);
    this.#timeout = timeout;
  }

  /**
   * @throws the first error of the server, or the error of `take`. The connection is then discarded with the remaining
   * rows.
   */
  send({ sql, values, take = () => undefined, onColumns }: SentRequest): Promise<void> {
    return new Promise((resolve, reject) => {
      // The timer of tedious stops at the first packet of an answer, so a stalled answer would never time out.
      const timer = setTimeout(() => this.cancel(), this.#timeout);
      const request = new Request(sql, (error) => {
        clearTimeout(timer);
        if (error) reject(pickFirst(error));
        else resolve();
      });
      let set = 0;
      request.on('columnMetadata', (columns) => {
        set++;
        if (Array.isArray(columns)) onColumns?.(columns.map(({ colName }) => colName));
      });
      request.on('row', (row: readonly Column[]) => {
        try {
          take(row, set);
        } catch (error) {
          reject(error);
          this.cancel();
        }
      });
      for (const [index, value] of (values ?? []).entries()) addValue(request, `p${index + 1}`, value);
      if (values) this.execSql(request);
      else this.execSqlBatch(request);
    });
  }
}

const pickFirst = (error: Error): unknown => (error instanceof AggregateError ? error.errors[0] : error);

/**
 * A text of ASCII is sent as VARCHAR. SQL Server would convert a VARCHAR column row by row for an NVARCHAR, without the
 * index.
 */
const isAscii = (text: string): boolean => /^[\x20-\x7e\t\r\n]*$/.test(text);

/** Texts up to this length have one type, so that they share a plan. */
const COMMON_LENGTH = 4_000;

function addValue(request: Request, name: string, value: SqlValues[number]): void {
  const text = value === null ? null : String(value);
  const type = text === null || isAscii(text) ? TYPES.VarChar : TYPES.NVarChar;
  const isLong = text !== null && text.length > COMMON_LENGTH;
  request.addParameter(name, type, text, isLong ? undefined : { length: COMMON_LENGTH });
}

/** The number of digits that every number keeps. */
const MOST_DIGITS = 15;

/** The value of a column in the database's own form. */
function toText({ metadata, value }: Column): unknown {
  const { colName, type, scale = 4 } = metadata;
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'number' && /^(Decimal|Numeric|Money|SmallMoney)/.test(type.name)) {
    if (Math.abs(value) * 10 ** scale >= 10 ** MOST_DIGITS) throw badAnswer('unsafe_number', colName);
    return value.toFixed(scale);
  }
  return value instanceof Date ? formatTime(value.toISOString(), type.name) : value;
}

function formatTime(text: string, type: string): string {
  const [day, time] = [text.slice(0, 10), text.slice(11, 23).replace(/\.000$/, '')];
  if (type === 'DateTimeOffset') return text;
  if (type === 'Date') return day;
  return type === 'Time' ? time : `${day} ${time}`;
}

const toRecord = (row: readonly Column[]): Record<string, unknown> =>
  Object.fromEntries(row.map((column) => [column.metadata.colName, toText(column)]));

function createConnection(
  session: Session,
  purpose: 'read' | 'write',
  options: DatabaseDriverOptions,
): Omit<DatabaseConnection, 'release'> {
  return {
    run: async ({ sql, values }) => {
      const batch = batches[sql];
      if (batch === undefined) return runStatement(session, { sql, values }, purpose, options);
      await session.send({ sql: batch, take: () => undefined }).catch((error: unknown) => {
        // The outcome of a commit without an answer is unknown.
        if (sql === 'COMMIT' && SLOW.test(String(getField(error, 'code')))) throw new Error('lost', { cause: error });
        throw error;
      });
      return { rows: [], changed: 0 };
    },
    describe: async (sql) => {
      const rows = createRows(options);
      const values = [sql.replace(/@p\d+/g, 'NULL')];
      await session.send({
        sql: 'EXEC sp_describe_first_result_set @tsql = @p1',
        values,
        take: (row) => rows.add(toRecord(row)),
      });
      return spellColumns(
        session,
        values[0]!,
        rows.all.map(({ name }) => String(name)),
      );
    },
  };
}

/** Babelfish describes columns in lower case, but returns their original names. */
async function spellColumns(session: Session, sql: string, described: readonly string[]) {
  const isSpelled = described.every((name) => name !== name.toLowerCase());
  if (isSpelled || !/^(SELECT|WITH)$/.test(readVerb(sql))) return described;
  let names = described;
  await session.send({ sql: 'SET FMTONLY ON' });
  try {
    await session.send({
      sql,
      onColumns: (found) => {
        names = found;
      },
    });
  } finally {
    await session.send({ sql: 'SET FMTONLY OFF' });
  }
  return names;
}

async function runStatement(
  session: Session,
  { sql, values }: BoundStatement,
  purpose: 'read' | 'write',
  options: DatabaseDriverOptions,
): Promise<StatementOutcome> {
  const isChange = /^(INSERT|UPDATE|DELETE|MERGE)$/.test(readVerb(sql));
  const ask = async (given: SqlValues): Promise<StatementOutcome> => {
    const rows = createRows(options);
    let last: Readonly<Record<string, ColumnValue | undefined>> | undefined;
    await session.send({
      sql: isChange ? `${sql}\n;${counted}` : sql,
      values: given,
      take: (row, set) => {
        const record = toRecord(row);
        if (Object.hasOwn(record, 'puente_changed')) last = record as typeof last;
        else if (set === 1) rows.add(record);
      },
    });
    const id = last?.puente_id;
    return {
      rows: rows.all,
      changed: Number(last?.puente_changed ?? rows.all.length),
      ...(typeof id === 'string' && { id }),
    };
  };
  try {
    return await ask(values);
  } catch (error) {
    // A failed statement has ended its transaction.
    if (purpose === 'read' && invalidValueCodes.test(findCode(getFields(error)) ?? ''))
      await namePlace(getFields(error), ask, values);
    throw error;
  }
}

/**
 * Finds the invalid value. SQL Server does not name it, and its messages are localized. So the statement is repeated
 * with one more NULL each time: when it first succeeds, the last replaced value is invalid.
 */
async function namePlace(
  error: object,
  ask: (values: SqlValues) => Promise<unknown>,
  values: SqlValues,
): Promise<void> {
  for (const place of values.keys()) {
    const isWell = await ask(values.map((value, i) => (i <= place ? null : value))).then(
      () => true,
      () => false,
    );
    if (isWell) return void Object.assign(error, { place: place + 1 });
  }
}

/** Babelfish's number for PostgreSQL errors that it does not translate, and those errors. */
const BABELFISH = 33557097;
const untranslated: readonly (readonly [RegExp, number])[] = [
  [/could not serialize|deadlock detected/, 1205],
  [/out of range for type|invalid input syntax for type/, 245],
  [/value too long for type/, 2628],
  [/lock timeout/, 1222],
];

function findCode(error: object): string | undefined {
  const { number, message = '', ...found }: Partial<RequestError> = error;
  const meant = number === BABELFISH ? untranslated.find(([pattern]) => pattern.test(message))?.[1] : undefined;
  if (meant !== undefined) return `MSSQL_${meant}`;
  // The server closes the connection after these errors.
  if ((found.class ?? 0) >= 20) return undefined;
  if (number) return `MSSQL_${number}`;
  return SLOW.test(found.code ?? '') ? `MSSQL_${found.code}` : undefined;
}

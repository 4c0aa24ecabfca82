import { type ClientBase, Pool, type PoolClient, type PoolConfig, Query } from 'pg';
import { getErrorCode } from '../toolkit/failures.ts';
import { getField } from '../toolkit/records.ts';
import {
  checkRows,
  type Database,
  DatabaseUnavailable,
  type Row,
  type RunQuery,
  readSteadyClock,
  type Statement,
} from './database.ts';

/** Milliseconds. A request waits for a connection and then for its statement. Some statements have their own limit. */
const CONNECTION_TIMEOUT = 2_000;
const STATEMENT_TIMEOUT = 2_000;
/**
 * The additional wait after the server's own timeout. A statement that the server cancels has certainly not been
 * executed.
 */
const ANSWER_SLACK = 500;
/** A migration may wait for that of another gateway, and change large tables. */
const MIGRATION_TIMEOUT = 3_600_000;
const MAX_CONNECTIONS = 8;
/**
 * The lock of a schema, because PostgreSQL locks numbers for a whole database, which several institutions may share. The
 * first half is any number that no other lock uses.
 */
const LOCK_MIGRATIONS =
  'SELECT pg_advisory_xact_lock(7083118::bigint << 32 | oid::bigint) FROM pg_namespace WHERE nspname = current_schema()';
const CLOCK_INTERVAL = 60_000;
const IDLE_TIMEOUT = 10_000;

/**
 * Opens a PostgreSQL database, for any number of gateways. Broken connections are replaced.
 * @param url e.g. `postgres://user:password@host/database?sslmode=verify-full`.
 * @throws DatabaseUnavailable if it cannot be reached.
 */
export async function openPostgres(url: string, statementTimeout = STATEMENT_TIMEOUT): Promise<Database> {
  const limits = { max: MAX_CONNECTIONS, connectionTimeoutMillis: CONNECTION_TIMEOUT };
  const pool = createPool(url, statementTimeout, limits);
  const query: RunQuery = async (sql, values, timeLeft = () => statementTimeout) => {
    const client = await connect(pool);
    let isSent = false;
    try {
      const timeout = Math.ceil(timeLeft());
      if (timeout <= 0) throw new DatabaseUnavailable('no time was left', 'statement_timeout');
      isSent = true;
      const { rows } = await send(client, { text: sql, values: values ?? [] }, timeout);
      client.release();
      return rows;
    } catch (error) {
      const { message, code, isOutcomeUnknown } =
        error instanceof DatabaseUnavailable ? error : toUnavailable(error, true);
      client.release(isOutcomeUnknown);
      throw new DatabaseUnavailable(message, code, isOutcomeUnknown && isSent);
    }
  };
  let offset = 0;
  const readOffset = async (): Promise<void> => {
    offset = await measureOffset(query);
  };
  try {
    await readOffset();
  } catch (error) {
    await pool.end();
    throw error;
  }
  const now = () => readSteadyClock() + offset;
  const timer = setInterval(() => void readOffset().catch(() => undefined), CLOCK_INTERVAL).unref();
  return {
    query,
    transact: (statements) => transact(pool, statements, statementTimeout),
    system: 'postgresql',
    pool,
    bytes: 'BYTEA',
    counter: 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
    now,
    clockOffset: () => now() - Date.now(),
    migrate: (work) => migrateAlone(pool, work),
    close: async () => {
      clearInterval(timer);
      await pool.end();
    },
  };
}

/** PostgreSQL settings by name. They end with a transaction. */
export type TransactionSettings = Readonly<Record<string, string | number>>;

/** @param timeout milliseconds for one statement. */
export const limitTo = (timeout: number): TransactionSettings => ({
  statement_timeout: timeout,
  idle_in_transaction_session_timeout: IDLE_TIMEOUT,
});

/**
 * The start of a transaction with its own settings. A pooler lends the connection to others afterwards, and accepts no
 * further settings at its start.
 */
export const formatBegin = (settings: TransactionSettings, mode = ''): string =>
  [`BEGIN${mode}`, ...Object.entries(settings).map(([name, value]) => `SET LOCAL ${name} = '${value}'`)].join('; ');

/**
 * Sends the query together with settings that apply only to it: both are one transaction, and one round trip.
 * @param query without a name, because a pooler forgets prepared statements.
 */
export function addSettings(query: Query, settings: TransactionSettings): Query {
  const pairs = Object.entries(settings).flat().map(String);
  const calls = pairs.flatMap((_, i) => (i % 2 === 0 ? `set_config($${i + 1}, $${i + 2}, true)` : []));
  // Returns no row, because a row would count as one of the query's.
  const text = `SELECT WHERE concat(${calls.join()}) IS NULL`;
  const submit = query.submit.bind(query);
  query.submit = (connection) => {
    connection.stream.cork();
    connection.parse({ name: '', text, types: [] }, true);
    connection.bind({ portal: '', statement: '', binary: '', values: pairs }, true);
    connection.execute({ portal: '', rows: '0' }, true);
    submit(connection);
    connection.stream.uncork();
  };
  return query;
}

type SentStatement = { readonly text: string; readonly values: readonly unknown[] };

/** Runs one statement as a separate transaction. @throws the error of `pg`. */
function send(client: ClientBase, { text, values }: SentStatement, timeout: number): Promise<{ readonly rows: Row[] }> {
  return new Promise((resolve, reject) => {
    const config = { text, values: [...values], queryMode: 'extended' };
    const query = new Query<Row>(config, (error, result) => {
      // The server rolls back a rejected statement. After any other error it may have committed, and only its answer is
      // lost.
      if (error) reject(toUnavailable(error, !isRefusal(error)));
      else resolve(pickLast(result));
    });
    client.query(Object.assign(addSettings(query, limitTo(timeout)), { query_timeout: timeout + ANSWER_SLACK }));
  });
}

/** The result of the query itself, after its settings. */
export function pickLast<T extends object>(results: T | T[]): T {
  const last = Array.isArray(results) ? results.at(-1) : results;
  if (last === undefined) throw new Error('a query has no result');
  return last;
}

/** Runs one statement on any connection of a pool. @param timeout milliseconds. @throws DatabaseUnavailable */
export async function queryPool(
  pool: Pool,
  statement: SentStatement,
  timeout: number,
): Promise<{ readonly rows: Row[] }> {
  const client = await connect(pool);
  let isDone = false;
  try {
    const result = await send(client, statement, timeout);
    isDone = true;
    return result;
  } finally {
    client.release(!isDone);
  }
}

/** Connections to PostgreSQL. @param timeout milliseconds for one statement. */
export function createPool(connectionString: string, timeout: number, limits: PoolConfig): Pool {
  const pool = new Pool({
    connectionString,
    application_name: 'puente',
    query_timeout: timeout + ANSWER_SLACK,
    keepAlive: true,
    ...limits,
  });
  // Without a listener, a connection that breaks ends the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

async function connect(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw toUnavailable(error, false);
  }
}

const createQuery =
  (client: PoolClient, timeout?: number): RunQuery =>
  async (sql, values = []) => {
    try {
      const statement = { text: sql, values: [...values], query_timeout: timeout };
      return (await client.query<Row>(statement)).rows;
    } catch (error) {
      // The server rolls back a rejected statement. After any other error it may have committed, and only its answer is
      // lost.
      throw toUnavailable(error, !isRefusal(error));
    }
  };

/** SQLSTATEs with which a connection or the server may end, even during a commit. */
const endings = /^(08|25P0|57P|58|XX)/;

/** True if only the statement has failed. A server localizes `ERROR`, e.g. `FEHLER`, but not SQLSTATEs. */
export const isRefusal = (error: unknown): boolean => {
  const severity = getField(error, 'severity');
  return severity === 'ERROR' || (severity !== undefined && !endings.test(getErrorCode(error)));
};

async function transact(pool: Pool, statements: readonly Statement[], timeout: number): Promise<void> {
  const client = await connect(pool);
  const query = createQuery(client);
  let isDone = false;
  try {
    await query(formatBegin(limitTo(timeout)));
    for (const statement of statements) checkRows(statement, await query(statement.sql, statement.values));
    await query('COMMIT');
    isDone = true;
  } finally {
    // The server rolls back the open transaction of an ended connection.
    client.release(!isDone);
  }
}

async function migrateAlone(pool: Pool, work: (query: RunQuery) => Promise<void>): Promise<void> {
  const client = await connect(pool);
  const query = createQuery(client, MIGRATION_TIMEOUT);
  let isDone = false;
  try {
    await query(formatBegin(limitTo(MIGRATION_TIMEOUT)));
    await query(LOCK_MIGRATIONS);
    await work(query);
    await query('COMMIT');
    isDone = true;
  } finally {
    // The server rolls back the open transaction of an ended connection.
    client.release(!isDone);
  }
}

/** The minimum milliseconds by which the database's clock is ahead of this process's. */
async function measureOffset(query: RunQuery): Promise<number> {
  const asked = readSteadyClock();
  const [row] = await query('SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now');
  const now: unknown = row?.now;
  return typeof now === 'number' ? Math.floor(now - (asked + readSteadyClock()) / 2) : 0;
}

/** Codes for `pg` errors without a code, by their messages. */
const codes: readonly (readonly [RegExp, string])[] = [
  [/timeout exceeded when trying to connect/, 'pool_busy'],
  [/due to connection timeout|timeout expired/, 'connect_timeout'],
  [/Query read timeout/, 'statement_timeout'],
  [/ SSL connection/, 'tls_refused'],
  [/password must be/, 'password_missing'],
  [/^URIError/, 'ERR_INVALID_URL'],
];

const findCode = (message: string): string =>
  codes.find(([pattern]) => pattern.test(message))?.[1] ?? 'connection_failed';

/** The parameter of the address that a pooler refuses. */
export const findRefusedParameter = (error: unknown): string | undefined =>
  /unsupported startup parameter(?: in options)?: (\w+)/.exec(String(error))?.[1];

/** SQLSTATEs begin with a digit, so they are not recognized as codes. */
function toUnavailable(error: unknown, isOutcomeUnknown: boolean): DatabaseUnavailable {
  const code = getErrorCode(error);
  const known = code === '' ? findCode(String(error)) : code.replace(/^(?=[0-9A-Z]{5}$)/, 'PG_');
  const parameter = findRefusedParameter(error);
  return new DatabaseUnavailable('the database refuses, or cannot be reached', known, isOutcomeUnknown, parameter);
}

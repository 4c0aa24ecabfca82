import { Pool, type PoolClient, type PoolConfig } from 'pg';
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

/** Milliseconds. A request waits for a connection and then for its statement, of which some say how long they may take. */
const CONNECTION_TIMEOUT = 2_000;
const STATEMENT_TIMEOUT = 2_000;
/** How much longer than the server its answer is waited for: what the server gives up has certainly not been done. */
const ANSWER_SLACK = 500;
/** A migration waits for that of another gateway, and changes large tables. */
const MIGRATION_TIMEOUT = 3_600_000;
const MAX_CONNECTIONS = 8;
/** Any number that nobody else locks with. */
const MIGRATION_LOCK = 7_083_118;
const CLOCK_INTERVAL = 60_000;

/**
 * A PostgreSQL database, for any number of gateways. Connections that break are replaced.
 * @param url e.g. `postgres://user:password@host/database?sslmode=verify-full`.
 * @throws DatabaseUnavailable when it cannot be reached.
 */
export async function openPostgres(url: string, statementTimeout = STATEMENT_TIMEOUT): Promise<Database> {
  const limits = { max: MAX_CONNECTIONS, connectionTimeoutMillis: CONNECTION_TIMEOUT };
  const pool = createPool(url, statementTimeout, limits);
  /** What the connections let a statement take that were asked for something else than at first. */
  const timeouts = new WeakMap<PoolClient, number>();
  const limit = async (client: PoolClient, timeout: number): Promise<void> => {
    if (timeout <= 0) throw new DatabaseUnavailable('no time was left', 'statement_timeout');
    if (timeout === (timeouts.get(client) ?? statementTimeout)) return;
    await createQuery(client)(`SET statement_timeout = ${timeout}`);
    timeouts.set(client, timeout);
  };
  const query: RunQuery = async (sql, values, timeLeft = () => statementTimeout) => {
    const client = await connect(pool);
    let isSent = false;
    try {
      const timeout = Math.ceil(timeLeft());
      await limit(client, timeout);
      isSent = true;
      const rows = await createQuery(client, timeout + ANSWER_SLACK)(sql, values);
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
    transact: (statements) => transact(pool, statements),
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

/** Connections to PostgreSQL. @param timeout milliseconds for one statement. */
export function createPool(connectionString: string, timeout: number, limits: PoolConfig): Pool {
  const pool = new Pool({
    connectionString,
    application_name: 'puente',
    statement_timeout: timeout,
    query_timeout: timeout + ANSWER_SLACK,
    idle_in_transaction_session_timeout: 10_000,
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
      // What the server refuses it has undone. After anything else it may have committed, and only its answer is lost.
      throw toUnavailable(error, !isRefusal(error));
    }
  };

/** SQLSTATEs with which a connection or the server may end, in the midst of a commit too. */
const endings = /^(08|25P0|57P|58|XX)/;

/** Whether the statement alone has failed. A server says `ERROR` in its own language, e.g. `FEHLER`, but SQLSTATEs in none. */
export const isRefusal = (error: unknown): boolean => {
  const severity = getField(error, 'severity');
  return severity === 'ERROR' || (severity !== undefined && !endings.test(getErrorCode(error)));
};

async function transact(pool: Pool, statements: readonly Statement[]): Promise<void> {
  const client = await connect(pool);
  const query = createQuery(client);
  let isDone = false;
  try {
    await query('BEGIN');
    for (const statement of statements) checkRows(statement, await query(statement.sql, statement.values));
    await query('COMMIT');
    isDone = true;
  } finally {
    // The server undoes what a connection leaves that ends.
    client.release(!isDone);
  }
}

async function migrateAlone(pool: Pool, work: (query: RunQuery) => Promise<void>): Promise<void> {
  const client = await connect(pool);
  const query = createQuery(client, MIGRATION_TIMEOUT);
  let isDone = false;
  try {
    await query('BEGIN');
    await query(`SET LOCAL statement_timeout = ${MIGRATION_TIMEOUT}`);
    await query(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    await work(query);
    await query('COMMIT');
    isDone = true;
  } finally {
    // The server undoes what a connection leaves that ends.
    client.release(!isDone);
  }
}

/** How many milliseconds the clock of the database is ahead of that of this process, at least. */
async function measureOffset(query: RunQuery): Promise<number> {
  const asked = readSteadyClock();
  const [row] = await query('SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now');
  const now: unknown = row?.now;
  return typeof now === 'number' ? Math.floor(now - (asked + readSteadyClock()) / 2) : 0;
}

/** Errors to which `pg` gives no code, by their messages. */
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

/** SQLSTATEs begin with a digit, and so are not seen to be codes. */
export function toUnavailable(error: unknown, isOutcomeUnknown: boolean): DatabaseUnavailable {
  const code = getErrorCode(error);
  const known = code === '' ? findCode(String(error)) : code.replace(/^(?=[0-9A-Z]{5}$)/, 'PG_');
  return new DatabaseUnavailable('the database refuses, or cannot be reached', known, isOutcomeUnknown);
}

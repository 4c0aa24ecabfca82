import { Pool, type PoolClient } from 'pg';
import { readSteadyClock } from './clock.ts';
import type { Database, Query } from './sql.ts';
import { StateUnavailable } from './state.ts';

/** Milliseconds. A request waits for a connection and then for its statement, and has a deadline of its own. */
const CONNECTION_TIMEOUT = 2_000;
const STATEMENT_TIMEOUT = 2_000;
const MAX_CONNECTIONS = 8;
/** Any number that nobody else locks with. */
const MIGRATION_LOCK = 7_083_118;
const CLOCK_INTERVAL = 60_000;

/**
 * A PostgreSQL database, for any number of gateways. Connections that break are replaced.
 * @param url e.g. `postgres://user:password@host/database?sslmode=verify-full`.
 * @throws StateUnavailable when it cannot be reached.
 */
export async function openPostgres(url: string, statementTimeout = STATEMENT_TIMEOUT): Promise<Database> {
  const pool = new Pool({
    connectionString: url,
    application_name: 'puente',
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECTION_TIMEOUT,
    statement_timeout: statementTimeout,
    query_timeout: statementTimeout + 500,
    idle_in_transaction_session_timeout: 10_000,
    keepAlive: true,
  });
  // Without a listener, an idle connection that breaks ends the process.
  pool.on('error', () => undefined);
  const query = createQuery(pool);
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
  const timer = setInterval(() => void readOffset().catch(() => undefined), CLOCK_INTERVAL).unref();
  return {
    query,
    bytes: 'BYTEA',
    now: () => readSteadyClock() + offset,
    migrate: (work) => migrateAlone(pool, work),
    close: async () => {
      clearInterval(timer);
      await pool.end();
    },
  };
}

const createQuery =
  (connection: Pool | PoolClient): Query =>
  async (sql, values = []) => {
    try {
      return (await connection.query<object>(sql, [...values])).rows;
    } catch (error) {
      throw toUnavailable(error);
    }
  };

async function migrateAlone(pool: Pool, work: (query: Query) => Promise<void>): Promise<void> {
  const client = await pool.connect().catch((error: unknown) => {
    throw toUnavailable(error);
  });
  const query = createQuery(client);
  try {
    await query('BEGIN');
    await query('SET LOCAL statement_timeout = 0');
    await query(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    await work(query);
    await query('COMMIT');
  } catch (error) {
    await query('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}

/** How many milliseconds the clock of the database is ahead of that of this process, at least. */
async function measureOffset(query: Query): Promise<number> {
  const asked = readSteadyClock();
  const [row] = await query('SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now');
  const now: unknown = row && Reflect.get(row, 'now');
  return typeof now === 'number' ? Math.floor(now - (asked + readSteadyClock()) / 2) : 0;
}

/** SQLSTATEs begin with a digit, and so are not seen to be codes. */
function toUnavailable(error: unknown): StateUnavailable {
  const { code } = error as { readonly code?: unknown };
  const known = typeof code === 'string' ? code.replace(/^(?=[0-9A-Z]{5}$)/, 'PG_') : 'connection_failed';
  return new StateUnavailable('the database refuses, or cannot be reached', known);
}

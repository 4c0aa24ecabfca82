import type { LoadedConfig } from '../config/read.ts';
import { createMemoryRateLimiter } from '../http/limits/rate-limiter.ts';
import type { RateLimiters } from '../http/limits/shared-rate-limiters.ts';
import type { Log } from '../ports/index.ts';
import type { State } from '../state/state.ts';
import { Cipher } from '../toolkit/database/cipher.ts';
import { readDatabaseSecrets } from '../toolkit/database/open-database.ts';

/** Milliseconds; no request waits so long. */
const STATEMENT_TIMEOUT = 2_000;
const MAX_CONNECTIONS = 2;

/**
 * What counts the requests of callers: with a state in PostgreSQL all gateways together, else each one for itself.
 * @param _state is open: its tables are there.
 */
export async function openRateLimiters({ config }: LoadedConfig, _state: State, log: Log): Promise<RateLimiters> {
  const { kind, ...settings } = config.state;
  if (kind !== 'postgres') return { create: createMemoryRateLimiter, close: async () => undefined };
  const { keys, address } = readDatabaseSecrets({ kind, ...settings });
  // Their packages are loaded only where they are used.
  const { createPool, toUnavailable } = await import('../toolkit/database/postgres.ts');
  const { createSharedRateLimiters } = await import('../http/limits/shared-rate-limiters.ts');
  // Connections of their own, which stay open: no request waits for those of the state, nor for a new one.
  const pool = createPool(address, STATEMENT_TIMEOUT, {
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: STATEMENT_TIMEOUT,
    idleTimeoutMillis: 0,
  });
  await pool.query('SELECT 1').catch(() => undefined);
  const cipher = new Cipher(...keys);
  return createSharedRateLimiters(
    {
      query: (statement) => pool.query(statement).catch((error: unknown) => Promise.reject(toUnavailable(error, true))),
      end: () => pool.end(),
    },
    (text) => cipher.computeDigest(text),
    log,
  );
}

import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { importModule, ModuleProblem } from '../config/import-adapter.ts';
import type { LoadedConfig } from '../config/read.ts';
import { Cipher } from '../database/cipher.ts';
import type { Database } from '../database/database.ts';
import type { EncryptionKeys } from '../database/migrations.ts';
import { openDatabase, readDatabaseSecrets } from '../database/open-database.ts';
import { findOwnerId } from '../database/owner.ts';
import { createMemoryRateLimiter } from '../http/limits.ts';
import type { Middleware } from '../http/request.ts';
import type { RateLimiters } from '../http/shared-limits.ts';
import type { Log } from '../ports/index.ts';
import { createMemoryState, openDurableState } from '../state/open.ts';
import type { State } from '../state/state.ts';
import { ConfigProblems, SettingsProblem, toConfigProblems } from '../toolkit/problems.ts';

/**
 * Opens the gateway's state.
 * @param statementTimeout see `DatabaseSettings`.
 * @throws ConfigProblems if it cannot be opened, now or with these settings.
 */
export async function openState(loaded: LoadedConfig, statementTimeout?: number): Promise<State> {
  const { institution, state } = loaded.config;
  const { kind, ...settings } = state;
  if (kind === 'memory') return createMemoryState();
  const open = (database: Database, keys: EncryptionKeys) => openDurableState(database, keys, institution);
  try {
    return await openDatabase({ kind, ...settings, statementTimeout }, open, 'the state');
  } catch (error) {
    throw error instanceof SettingsProblem ? toConfigProblems(error, ['state'], loaded.problem) : error;
  }
}

/**
 * The warning of a database without an owner, which other institutions could use. Empty if this institution owns it.
 */
export const listOwnerNotes = ({ institution, state }: LoadedConfig['config']): readonly string[] =>
  state.kind === 'postgres' && findOwnerId(institution) === undefined
    ? ['the state has no owner: set institution.name, so that no gateway of another institution opens it']
    : [];

/**
 * Runs a command's work with the state of the configuration, and closes it.
 * @throws ConfigProblems as `openState` does, and if there is no SQLite file: only a gateway creates it. A command would
 * find an empty trail at a wrong path, and its user would own the file.
 */
export async function withState<T>(
  loaded: LoadedConfig,
  work: (state: State) => Promise<T>,
  statementTimeout?: number,
): Promise<T> {
  const { kind, file = '' } = loaded.config.state;
  if (kind === 'sqlite' && !existsSync(file)) {
    const what = 'does not exist: correct the path, or start the gateway, which creates it';
    throw new ConfigProblems([loaded.problem(['state', 'file'], what)]);
  }
  const state = await openState(loaded, statementTimeout);
  try {
    return await work(state);
  } finally {
    await state.close();
  }
}

/**
 * Checks the secrets of the state without opening it.
 * @throws ConfigProblems if one of them is missing.
 */
export async function requireStateSecrets(loaded: LoadedConfig): Promise<void> {
  const { kind, ...settings } = loaded.config.state;
  if (kind === 'memory') return;
  try {
    readDatabaseSecrets({ kind, ...settings });
  } catch (error) {
    throw error instanceof SettingsProblem ? toConfigProblems(error, ['state'], loaded.problem) : error;
  }
}

/**
 * Imports the middleware of the configuration. Empty if it names none.
 * @throws ConfigProblems if the module does not exist, or its default export is neither a function nor a list of
 * functions.
 */
export async function importMiddleware({ config, problem }: LoadedConfig): Promise<readonly Middleware[]> {
  const { middleware: file } = config.http;
  if (file === undefined) return [];
  try {
    const { default: given } = await importModule(file, [dirname(file)]);
    const middleware = [given].flat();
    if (!isMiddleware(middleware))
      throw new ModuleProblem('must export an Express middleware, or a list of them, as its default');
    return middleware;
  } catch (error) {
    if (!(error instanceof ModuleProblem)) throw error;
    throw new ConfigProblems([problem(['http', 'middleware'], error.message)]);
  }
}

const isMiddleware = (given: readonly unknown[]): given is readonly Middleware[] =>
  given.length > 0 && given.every((each) => typeof each === 'function');

/** Milliseconds. No request waits this long. */
const STATEMENT_TIMEOUT = 2_000;
const MAX_CONNECTIONS = 2;

/**
 * Creates the rate limiters: shared by all gateways if the state is in PostgreSQL, otherwise for each gateway.
 * @param _state must be open, because its tables must exist.
 */
export async function openRateLimiters({ config }: LoadedConfig, _state: State, log: Log): Promise<RateLimiters> {
  const { kind, ...settings } = config.state;
  if (kind !== 'postgres') return { create: createMemoryRateLimiter, close: async () => undefined };
  const { keys, address } = readDatabaseSecrets({ kind, ...settings });
  // Their packages are loaded only if they are used.
  const { createPool, queryPool } = await import('../database/postgres.ts');
  const { createSharedRateLimiters } = await import('../http/shared-limits.ts');
  // A separate pool with open connections: no request waits for connections of the state, or for a new one.
  const pool = createPool(address, STATEMENT_TIMEOUT, {
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: STATEMENT_TIMEOUT,
    idleTimeoutMillis: 0,
  });
  await pool.query('SELECT 1').catch(() => undefined);
  const cipher = new Cipher(...keys);
  return createSharedRateLimiters(
    {
      query: (statement) => queryPool(pool, statement, STATEMENT_TIMEOUT),
      end: () => pool.end(),
    },
    (text) => cipher.computeDigest(text),
    log,
  );
}

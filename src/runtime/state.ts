import { SettingsProblem } from '../../adapters/adapter.ts';
import { readSecret } from '../../adapters/secret.ts';
import { ConfigProblems } from '../config/problems.ts';
import type { LoadedConfig } from '../config/read.ts';
import type { StateConfig } from '../config/state.ts';
import { parseEncryptionKey } from '../state/cipher.ts';
import { openDurableState, WrongEncryptionKey } from '../state/durable.ts';
import { createMemoryState } from '../state/memory.ts';
import { openSqlite } from '../state/sqlite.ts';
import { type State, StateUnavailable } from '../state/state.ts';

/**
 * Opens what the gateway must remember.
 * @throws ConfigProblems when it cannot be opened.
 */
export async function openState({ config, problem }: LoadedConfig): Promise<State> {
  try {
    return await openStore(config.state);
  } catch (error) {
    const { setting, problems } = error instanceof SettingsProblem ? error : toSettingsProblem(error, config.state);
    throw new ConfigProblems(problems.map((what) => problem(['state', setting], what)));
  }
}

async function openStore({ kind, file = '', url = '', encryptionKey = '' }: StateConfig): Promise<State> {
  if (kind === 'memory') return createMemoryState();
  const key = parseEncryptionKey(readSecret(encryptionKey, 'encryptionKey'));
  if (!key) {
    throw new SettingsProblem('encryptionKey', ['must be 32 bytes in base64 or hexadecimal: openssl rand -base64 32']);
  }
  if (kind === 'sqlite') return openDurableState(await openSqlite(file), key);
  // Its package is loaded only where it is used.
  const { openPostgres } = await import('../state/postgres.ts');
  return openDurableState(await openPostgres(readSecret(url, 'url')), key);
}

/** Says what keeps a store from being opened; what no operator can mend is thrown. */
function toSettingsProblem(error: unknown, { kind }: StateConfig): SettingsProblem {
  if (error instanceof WrongEncryptionKey) {
    return new SettingsProblem('encryptionKey', ['is not the key that the state was encrypted with']);
  }
  if (!(error instanceof StateUnavailable)) throw error;
  return new SettingsProblem(kind === 'sqlite' ? 'file' : 'url', [`cannot be used (${error.code})`]);
}

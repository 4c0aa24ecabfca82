import type { LoadedConfig } from '../config/read.ts';
import { openDurableState } from '../state/durable.ts';
import { createMemoryState } from '../state/memory.ts';
import type { State } from '../state/state.ts';
import { openDatabase, readDatabaseSecrets } from '../toolkit/database/open-database.ts';
import { toConfigProblems } from '../toolkit/problems.ts';
import { SettingsProblem } from '../toolkit/settings-problem.ts';

/**
 * Opens what the gateway must remember.
 * @throws ConfigProblems when it cannot be opened, now or with these settings.
 */
export async function openState(loaded: LoadedConfig): Promise<State> {
  const { kind, ...settings } = loaded.config.state;
  if (kind === 'memory') return createMemoryState();
  try {
    return await openDatabase({ kind, ...settings }, openDurableState, 'the state');
  } catch (error) {
    throw error instanceof SettingsProblem ? toConfigProblems(error, ['state'], loaded.problem) : error;
  }
}

/**
 * Looks for the secrets of the state, and does not open it.
 * @throws ConfigProblems when one of them is not there.
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

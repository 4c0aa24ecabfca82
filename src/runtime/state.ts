import { SettingsProblem } from '../../adapters/adapter.ts';
import { openDatabase } from '../../adapters/open-database.ts';
import { ConfigProblems } from '../config/problems.ts';
import type { LoadedConfig } from '../config/read.ts';
import { openDurableState } from '../state/durable.ts';
import { createMemoryState } from '../state/memory.ts';
import type { State } from '../state/state.ts';

/**
 * Opens what the gateway must remember.
 * @throws ConfigProblems when it cannot be opened.
 */
export async function openState({ config, problem }: LoadedConfig): Promise<State> {
  const { kind, ...settings } = config.state;
  if (kind === 'memory') return createMemoryState();
  try {
    return await openDatabase({ kind, ...settings }, openDurableState, 'the state');
  } catch (error) {
    if (!(error instanceof SettingsProblem)) throw error;
    throw new ConfigProblems(error.problems.map((what) => problem(['state', error.setting], what)));
  }
}

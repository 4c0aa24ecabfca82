import { createMemoryState } from '../state/memory.ts';
import { type State, StateUnavailable } from '../state/state.ts';

/** Milliseconds between two looks for what has expired. */
const PRUNING_INTERVAL = 60_000;

/** Opens what the gateway must remember, and forgets every minute what has expired. */
export function openState(): State {
  const state = createMemoryState();
  const timer = setInterval(() => void prune(state), PRUNING_INTERVAL).unref();
  return {
    ...state,
    close: async () => {
      clearInterval(timer);
      await state.close();
    },
  };
}

/** What cannot be forgotten now is forgotten a minute later. */
async function prune({ idempotency, now }: State): Promise<void> {
  try {
    await idempotency.prune(now());
  } catch (error) {
    if (!(error instanceof StateUnavailable)) throw error;
  }
}

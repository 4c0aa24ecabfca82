import type { Impairment, Log } from '../ports/index.ts';
import { type IdempotencyRecords, type State, StateUnavailable } from '../state/state.ts';

/** Milliseconds between two looks for what has expired, which also find out whether the store answers. */
const INTERVAL = 15_000;

const unavailable: Impairment = {
  code: 'state_unavailable',
  detail:
    'The store of the gateway’s state does not answer, or refuses: requests with an Idempotency-Key are 503. Look after the database or the disk; the log says why.',
};

export interface WatchedState extends State {
  /** What the last answer of the store, or the lack of it, says. */
  readonly impairments: readonly Impairment[];
}

/** Watches whether the store answers, logs every change, and forgets every 15 seconds what has expired. */
export function watchState(state: State, log: Log): WatchedState {
  const { idempotency } = state;
  let impairments: readonly Impairment[] = [];

  const watch =
    <G extends unknown[], R>(method: (...given: G) => Promise<R>) =>
    async (...given: G): Promise<R> => {
      try {
        const result = await method(...given);
        if (impairments.length > 0) log.write('info', 'state recovered');
        impairments = [];
        return result;
      } catch (error) {
        if (error instanceof StateUnavailable && impairments.length === 0) {
          impairments = [unavailable];
          log.write('error', 'state unavailable', { cause: error.code });
        }
        throw error;
      }
    };
  const watched: IdempotencyRecords = {
    claim: watch((...given) => idempotency.claim(...given)),
    reclaim: watch((...given) => idempotency.reclaim(...given)),
    settle: watch((...given) => idempotency.settle(...given)),
    prune: watch((...given) => idempotency.prune(...given)),
  };
  const prune = async (): Promise<void> => {
    try {
      await watched.prune(state.now());
    } catch (error) {
      if (!(error instanceof StateUnavailable)) throw error;
    }
  };
  const timer = setInterval(() => void prune(), INTERVAL).unref();
  return {
    idempotency: watched,
    now: () => state.now(),
    get impairments() {
      return impairments;
    },
    close: async () => {
      clearInterval(timer);
      await state.close();
    },
  };
}

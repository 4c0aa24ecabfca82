import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeDatabaseCode, explainDatabaseCode } from '../database/database.ts';
import type { AdapterImpairment, Impairment, Log, Readiness, Report } from '../ports/index.ts';
import { type State, StateUnavailable } from '../state/state.ts';
import type { RunningAdapter } from './adapters.ts';

/** Something that can be impaired. */
export interface Watched {
  /** Its known limitations. */
  list(): readonly Impairment[];
  readonly adapter?: string;
  /** The check, if the limitations are not known without one. Each change is then one log line. */
  readonly looks?: {
    readonly what: keyof typeof changes;
    readonly intervalMs: number;
    look(signal: AbortSignal): Promise<unknown>;
    /** Calls the listener after each event that may change the result of a check. */
    onSurprise?(listener: () => void): void;
  };
}

/** The log events for an impairment and for its end. */
const changes = {
  adapter: {
    logImpaired: (log: Log, { adapter, code, cause, host }: AdapterImpairment) =>
      log.write('warn', 'adapter impaired', { adapter, code, cause, host }),
    logRecovered: (log: Log, adapter?: string) => log.write('info', 'adapter recovered', { adapter }),
  },
  issuer: {
    logImpaired: (log: Log, { code, cause, host }: AdapterImpairment) =>
      log.write('warn', 'issuer impaired', { code, cause, host }),
    logRecovered: (log: Log) => log.write('info', 'issuer recovered'),
  },
  clock: {
    logImpaired: (log: Log, { code }: AdapterImpairment) => log.write('warn', 'clock impaired', { code }),
    logRecovered: (log: Log) => log.write('info', 'clock recovered'),
  },
  state: {
    logImpaired: (log: Log, { code, cause }: AdapterImpairment) =>
      log.write('error', 'state unavailable', { code, cause, hint: explainDatabaseCode(cause ?? '') }),
    logRecovered: (log: Log) => log.write('info', 'state recovered'),
  },
};

/** Milliseconds between two checks after an unexpected failure. */
const PAUSE_MS = 1_000;

/**
 * Checks for impairments in the background, so that no probe waits for another system. The checks run independently.
 */
export class Health {
  /** Each with the controller that stops its checks. */
  readonly #watched: Map<Watched, AbortController>;
  readonly #log: Log;
  readonly #stopped = new AbortController();
  #intervals: readonly [number | undefined, number] | undefined;

  constructor(watched: readonly Watched[], log: Log) {
    this.#watched = new Map(watched.map((each) => [each, new AbortController()]));
    this.#log = log;
  }

  get impairments(): readonly AdapterImpairment[] {
    return [...this.#watched.keys()].flatMap(({ list, adapter }) =>
      list().map(({ code, detail }) => ({ adapter, code, detail })),
    );
  }

  /**
   * Checks now, then at each interval, and at once after a surprise, until `stop`.
   * @param intervalMs replaces the intervals.
   */
  async watch(intervalMs?: number, pauseMs = PAUSE_MS): Promise<void> {
    this.#intervals = [intervalMs, pauseMs];
    await Promise.all([...this.#watched.keys()].map((each) => this.#watch(each, intervalMs, pauseMs)));
  }

  /** Watches `after` instead of `before`. Entries of both lists continue. */
  replace(before: readonly Watched[], after: readonly Watched[]): void {
    for (const gone of before.filter((each) => !after.includes(each))) {
      this.#watched.get(gone)?.abort();
      this.#watched.delete(gone);
    }
    for (const added of after.filter((each) => !before.includes(each))) {
      this.#watched.set(added, new AbortController());
      if (this.#intervals) void this.#watch(added, ...this.#intervals);
    }
  }

  stop(): void {
    this.#stopped.abort();
  }

  async #watch(watched: Watched, intervalMs: number | undefined, pauseMs: number): Promise<void> {
    const { list, adapter, looks } = watched;
    const ended = this.#watched.get(watched);
    if (!looks || !ended) return;
    const signal = AbortSignal.any([this.#stopped.signal, ended.signal]);
    const { logImpaired, logRecovered } = changes[looks.what];
    let before: readonly Impairment[] = [];
    const logChange = () => {
      const found = list();
      for (const each of found) {
        const isKnown = before.some(({ code }) => code === each.code);
        if (!isKnown) logImpaired(this.#log, { ...each, adapter });
      }
      if (before.length > 0 && found.length === 0) logRecovered(this.#log, adapter);
      before = found;
    };
    const interval = intervalMs ?? looks.intervalMs;
    while (!signal.aborted) {
      const surprised = new AbortController();
      // Findings of requests since the last check may be obsolete after this one.
      logChange();
      try {
        looks.onSurprise?.(() => surprised.abort());
        await looks.look(signal);
      } catch (error) {
        const cause = error instanceof Error ? error.name : typeof error;
        if (!signal.aborted) this.#log.write('error', 'readiness check failed', { adapter, cause });
      }
      if (signal.aborted) return;
      logChange();
      await wait(Math.min(pauseMs, interval), signal);
      await wait(interval - pauseMs, AbortSignal.any([signal, surprised.signal]));
    }
  }
}

/** Ends early when the signal aborts, and does not keep the process alive. */
const wait = (ms: number, signal: AbortSignal): Promise<unknown> =>
  sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);

/** Milliseconds between two checks of an adapter or of the store. */
const INTERVAL_MS = 15_000;

/** The adapters with a readiness, in their configured order. Logs the kind of each backend. */
export const watchAdapters = (adapters: readonly Pick<RunningAdapter, 'name' | 'offer'>[], log: Log): Watched[] =>
  adapters.flatMap(({ name, offer: { readiness } }) => (readiness ? [watchAdapter(name, readiness, log)] : []));

function watchAdapter(adapter: string, readiness: Readiness, log: Log): Watched {
  let report: Report = { impairments: [] };
  return {
    adapter,
    list: () => report.impairments,
    looks: {
      what: 'adapter',
      intervalMs: INTERVAL_MS,
      onSurprise: (listener) => readiness.onSurprise?.(listener),
      look: async (signal) => {
        const { backend = report.backend, impairments } = await readiness.report(signal);
        if (backend !== undefined && backend !== report.backend)
          log.write('info', 'backend found', { adapter, backend });
        report = { backend, impairments };
      },
    },
  };
}

/** The store of the gateway's state. The check deletes expired entries, which proves that the store works. */
export function watchState(state: State): Watched {
  const describe = (code: string) =>
    `The store of the gateway’s state does not answer, or refuses: requests with an Idempotency-Key get 503 (${describeDatabaseCode(code)}).`;
  return {
    list: () => {
      const cause = state.failure;
      return cause === undefined ? [] : [{ code: 'state_unavailable', detail: describe(cause), cause }];
    },
    looks: {
      what: 'state',
      intervalMs: INTERVAL_MS,
      look: () =>
        state.idempotency.prune(state.now()).catch((error: unknown) => {
          if (!(error instanceof StateUnavailable)) throw error;
        }),
    },
  };
}

/** Milliseconds for which a loss is reported. */
const TOLD_MS = 60_000;

/** The output of the log. Lost lines affect neither requests nor the process. */
export function watchOutputs(outputs: readonly Writable[]): Watched {
  const detail =
    'Lines of the log were lost within the last minute, because its disk is full or its reader has ended. Check the disk or the reader.';
  let lostAt = Number.NEGATIVE_INFINITY;
  for (const output of outputs) {
    output.on('error', () => {
      lostAt = performance.now();
    });
  }
  return { list: () => (performance.now() < lostAt + TOLD_MS ? [{ code: 'log_unavailable', detail }] : []) };
}

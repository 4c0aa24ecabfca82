import type { Impairment } from '../ports/index.ts';
import type { State } from '../state/state.ts';
import { answers, describeOffset, examineClock, type TimedAnswer } from '../toolkit/clocks.ts';
import { subscribe } from '../toolkit/telemetry.ts';
import type { Watched } from './health.ts';

/** The tolerated clock difference in milliseconds: a third of the tolerance of most issuers and servers. */
const TOLERANCE_MS = 10_000;
const INTERVAL_MS = 15_000;
/** The maximum number of servers whose clock is remembered. The configuration names fewer. */
const MAX_SERVERS = 100;

/** Compares this machine's clock with the database's, and with the `Date` header of all other systems. */
export class ClockWatch implements Watched {
  readonly looks = { what: 'clock', intervalMs: INTERVAL_MS, look: async () => undefined } as const;
  readonly #state: Pick<State, 'clockOffset'>;
  /** Reports of servers with a different clock, by host. */
  readonly #servers = new Map<string, string>();
  readonly #stop: () => void;

  constructor(state: Pick<State, 'clockOffset'>) {
    this.#state = state;
    this.#stop = subscribe(answers, ({ host, ...answer }) => this.#hear(host, answer));
  }

  readonly list = (): readonly Impairment[] => {
    const offset = this.#state.clockOffset?.() ?? 0;
    const apart = Math.abs(offset) > TOLERANCE_MS ? [describeOffset('the database', offset)] : [];
    const all = [...apart, ...this.#servers.values()];
    if (all.length === 0) return [];
    return [{ code: 'clock', detail: `${all.join('; ')}: synchronize all machines with a time server (NTP)` }];
  };

  /** Stops listening. */
  close(): void {
    this.#stop();
  }

  #hear(host: string, answer: TimedAnswer): void {
    const { ok, detail } = examineClock(answer, TOLERANCE_MS);
    if (ok === null) return;
    this.#servers.delete(host);
    if (!ok && this.#servers.size < MAX_SERVERS) this.#servers.set(host, detail.replace('the server', host));
  }
}

import type { Impairment } from '../ports/index.ts';
import type { State } from '../state/state.ts';
import { answers, describeOffset, examineClock, type TimedAnswer } from '../toolkit/clocks.ts';
import { subscribe } from '../toolkit/telemetry.ts';
import type { Watched } from './health.ts';

/** Milliseconds that two clocks may be apart: a third of what most issuers and servers forgive. */
const TOLERANCE_MS = 10_000;
const INTERVAL_MS = 15_000;
/** The number of servers whose last clock is kept; the configuration names fewer. */
const MAX_SERVERS = 100;

/** The clock of this machine against that of the database, and against the header `Date` of all that the gateway asks. */
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
    return [{ code: 'clock', detail: `${all.join('; ')}: let all machines take their time from a time server (NTP)` }];
  };

  /** Hears no more. */
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

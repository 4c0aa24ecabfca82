import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../ports/index.ts';
import type { AuditRecords } from '../state/audit.ts';
import { StateUnavailable } from '../state/state.ts';
import { getCauseCode, toNetworkFailure } from '../toolkit/http-client/failures.ts';
import { type PlacedRecord, parseGroup } from './chain.ts';

/** A system that gets every record of the audit trail. */
export interface Destination {
  /** What it is in the state and in the log. */
  readonly name: 'fhir' | 'syslog';
  /** Resolves when it has taken the records, which it may get more than once. */
  send(records: readonly PlacedRecord[], signal: AbortSignal): Promise<void>;
  close?(): void;
}

export interface ForwarderOptions {
  readonly records: AuditRecords;
  readonly chain: string;
  readonly destination: Destination;
  readonly log: Log;
  /** Milliseconds between two looks for new records, and after a failure; twice as many after each further one. */
  readonly interval?: number;
}

const LONGEST_PAUSE = 60_000;

/** Sends the records of a chain to a destination, in their order. The trail itself is the outbox: the state has how far it was sent. */
export class Forwarder {
  readonly #options: ForwarderOptions;
  readonly #stopped = new AbortController();
  #running: Promise<void> | undefined;
  #failure: string | undefined;

  constructor(options: ForwarderOptions) {
    this.#options = options;
  }

  get name(): Destination['name'] {
    return this.#options.destination.name;
  }

  /** Why the last attempt failed; undefined after one that did not. */
  get failure(): string | undefined {
    return this.#failure;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Resolves when nothing is sent any more. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
    this.#options.destination.close?.();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped;
    const { interval = 1_000 } = this.#options;
    let pause = interval;
    while (!signal.aborted) {
      try {
        while (await this.#sendNext(signal));
        this.#succeed();
        pause = interval;
        await wait(interval, signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#fail(error);
        await wait(pause, signal);
        pause = Math.min(2 * pause, LONGEST_PAUSE);
      }
    }
  }

  /** @returns whether there may be more. */
  async #sendNext(signal: AbortSignal): Promise<boolean> {
    const { records, chain, destination } = this.#options;
    const groups = await records.read(chain, await records.readForwarded(destination.name, chain));
    for (const { seq, text } of groups) {
      // What was changed is nothing to be sent on: `verify` tells of it.
      if (text !== undefined) await destination.send(parseGroup({ chain, seq, text }), signal);
      await records.saveForwarded(destination.name, chain, seq);
    }
    return groups.length > 0;
  }

  #succeed(): void {
    if (this.#failure !== undefined) this.#options.log.write('info', 'audit forwarded again', { backend: this.name });
    this.#failure = undefined;
  }

  #fail(error: unknown): void {
    const cause = error instanceof StateUnavailable ? error.code : getCauseCode(toNetworkFailure(error, false));
    if (this.#failure === undefined)
      this.#options.log.write('warn', 'audit not forwarded', { backend: this.name, cause });
    this.#failure = cause ?? 'unknown';
  }
}

/** Ends early when the signal aborts, and holds up no exit. */
const wait = (ms: number, signal: AbortSignal): Promise<unknown> =>
  sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);

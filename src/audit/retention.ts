import type { Log } from '../ports/index.ts';
import type { AuditRecords } from '../state/audit.ts';
import { StateUnavailable } from '../state/state.ts';

const DAY = 86_400_000;
/** Milliseconds between two deletions. */
const INTERVAL = 3_600_000;

export interface RetentionOptions {
  readonly records: AuditRecords;
  /** For how many days a record is kept. */
  readonly days: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly log: Log;
}

/** Deletes the records that have been kept long enough, once an hour. */
export class Retention {
  readonly #options: RetentionOptions;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => void this.run(), INTERVAL).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Deletes now. What a store cannot delete now is deleted the next time. */
  async run(): Promise<void> {
    const { records, days, now, log } = this.#options;
    try {
      const count = await records.prune(now() - days * DAY);
      if (count > 0) log.write('info', 'audit pruned', { count });
    } catch (error) {
      if (!(error instanceof StateUnavailable)) throw error;
      log.write('warn', 'audit not pruned', { cause: error.code });
    }
  }
}

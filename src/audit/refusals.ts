import type { AuditRecord } from './record.ts';

/**
 * The number of refusals of one caller for one reason that get a record each within a minute. Further ones are counted.
 */
const MAX_SINGLE = 10;
/** The maximum number of distinct callers and reasons within a minute. */
const MAX_CALLERS = 1_000;
/** The maximum number of waiting records. */
const MAX_WAITING = 1_000;

interface CountedRefusal {
  readonly record: AuditRecord;
  single: number;
  count: number;
}

/**
 * The records of requests that were not executed. Their number is limited, because anybody can send such requests.
 * Beyond a limit, one record counts the requests of each minute, address, application and problem, without a patient.
 */
export class RefusedRequests {
  readonly #waiting: AuditRecord[] = [];
  readonly #counted = new Map<string, CountedRefusal>();

  /** The number of records, including those of the current minute. */
  get size(): number {
    return (
      this.#waiting.length +
      this.#counted
        .values()
        .filter(({ count }) => count > 0)
        .reduce((sum) => sum + 1, 0)
    );
  }

  add(record: AuditRecord): void {
    const caller = this.#findCaller(record);
    const isSingle = record.code !== 'rate_limited' && caller.single < MAX_SINGLE;
    if (isSingle && this.#waiting.length < MAX_WAITING) {
      caller.single += 1;
      this.#waiting.push(record);
    } else {
      caller.count += 1;
    }
  }

  /** Removes and returns complete records, at most `most`. At the end all records are complete. */
  take(most: number, isEnd: boolean): readonly AuditRecord[] {
    const taken = this.#waiting.splice(0, most);
    const minute = findMinute(new Date().toISOString());
    for (const [key, { record, count }] of this.#counted) {
      if (taken.length >= most) break;
      if (!isEnd && findMinute(record.at) >= minute) continue;
      if (count > 0) taken.push({ ...record, count });
      this.#counted.delete(key);
    }
    return taken;
  }

  #findCaller({ at, requestId, client, address, status, code }: AuditRecord): CountedRefusal {
    const minute = findMinute(at);
    const own = JSON.stringify([minute, address, client, code]);
    const known = this.#counted.get(own);
    if (known) return known;
    const isMany = this.#counted.size >= MAX_CALLERS;
    const [key, who] = isMany ? [minute, { address: '*' }] : [own, { client, address, status, code }];
    const record = { at, requestId, phase: 'ended', operation: '*', interaction: 'read', ...who } as const;
    const caller = this.#counted.get(key) ?? { record, single: isMany ? MAX_SINGLE : 0, count: 0 };
    this.#counted.set(key, caller);
    return caller;
  }
}

/** As `2026-11-30T12:00`. */
const findMinute = (at: string): string => at.slice(0, 16);

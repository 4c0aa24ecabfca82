import type { AuditRecord } from './record.ts';

/** How many refusals of one caller for one reason are a record each, within a minute; those beyond are counted. */
const MAX_SINGLE = 10;
/** How many callers and reasons are told apart within a minute. */
const MAX_CALLERS = 1_000;
/** How many records wait one by one. */
const MAX_WAITING = 1_000;

interface CountedRefusal {
  readonly record: AuditRecord;
  single: number;
  count: number;
}

/**
 * Records of requests that were not executed, of which anybody may send as many as a network carries. Those beyond a limit
 * are one record for each minute, address, application and problem, with their number and without a patient.
 */
export class RefusedRequests {
  readonly #waiting: AuditRecord[] = [];
  readonly #counted = new Map<string, CountedRefusal>();

  /** How many records they are, some of whose minutes may not be over. */
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

  /** Takes out those that are complete, as many at most; at the end all are. */
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

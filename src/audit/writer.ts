import type { Log } from '../ports/index.ts';
import { type AuditRecords, type ChainLink, type RecordGroup, StateUnavailable } from '../state/state.ts';
import { retry } from '../toolkit/backoff.ts';
import { type AuditRecord, createGroup, createOwnRecord, type PlacedRecord, readGroup } from './record.ts';
import { RefusedRequests } from './refusals.ts';

export interface AuditWriterOptions {
  readonly records: AuditRecords;
  /** The name of this gateway's chain. No other gateway should have it. */
  readonly chain: string;
  readonly log: Log;
  /** The maximum number of records of executed requests that wait in memory while the trail cannot be written. */
  readonly maxWaiting?: number;
  /** True if further records are dropped and counted. Otherwise they queue, and new work is refused. */
  readonly mayLose?: boolean;
}

/** Milliseconds for which records of reads wait, to be written in one batch. */
const READ_DELAY = 100;
/** Milliseconds between two attempts to write a batch. */
const RETRY_DELAY = 1_000;
/** Milliseconds for which `end` waits for the store. */
const END_TIMEOUT = 1_500;
/** The number of records in one group. */
const MAX_BATCH = 1_000;

/** The first record of a process, and the last one of a process that has written everything. */
const BEGUN = 'audit begun';
const ENDED = 'audit ended';

interface Waiting {
  readonly record: AuditRecord;
  readonly written?: PromiseWithResolvers<void>;
}

/** Writes the audit trail of one gateway, batch by batch, in the order of the records. */
export class AuditWriter {
  readonly #end: ChainEnd;
  readonly #log: Log;
  readonly #maxWaiting: number;
  readonly #mayLose: boolean;
  #executed: Waiting[] = [];
  readonly #refusals = new RefusedRequests();
  /** The batch that is being written or retried. */
  #batch: readonly Waiting[] = [];
  #writing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failure: string | undefined;
  #lost = 0;
  #gaps = 0;
  #lastGap: { readonly at: number; readonly reason: string } | undefined;
  /** The reason why records are missing before the next ones. */
  #gap: { readonly reason: string; readonly count?: number } | undefined;
  /** True until the end of the previous process has been checked. */
  #isUnchecked = false;
  #state: 'running' | 'ending' | 'ended' = 'running';

  constructor({ records, chain, log, maxWaiting = 10_000, mayLose = false }: AuditWriterOptions) {
    this.#end = new ChainEnd(records, chain);
    this.#log = log;
    this.#maxWaiting = maxWaiting;
    this.#mayLose = mayLose;
  }

  /** The code of the last attempt's failure. Undefined if it succeeded. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** The number of records that are not written yet. */
  get waiting(): number {
    return this.#batch.length + this.#executed.length + this.#refusals.size;
  }

  /** True if a request may be executed although its record cannot be written at once. */
  get hasCapacity(): boolean {
    return this.#executed.length < this.#maxWaiting;
  }

  /** The number of dropped records since the start. */
  get lost(): number {
    return this.#lost;
  }

  /** The number of gap records that this process wrote. Each of them states that records are missing before it. */
  get gaps(): number {
    return this.#gaps;
  }

  /** The time and reason of the last of these gaps, in milliseconds since 1970. Undefined if there is none. */
  get lastGap(): { readonly at: number; readonly reason: string } | undefined {
    return this.#lastGap;
  }

  /** The last place of the chain that this process has written. Undefined before the first one. */
  get written(): WrittenLink | undefined {
    return this.#end.written;
  }

  /**
   * Records the begin of this process, so that the next one detects lost records even if no other record was written.
   * Before it, records a gap if the previous process had not written everything. Resolves after the first attempt.
   */
  begin(): Promise<void> {
    this.#isUnchecked = true;
    return this.flush();
  }

  /** Writes all waiting records and the final record. Logs how many could not be written in time. */
  async end(): Promise<void> {
    if (this.#state === 'ended') return;
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, END_TIMEOUT);
    await Promise.race([this.#writeEnd(), late.promise]);
    clearTimeout(timer);
    clearTimeout(this.#timer);
    this.#state = 'ended';
    const count = this.waiting - this.#batch.filter(({ record }) => record.operation === ENDED).length;
    const cause = this.#failure ?? 'too_slow';
    if (this.waiting > 0) this.#log.write('error', 'audit not ended', { cause, count });
  }

  /** Queues records of executed requests for a batch. They wait while the trail cannot be written. */
  add(records: readonly AuditRecord[]): void {
    for (const record of records) this.#push({ record });
    this.#schedule(this.#failure === undefined ? READ_DELAY : RETRY_DELAY);
  }

  /** Queues records of a request that was not executed, after all others. */
  addRefusal(records: readonly AuditRecord[]): void {
    for (const record of records) this.#refusals.add(record);
    this.#schedule(this.#failure === undefined ? READ_DELAY : RETRY_DELAY);
  }

  /**
   * Resolves when the records are written.
   * @throws StateUnavailable if they cannot be written now. They then wait like other records.
   */
  async write(records: readonly AuditRecord[]): Promise<void> {
    const last = records.at(-1);
    if (!last) return undefined;
    if (this.#failure !== undefined) {
      this.add(records);
      throw createUnwritten(this.#failure);
    }
    const written = Promise.withResolvers<void>();
    for (const record of records.slice(0, -1)) this.#push({ record });
    // The final record comes last: once it is written, all are.
    if (!this.#push({ record: last, written })) throw createUnwritten('too_many_waiting');
    void this.flush();
    return written.promise;
  }

  /** Writes the waiting records as far as possible now. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing ??= this.#writeAll();
    return this.#writing;
  }

  #push(waiting: Waiting): boolean {
    const isKept = this.hasCapacity || !this.#mayLose;
    if (isKept) this.#executed.push(waiting);
    else this.#lose();
    return isKept;
  }

  #lose(): void {
    const { count = 0 } = this.#gap ?? {};
    if (count === 0) this.#log.write('error', 'audit records lost', { cause: 'too_many_waiting' });
    this.#gap = { reason: 'too_many_waiting', count: count + 1 };
    this.#lost += 1;
  }

  #schedule(delay: number): void {
    this.#timer ??= setTimeout(() => void this.flush(), delay).unref();
  }

  async #writeEnd(): Promise<void> {
    await this.#writing;
    this.#state = 'ending';
    await this.flush();
  }

  async #writeAll(): Promise<void> {
    // Records that arrive in this turn of the event loop are written together.
    await Promise.resolve();
    try {
      await this.#checkEnd();
      for (;;) {
        if (this.#batch.length === 0) this.#batch = this.#takeBatch();
        if (this.#batch.length > 0) await this.#end.append(this.#batch.map(({ record }) => record));
        this.#recover();
        if (this.#batch.length === 0) break;
        for (const { written } of this.#batch) written?.resolve();
        this.#batch = [];
      }
    } catch (error) {
      this.#fail(error);
    }
    // In the same turn as the check of the queue, so that no record can arrive in between.
    this.#writing = undefined;
  }

  async #checkEnd(): Promise<void> {
    if (!this.#isUnchecked) return;
    const last = await this.#end.readLast();
    if (last && last.record.operation !== ENDED) this.#gap ??= { reason: 'not_ended' };
    this.#executed.unshift({ record: createOwnRecord(BEGUN) });
    this.#isUnchecked = false;
  }

  /** A gap record comes first, then the executed requests. */
  #takeBatch(): readonly Waiting[] {
    const isEnd = this.#state === 'ending';
    const batch = this.#executed.splice(0, MAX_BATCH);
    batch.push(...this.#refusals.take(MAX_BATCH - batch.length, isEnd).map((record) => ({ record })));
    const gap = this.#takeGap();
    if (gap) batch.unshift({ record: gap });
    const isAll = this.#executed.length + this.#refusals.size === 0;
    if (isEnd && isAll) {
      batch.push({ record: createOwnRecord(ENDED) });
      this.#state = 'ended';
    }
    return batch;
  }

  #takeGap(): AuditRecord | undefined {
    if (!this.#gap) return undefined;
    const { reason, count } = this.#gap;
    this.#gap = undefined;
    this.#gaps += 1;
    this.#lastGap = { at: Date.now(), reason };
    this.#log.write('warn', 'audit gap', { cause: reason, count });
    return createOwnRecord('audit gap', { status: 503, code: 'audit_gap', reason, count });
  }

  #recover(): void {
    if (this.#failure === undefined) return;
    this.#failure = undefined;
    this.#log.write('info', 'audit recovered', { count: this.#lost });
  }

  #fail(error: unknown): void {
    const cause = error instanceof StateUnavailable ? error.code : 'unknown';
    if (this.#failure === undefined) this.#log.write('error', 'audit unavailable', { cause });
    this.#failure = cause;
    const giveUp = ({ record, written }: Waiting): Waiting => {
      written?.reject(createUnwritten(cause));
      return { record };
    };
    this.#batch = this.#batch.map(giveUp);
    this.#executed = this.#executed.map(giveUp);
    this.#schedule(RETRY_DELAY);
  }
}

const createUnwritten = (cause: string): StateUnavailable =>
  new StateUnavailable('the audit trail cannot be written', cause);

/** The audit trail of this gateway, and the policy while it cannot be written. */
export interface Audit {
  readonly writer: AuditWriter;
  readonly whenUnavailable: 'refuseWrites' | 'refuseAll' | 'proceed';
}

/** The maximum number of attempts for a group while other processes append to the same chain. */
const MAX_ATTEMPTS = 20;

/** A place in a chain with the time of its last record. */
type WrittenLink = Pick<RecordGroup, 'seq' | 'hash' | 'lastAt'>;

/** The end of the chain to which this process appends. Other processes may append too. */
class ChainEnd {
  readonly #records: AuditRecords;
  readonly #chain: string;
  /** Undefined if it must be read. */
  #head: ChainLink | undefined;
  /** The last place that this process has certainly written. */
  #written: WrittenLink | undefined;
  /** The last place that a failed attempt may still have written. */
  #unsure: WrittenLink | undefined;

  constructor(records: AuditRecords, chain: string) {
    this.#records = records;
    this.#chain = chain;
  }

  /** The last place that this process has written. Undefined before the first one. */
  get written(): WrittenLink | undefined {
    return this.#written;
  }

  /** The last record of the chain, of any process. Undefined if there is none or it cannot be read. */
  async readLast(): Promise<PlacedRecord | undefined> {
    this.#head = await this.#readHead();
    const [group] = await this.#records.read(this.#chain, this.#head.seq - 1);
    return group && readGroup(group)?.at(-1);
  }

  /**
   * Appends the records. After a failure, call it again with the same records: they are then written once.
   * @throws StateUnavailable, `audit_chain_cut` if records of this process, or forwarded records, are missing from the
   * chain.
   */
  async append(records: readonly AuditRecord[]): Promise<void> {
    let tried: ChainLink | undefined;
    const appendOnce = async () => {
      if (await this.#isWritten()) return;
      tried = this.#head ?? (await this.#readHead());
      this.#head = undefined;
      const group = createGroup(tried, records);
      this.#unsure = group;
      await this.#records.append(this.#chain, tried, group);
      this.#unsure = undefined;
      this.#head = this.#written = group;
    };
    await retry(appendOnce, {
      attempts: MAX_ATTEMPTS,
      // Another process has already written to that place.
      afterError: async (error) => error instanceof StateUnavailable && (await this.#readHead()).seq !== tried?.seq,
    });
  }

  /** True if a failed attempt has written the records nevertheless, as when only the database's answer was lost. */
  async #isWritten(): Promise<boolean> {
    if (!this.#unsure) return false;
    const { seq, hash, lastAt } = this.#unsure;
    const isWritten = (await this.#records.readHash(this.#chain, seq)) === hash;
    if (isWritten) this.#written = { seq, hash, lastAt };
    this.#unsure = undefined;
    return isWritten;
  }

  async #readHead(): Promise<ChainLink> {
    const { head, pruned, forwarded } = await this.#records.readChain(this.#chain);
    if (!head) throw new StateUnavailable('the head of the audit trail has another signature', 'audit_head_forged');
    const { seq, hash } = this.#written ?? { seq: 0, hash: '' };
    const isKept = seq > (pruned?.seq ?? 0);
    const isThere = !isKept || (await this.#records.readHash(this.#chain, seq)) === hash;
    if (head.seq < seq || head.seq < forwarded || !isThere) {
      throw new StateUnavailable('records are missing in the audit trail', 'audit_chain_cut');
    }
    return head;
  }
}

const DAY = 86_400_000;
/** Milliseconds between two runs. */
const INTERVAL = 3_600_000;

export interface RetentionOptions {
  readonly records: AuditRecords;
  /** The days for which a record is kept. */
  readonly days: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly log: Log;
}

/** Deletes expired records once an hour, by the clock of the state and by the times in the trail. */
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

  /** Deletes expired records now. After a failure of the store, the next run deletes them. */
  async run(): Promise<void> {
    const { records, days, now, log } = this.#options;
    try {
      const count = await records.prune(await records.findOld(now(), days * DAY));
      if (count > 0) log.write('info', 'audit pruned', { count });
    } catch (error) {
      if (!(error instanceof StateUnavailable)) throw error;
      log.write('warn', 'audit not pruned', { cause: error.code });
    }
  }
}

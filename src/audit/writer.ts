import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../ports/index.ts';
import type { AuditRecords, ChainLink } from '../state/audit.ts';
import { StateUnavailable } from '../state/state.ts';
import { createGroup } from './chain.ts';
import type { AuditRecord } from './record.ts';

export interface AuditWriterOptions {
  readonly records: AuditRecords;
  /** The name of this gateway's chain, which no other gateway should have. */
  readonly chain: string;
  readonly log: Log;
  /** How many records wait in memory while they cannot be written; further ones are lost, and counted. */
  readonly maxWaiting?: number;
}

/** Milliseconds for which records of reads wait for others, to be written together. */
const READ_DELAY = 100;
/** Milliseconds between two attempts to write what could not be written. */
const RETRY_DELAY = 1_000;
/** How often a batch is tried while other processes write to the same chain. */
const MAX_ATTEMPTS = 20;
/** Milliseconds, at most, between two of them. */
const MAX_PAUSE = 50;
/** How many records are written as one group. */
const MAX_BATCH = 1_000;

interface Waiting {
  readonly record: AuditRecord;
  readonly written?: PromiseWithResolvers<void>;
}

/** Writes the audit trail of one gateway: one batch after another, in the order in which the records come. */
export class AuditWriter {
  readonly #records: AuditRecords;
  readonly #chain: string;
  readonly #log: Log;
  readonly #maxWaiting: number;
  #waiting: Waiting[] = [];
  /** Undefined when it has to be read. */
  #head: ChainLink | undefined;
  /** The last place that a failed attempt may have written all the same. */
  #unsure: (ChainLink & { readonly count: number }) | undefined;
  #writing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failure: string | undefined;
  #lost = 0;

  constructor({ records, chain, log, maxWaiting = 10_000 }: AuditWriterOptions) {
    this.#records = records;
    this.#chain = chain;
    this.#log = log;
    this.#maxWaiting = maxWaiting;
  }

  /** Why the last attempt to write failed; undefined after one that did not. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** How many records are not written yet. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** How many records were lost since the start. */
  get lost(): number {
    return this.#lost;
  }

  /** Writes records soon, together with others. While the trail cannot be written they wait; they are lost if the process ends. */
  add(records: readonly AuditRecord[]): void {
    for (const record of records) this.#push({ record });
    this.#schedule(this.#failure === undefined ? READ_DELAY : RETRY_DELAY);
  }

  /**
   * Resolves when the records are written.
   * @throws StateUnavailable when they cannot be written now; they then wait as others do.
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
    // Behind all others, it is written when they are.
    if (!this.#push({ record: last, written })) throw createUnwritten('too_many_waiting');
    void this.flush();
    return written.promise;
  }

  /** Writes what waits, as far as that is possible now. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing ??= this.#writeAll();
    return this.#writing;
  }

  #push(waiting: Waiting): boolean {
    const hasRoom = this.#waiting.length < this.#maxWaiting;
    if (hasRoom) this.#waiting.push(waiting);
    else this.#lost += 1;
    return hasRoom;
  }

  #schedule(delay: number): void {
    this.#timer ??= setTimeout(() => void this.flush(), delay).unref();
  }

  async #writeAll(): Promise<void> {
    // What arrives in this turn of the event loop is written together.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      try {
        const batch = await this.#writeBatch();
        this.#succeed(batch);
      } catch (error) {
        this.#fail(error);
        break;
      }
    }
    // In the turn of the last look at what waits, so that nothing comes in between.
    this.#writing = undefined;
  }

  /** Other processes may write to the chain, as one that this one replaces: then it goes on behind what they wrote. */
  async #writeBatch(): Promise<readonly Waiting[]> {
    for (let attempt = 1; ; attempt++) {
      this.#head ??= await this.#readHead();
      const head = this.#head;
      try {
        return await this.#append(head);
      } catch (error) {
        this.#head = undefined;
        if (attempt === MAX_ATTEMPTS || !(error instanceof StateUnavailable)) throw error;
        this.#head = await this.#readHead();
        if (this.#head.seq === head.seq) throw error;
        await sleep(Math.random() * MAX_PAUSE);
        this.#head = undefined;
      }
    }
  }

  async #append(head: ChainLink): Promise<readonly Waiting[]> {
    const settled = await this.#settleUnsure();
    if (settled) return settled;
    const batch = this.#waiting.slice(0, MAX_BATCH);
    const group = createGroup(
      head,
      batch.map(({ record }) => record),
    );
    this.#unsure = { seq: group.seq, hash: group.hash, count: batch.length };
    await this.#records.append(this.#chain, head, group);
    this.#unsure = undefined;
    this.#head = group;
    return batch;
  }

  async #readHead(): Promise<ChainLink> {
    const { head } = await this.#records.readChain(this.#chain);
    if (!head) throw new StateUnavailable('the head of the audit trail has another signature', 'audit_head_forged');
    return head;
  }

  /** The batch of an attempt that failed and was written all the same, as when only the answer of the database was lost. */
  async #settleUnsure(): Promise<readonly Waiting[] | undefined> {
    if (!this.#unsure) return undefined;
    const { seq, hash, count } = this.#unsure;
    const isThere = (await this.#records.readHash(this.#chain, seq)) === hash;
    this.#unsure = undefined;
    return isThere ? this.#waiting.slice(0, count) : undefined;
  }

  #succeed(batch: readonly Waiting[]): void {
    this.#waiting.splice(0, batch.length);
    if (this.#failure !== undefined) {
      this.#failure = undefined;
      this.#log.write('info', 'audit recovered', { count: this.#lost });
    }
    for (const { written } of batch) written?.resolve();
  }

  #fail(error: unknown): void {
    const cause = error instanceof StateUnavailable ? error.code : 'unknown';
    if (this.#failure === undefined) this.#log.write('error', 'audit unavailable', { cause });
    this.#failure = cause;
    this.#waiting = this.#waiting.map(({ record, written }) => {
      written?.reject(createUnwritten(cause));
      return { record };
    });
    this.#schedule(RETRY_DELAY);
  }
}

const createUnwritten = (cause: string): StateUnavailable =>
  new StateUnavailable('the audit trail cannot be written', cause);

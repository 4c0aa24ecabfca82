import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditRecords, ChainLink } from '../state/audit.ts';
import { StateUnavailable } from '../state/state.ts';
import { createGroup, type PlacedRecord, parseGroup } from './chain.ts';
import type { AuditRecord } from './record.ts';

/** How often a group is tried while other processes write to the same chain. */
const MAX_ATTEMPTS = 20;
/** Milliseconds, at most, between two of them. */
const MAX_PAUSE = 50;

/** Where one process appends to a chain: behind what it wrote itself, and what others have written since. */
export class ChainEnd {
  readonly #records: AuditRecords;
  readonly #chain: string;
  /** Undefined when it has to be read. */
  #head: ChainLink | undefined;
  /** The last place that this process is sure to have written. */
  #written: ChainLink | undefined;
  /** The last place that a failed attempt may have written all the same. */
  #unsure: ChainLink | undefined;

  constructor(records: AuditRecords, chain: string) {
    this.#records = records;
    this.#chain = chain;
  }

  /** The last place that this process has written; undefined before. */
  get written(): ChainLink | undefined {
    return this.#written;
  }

  /** The last record of the chain, whoever wrote it; undefined when there is none, or it cannot be read. */
  async readLast(): Promise<PlacedRecord | undefined> {
    this.#head = await this.#readHead();
    const [group] = await this.#records.read(this.#chain, this.#head.seq - 1);
    return group?.text === undefined ? undefined : parseGroup({ ...group, text: group.text }).at(-1);
  }

  /**
   * Writes the records. After a failure it has to be called with the same ones again, which are then written once.
   * @throws StateUnavailable, `audit_chain_cut` when what this process wrote, or what was forwarded, is gone from the chain.
   */
  async append(records: readonly AuditRecord[]): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      if (await this.#isWritten()) return;
      this.#head ??= await this.#readHead();
      const head = this.#head;
      const group = createGroup(head, records);
      try {
        this.#unsure = group;
        await this.#records.append(this.#chain, head, group);
        this.#unsure = undefined;
        this.#head = this.#written = group;
        return;
      } catch (error) {
        this.#head = undefined;
        if (attempt === MAX_ATTEMPTS || !(error instanceof StateUnavailable)) throw error;
        if ((await this.#readHead()).seq === head.seq) throw error;
        await sleep(Math.random() * MAX_PAUSE);
      }
    }
  }

  /** Whether a failed attempt has written the records all the same, as when only the answer of the database was lost. */
  async #isWritten(): Promise<boolean> {
    if (!this.#unsure) return false;
    const { seq, hash } = this.#unsure;
    const isWritten = (await this.#records.readHash(this.#chain, seq)) === hash;
    if (isWritten) this.#written = { seq, hash };
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
      throw new StateUnavailable('records are gone from the audit trail', 'audit_chain_cut');
    }
    return head;
  }
}

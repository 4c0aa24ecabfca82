import { readSteadyClock } from '../toolkit/database/clock.ts';
import {
  type Claim,
  IdempotencyRecords,
  type KeyRecord,
  type Lease,
  type Settlement,
  type State,
  StateUnavailable,
} from './state.ts';

export interface MemoryOptions {
  readonly now?: () => number;
  /** How many records there may be, and characters in their responses; the oldest that is done is forgotten first. */
  readonly maxRecords?: number;
  readonly maxCharacters?: number;
}

/** State in the memory of this process, which forgets it when it ends. */
export const createMemoryState = ({ now = readSteadyClock, ...limits }: MemoryOptions = {}): State => ({
  idempotency: new MemoryIdempotencyRecords(limits),
  now,
  close: async () => undefined,
});

type Entry = KeyRecord & { readonly expiresAt: number };

class MemoryIdempotencyRecords extends IdempotencyRecords {
  readonly #entries = new Map<string, Entry>();
  readonly #maxRecords: number;
  readonly #maxCharacters: number;
  #characters = 0;

  constructor({ maxRecords = 10_000, maxCharacters = 64 * 1024 * 1024 }: Omit<MemoryOptions, 'now'>) {
    super();
    this.#maxRecords = maxRecords;
    this.#maxCharacters = maxCharacters;
  }

  async claim(key: string, { now, leaseUntil, fingerprint, expiresAt }: Claim): Promise<KeyRecord | undefined> {
    const known = this.#entries.get(key);
    if (known && known.expiresAt > now) return toRecord(known);
    this.#delete(key);
    if (this.#entries.size >= this.#maxRecords && !this.#forgetOldest()) {
      throw new StateUnavailable('too many keys are in use', 'too_many_keys');
    }
    this.#set(key, { state: 'running', fingerprint, attempt: 1, claimedAt: now, leaseUntil, expiresAt });
    return undefined;
  }

  async reclaim(key: string, attempt: number, { now, leaseUntil }: Lease): Promise<boolean> {
    const known = this.#entries.get(key);
    if (!known || known.state === 'done' || known.attempt !== attempt) return false;
    this.#set(key, { ...known, state: 'running', attempt: attempt + 1, claimedAt: now, leaseUntil });
    return true;
  }

  async settle(key: string, attempt: number, settlement: Settlement): Promise<boolean> {
    const known = this.#entries.get(key);
    if (!known || known.state === 'done' || known.attempt !== attempt) return false;
    this.#delete(key);
    if (settlement.state !== 'released') this.#set(key, { ...known, ...settlement });
    while (this.#characters > this.#maxCharacters && this.#forgetOldest());
    return true;
  }

  async prune(now: number): Promise<number> {
    const expired = [...this.#entries].filter(([, { expiresAt }]) => expiresAt <= now);
    for (const [key] of expired) this.#delete(key);
    return expired.length;
  }

  #set(key: string, entry: Entry): void {
    this.#delete(key);
    this.#entries.set(key, entry);
    this.#characters += countCharacters(entry);
  }

  #delete(key: string): void {
    const known = this.#entries.get(key);
    if (known) this.#characters -= countCharacters(known);
    this.#entries.delete(key);
  }

  /** What is not done may not be forgotten: nobody could tell any more whether it happened. */
  #forgetOldest(): boolean {
    const oldest = this.#entries.entries().find(([, { state }]) => state === 'done');
    if (oldest) this.#delete(oldest[0]);
    return oldest !== undefined;
  }
}

const toRecord = ({ expiresAt: _, ...record }: Entry): KeyRecord => record;

const countCharacters = (entry: Entry): number => (entry.state === 'done' ? entry.response.body.length : 0);

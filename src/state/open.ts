import { type Database, DatabaseUnavailable, readSteadyClock } from '../database/database.ts';
import { type EncryptionKeys, openTables } from '../database/migrations.ts';
import type { Owner } from '../database/owner.ts';
import { SqlAuditRecords } from './audit-rows.ts';
import { SqlIdempotencyRecords, stateSchema } from './keys.ts';
import { rotate } from './rotation.ts';
import {
  type Claim,
  IdempotencyRecords,
  type KeyRecord,
  type Lease,
  type Outcome,
  type State,
  StateUnavailable,
} from './state.ts';

/**
 * Opens the state in a database. Closing the state closes the database.
 * @throws WrongEncryptionKey, WrongOwner, or DatabaseUnavailable when the database cannot be used.
 */
export async function openDurableState(
  database: Database,
  encryptionKeys: EncryptionKeys,
  owner?: Owner,
): Promise<State> {
  const cipher = await openTables(database, stateSchema, encryptionKeys, owner);
  let failure: string | undefined;
  const watch =
    <A extends readonly unknown[], R>(ask: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      try {
        const answer = await ask(...args);
        failure = undefined;
        return answer;
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable)) throw error;
        failure = error.code;
        throw new StateUnavailable(error.message, error.code);
      }
    };
  const query = watch(database.query);
  const transact = watch(database.transact);
  return {
    idempotency: new SqlIdempotencyRecords(query, cipher),
    audit: new SqlAuditRecords(query, transact, cipher),
    rotate: (onProgress) => rotate({ query, transact, now: () => database.now(), cipher }, onProgress),
    now: () => database.now(),
    clockOffset: database.clockOffset,
    close: () => database.close(),
    get failure() {
      return failure;
    },
  };
}

export interface MemoryOptions {
  readonly now?: () => number;
  /** The maximum number of records, and of characters in their responses. A client may have a quarter of each. */
  readonly maxRecords?: number;
  readonly maxCharacters?: number;
}

/** State in the memory of this process. It is lost when the process ends. */
export const createMemoryState = ({ now = readSteadyClock, ...limits }: MemoryOptions = {}): State => ({
  idempotency: new MemoryIdempotencyRecords(limits),
  now,
  close: async () => undefined,
});

/** The share of the limits that one client may have. */
const SHARE = 1 / 4;

type StoredKey = KeyRecord & { readonly client: string; readonly expiresAt: number };

/** The keys of one client, the first settled ones in front, and the number of characters of their responses. */
interface Share {
  readonly keys: Set<string>;
  characters: number;
}

/** A client beyond its share loses its own oldest responses. No client loses the responses of another. */
class MemoryIdempotencyRecords extends IdempotencyRecords {
  readonly #entries = new Map<string, StoredKey>();
  readonly #shares = new Map<string, Share>();
  readonly #maxRecords: number;
  readonly #maxCharacters: number;
  #characters = 0;

  constructor({ maxRecords = 40_000, maxCharacters = 64 * 1024 * 1024 }: Omit<MemoryOptions, 'now'>) {
    super();
    this.#maxRecords = maxRecords;
    this.#maxCharacters = maxCharacters;
  }

  async claim(key: string, { client, now, leaseUntil, fingerprint, expiresAt }: Claim): Promise<KeyRecord | undefined> {
    const known = this.#entries.get(key);
    if (known && known.expiresAt > now) return toRecord(known);
    this.#delete(key);
    const count = this.#shares.get(client)?.keys.size ?? 0;
    const isWithinShare = count < this.#maxRecords * SHARE || this.#forgetOldest(client);
    if (!isWithinShare || this.#entries.size >= this.#maxRecords || this.#characters >= this.#maxCharacters) {
      throw new StateUnavailable('too many keys are in use', 'too_many_keys');
    }
    this.#set(key, { state: 'running', client, fingerprint, attempt: 1, claimedAt: now, leaseUntil, expiresAt });
    return undefined;
  }

  async reclaim(key: string, attempt: number, { now, leaseUntil, expiresAt }: Lease): Promise<boolean> {
    const known = this.#entries.get(key);
    if (!known || known.state === 'done' || known.attempt !== attempt) return false;
    this.#set(key, { ...known, state: 'running', attempt: attempt + 1, claimedAt: now, leaseUntil, expiresAt });
    return true;
  }

  async settle(key: string, attempt: number, outcome: Outcome, expiresAt?: number): Promise<boolean> {
    const known = this.#entries.get(key);
    if (!known || known.state === 'done' || known.attempt !== attempt) return false;
    this.#delete(key);
    if (outcome.state !== 'untouched') {
      this.#set(key, { ...known, ...outcome, expiresAt: expiresAt ?? known.expiresAt });
    }
    const limit = this.#maxCharacters * SHARE;
    while ((this.#shares.get(known.client)?.characters ?? 0) > limit && this.#forgetOldest(known.client));
    return true;
  }

  async prune(now: number): Promise<number> {
    const expired = [...this.#entries].filter(([, { expiresAt }]) => expiresAt <= now);
    for (const [key] of expired) this.#delete(key);
    return expired.length;
  }

  #set(key: string, entry: StoredKey): void {
    this.#delete(key);
    this.#entries.set(key, entry);
    const share = this.#shares.get(entry.client) ?? { keys: new Set(), characters: 0 };
    this.#shares.set(entry.client, share);
    share.keys.add(key);
    share.characters += countCharacters(entry);
    this.#characters += countCharacters(entry);
  }

  #delete(key: string): void {
    const known = this.#entries.get(key);
    const share = known && this.#shares.get(known.client);
    if (!share) return;
    this.#entries.delete(key);
    share.keys.delete(key);
    share.characters -= countCharacters(known);
    this.#characters -= countCharacters(known);
    if (share.keys.size === 0) this.#shares.delete(known.client);
  }

  /** Unfinished requests are kept: without the record, their outcome could never be determined. */
  #forgetOldest(client: string): boolean {
    const keys = this.#shares.get(client)?.keys ?? new Set<string>();
    const oldest = keys.values().find((key) => this.#entries.get(key)?.state === 'done');
    if (oldest !== undefined) this.#delete(oldest);
    return oldest !== undefined;
  }
}

const toRecord = ({ expiresAt: _, client: __, ...record }: StoredKey): KeyRecord => record;

const countCharacters = (entry: StoredKey): number => (entry.state === 'done' ? entry.response.body.length : 0);

/** A response as it was sent, so that it can be sent again byte by byte. */
export interface StoredResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * What became of a write, or of one attempt.
 *
 * - `done`: the response is final.
 * - `unknown`: it may or may not have taken effect.
 * - `untouched`: nothing was changed, and the request may be sent again.
 */
export type Outcome =
  | { readonly state: 'done'; readonly response: StoredResponse }
  | { readonly state: 'unknown' }
  | { readonly state: 'untouched' };

/**
 * What is known of the request that came with a key: the outcome of the last attempt, or that one is `running`, which holds the
 * key until `leaseUntil`, or whose process has ended without a word. Times are milliseconds since 1970, of the clock of the state.
 */
export type KeyRecord = (Exclude<Outcome, { state: 'untouched' }> | { readonly state: 'running' }) & {
  /** A digest of the request. */
  readonly fingerprint: string;
  /** How many attempts there were, the current one included. */
  readonly attempt: number;
  readonly claimedAt: number;
  readonly leaseUntil: number;
};

export interface Lease {
  readonly now: number;
  readonly leaseUntil: number;
}

export interface Claim extends Lease {
  /** Whose key it is: a digest. */
  readonly client: string;
  readonly fingerprint: string;
  /** When the record may be forgotten, and the key be used for another request. */
  readonly expiresAt: number;
}

/**
 * The keys of requests that must happen once. A `key` tells the client too. Every method is atomic, also among several
 * gateways on one store.
 *
 * @throws StateUnavailable from every method when the store cannot be reached, or refuses.
 */
export abstract class IdempotencyRecords {
  /**
   * Claims the key for a first attempt. Returns the record that is in the way, unless it has expired.
   * @throws StateUnavailable `too_many_keys` rather than forget what another client was promised.
   */
  abstract claim(key: string, claim: Claim): Promise<KeyRecord | undefined>;
  /** Claims it for one attempt more, unless there was one after `attempt` or the key is done. Returns whether it did. */
  abstract reclaim(key: string, attempt: number, lease: Lease): Promise<boolean>;
  /**
   * Ends an attempt, unless there was one after it or its record is gone; one that left all untouched forgets the key. Returns
   * whether it did.
   * @param expiresAt when the record may be forgotten, where that is sooner than it was claimed for.
   */
  abstract settle(key: string, attempt: number, outcome: Outcome, expiresAt?: number): Promise<boolean>;
  /** Forgets what has expired. Returns how many records that were. */
  abstract prune(now: number): Promise<number>;
}

/** What came of encrypting under the first key. */
export interface Rotation {
  readonly keyId: string;
  /** How many rows were encrypted anew. */
  readonly renewed: number;
  /** Rows under another key that could not be: their requests run now, or others went on to write such rows. */
  readonly left: number;
  /** Rows that no key decrypts, and that stay as they are. */
  readonly unreadable: number;
}

/** What the gateway itself must remember. */
export interface State {
  readonly idempotency: IdempotencyRecords;
  /** Where the audit trail is kept; undefined where nothing outlives the process. */
  readonly audit?: AuditRecords | undefined;
  /** Encrypts under the first key what stands under others, while gateways serve; undefined where nothing is encrypted. */
  readonly rotate?: ((onProgress?: (renewed: number) => void) => Promise<Rotation>) | undefined;
  /** The code of the last question's failure to reach the store; undefined when the store answered it. */
  readonly failure?: string | undefined;
  /** Milliseconds since 1970, of a clock that all gateways of this state share and that never goes back while one runs. */
  now(): number;
  /** Milliseconds by which that clock is ahead of that of this machine; undefined where they are one. */
  readonly clockOffset?: (() => number) | undefined;
  close(): Promise<void>;
}

/** The store cannot be reached, or refuses. Only its `code` is ever logged. */
export class StateUnavailable extends Error {
  override readonly name = 'StateUnavailable';
  /** Of the database or the network; `unknown` when neither gave one. */
  readonly code: string;

  constructor(message: string, code: unknown) {
    super(message);
    this.code = typeof code === 'string' ? code : 'unknown';
  }
}

/** The end of a chain, or where it begins after older records were deleted. An empty chain has 0 and an empty hash. */
export interface ChainLink {
  /** The number of a record in its chain. */
  readonly seq: number;
  readonly hash: string;
}

/** Records that are written together, behind the head of a chain; its link is then the head. */
export interface RecordGroup extends ChainLink {
  /** The first and the last time of its records, in milliseconds since 1970. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** The ids of the patients whom its records are about, each once. */
  readonly patients: readonly string[];
  readonly text: string;
}

/** A group as it was found; the text is undefined when what is stored is not what was written at its place. */
export interface StoredGroup extends ChainLink {
  readonly chain: string;
  readonly text: string | undefined;
}

export interface IndexedGroup extends StoredGroup {
  /** True if it is found under these patients, and no others. */
  isFoundUnder(patients: readonly string[]): boolean;
}

/** What is signed of a chain; a link is undefined when its signature is not ours. */
export interface StoredChain {
  readonly chain: string;
  readonly head: ChainLink | undefined;
  /** The last record that was deleted for its age. */
  readonly pruned: ChainLink | undefined;
  /** The last record that any destination has; 0 before the first. */
  readonly forwarded: number;
  /** How many rows have something else where the number of their record belongs. */
  readonly misplaced: number;
}

export interface AuditQuery {
  readonly patient?: string | undefined;
  /** Milliseconds since 1970, the first included and the last not. */
  readonly from?: number | undefined;
  readonly until?: number | undefined;
}

/**
 * The records of the audit trail, encrypted, in chains.
 *
 * @throws StateUnavailable from every method when the store cannot be reached, or refuses.
 */
export abstract class AuditRecords {
  /** Adds a group behind the head, and signs the new head; all of it or nothing. Fails when the chain has another head. */
  abstract append(chain: string, head: ChainLink, group: RecordGroup): Promise<void>;
  abstract readChain(chain: string): Promise<StoredChain>;
  /** The hash of the group that ends with that record; undefined when there is none. */
  abstract readHash(chain: string, seq: number): Promise<string | undefined>;
  /** The signature of a link, by which a head is known that was kept elsewhere. */
  abstract sign(chain: string, link: ChainLink): string;
  abstract isSigned(chain: string, link: ChainLink, signature: string): boolean;
  /** All chains, also those that only groups, or what was forwarded, tell of. */
  abstract listChains(): Promise<readonly StoredChain[]>;
  /** The next groups of a chain behind that number, in their order; none at its end. */
  abstract read(chain: string, after: number): Promise<readonly IndexedGroup[]>;
  /** The groups with records that match, by their time; they may have others too. */
  abstract find(query: AuditQuery): AsyncIterable<StoredGroup>;
  /** The last record of a chain that this destination has; 0 before the first. */
  abstract readForwarded(destination: string, chain: string): Promise<number>;
  abstract saveForwarded(destination: string, chain: string, seq: number): Promise<void>;
  /**
   * A moment before which records are older than so many milliseconds, by this clock and by the records behind them: a silence
   * longer than a month, or than a tenth of that time, counts for nothing, since it may be a clock that was wrong.
   */
  abstract findOld(now: number, ms: number): Promise<number>;
  /** Deletes groups that are older, from the start of each chain on, and signs where it begins then. Returns how many records. */
  abstract prune(before: number): Promise<number>;
}

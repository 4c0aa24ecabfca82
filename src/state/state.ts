/** A response as it was sent, for an identical repetition. */
export interface StoredResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * The outcome of a write or of one attempt.
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
 * The state of a key's request: the outcome of the last attempt, or `running`. A running attempt has the key until
 * `leaseUntil`; its process may have crashed. Times are milliseconds since 1970 by the clock of the state.
 */
export type KeyRecord = (Exclude<Outcome, { state: 'untouched' }> | { readonly state: 'running' }) & {
  /** A digest of the request. */
  readonly fingerprint: string;
  /** The number of attempts, the current one included. */
  readonly attempt: number;
  readonly claimedAt: number;
  readonly leaseUntil: number;
};

export interface Lease {
  readonly now: number;
  readonly leaseUntil: number;
  /** From this time on, the record may be forgotten and the key used for another request. */
  readonly expiresAt: number;
}

export interface Claim extends Lease {
  /** The owner of the key: a digest. */
  readonly client: string;
  readonly fingerprint: string;
}

/**
 * The keys of requests that must happen once. A `key` includes the client. Every method is atomic, also among several
 * gateways on one store.
 *
 * @throws StateUnavailable from every method when the store cannot be reached or fails.
 */
export abstract class IdempotencyRecords {
  /**
   * Claims the key for a first attempt. Returns the record that prevents it, unless that record has expired.
   * @throws StateUnavailable `too_many_keys` if the claim would evict a record of another client.
   */
  abstract claim(key: string, claim: Claim): Promise<KeyRecord | undefined>;
  /**
   * Claims the key for another attempt, unless an attempt after `attempt` exists or the key is done. Returns true if it
   * did.
   */
  abstract reclaim(key: string, attempt: number, lease: Lease): Promise<boolean>;
  /**
   * Ends an attempt, unless a later attempt exists or its record is gone. An `untouched` outcome deletes the record.
   * Returns true if it did.
   * @param expiresAt an earlier expiry than the one of the lease.
   */
  abstract settle(key: string, attempt: number, outcome: Outcome, expiresAt?: number): Promise<boolean>;
  /** Deletes expired records. Returns their number. */
  abstract prune(now: number): Promise<number>;
}

/** The result of a rotation. */
export interface Rotation {
  readonly keyId: string;
  /** The number of rows that were encrypted again. */
  readonly renewed: number;
  /**
   * The number of rows still under another key: their requests are running, or another process still writes such rows.
   */
  readonly left: number;
  /** The number of rows that no key decrypts. They stay unchanged. */
  readonly unreadable: number;
}

/** The gateway's own persistent data. */
export interface State {
  readonly idempotency: IdempotencyRecords;
  /** The audit trail. Undefined if the state is lost with the process. */
  readonly audit?: AuditRecords | undefined;
  /** Encrypts all data under the first key, while gateways run. Undefined if the state is not encrypted. */
  readonly rotate?: ((onProgress?: (renewed: number) => void) => Promise<Rotation>) | undefined;
  /** The code of the failure of the last access to the store. Undefined if the last access succeeded. */
  readonly failure?: string | undefined;
  /**
   * Milliseconds since 1970 by a clock that all gateways of this state share. The clock of PostgreSQL may be set back.
   * The clock of other states never goes back while a gateway runs.
   */
  now(): number;
  /** Milliseconds by which that clock is ahead of this machine's. Undefined if both are the same clock. */
  readonly clockOffset?: (() => number) | undefined;
  close(): Promise<void>;
}

/** The store cannot be reached or fails. Only its `code` is ever logged. */
export class StateUnavailable extends Error {
  override readonly name = 'StateUnavailable';
  /** The code of the database or the network; `unknown` if there is none. */
  readonly code: string;

  constructor(message: string, code: unknown) {
    super(message);
    this.code = typeof code === 'string' ? code : 'unknown';
  }
}

/** The end of a chain, or its beginning after older records were deleted. An empty chain has 0 and an empty hash. */
export interface ChainLink {
  /** The number of a record in its chain. */
  readonly seq: number;
  readonly hash: string;
}

/** Records that are written together after the head of a chain. Their link then becomes the head. */
export interface RecordGroup extends ChainLink {
  /** The first and the last time of the records, in milliseconds since 1970. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** The ids of the patients in the records, without duplicates. */
  readonly patients: readonly string[];
  readonly text: string;
}

/** A stored group. The text is undefined if the row was changed or moved. */
export interface StoredGroup extends ChainLink {
  readonly chain: string;
  readonly text: string | undefined;
}

export interface IndexedGroup extends StoredGroup {
  /** True if the index lists the group under exactly these patients. */
  isFoundUnder(patients: readonly string[]): boolean;
}

/** The signed links of a chain. A link is undefined if its signature is not valid. */
export interface StoredChain {
  readonly chain: string;
  readonly head: ChainLink | undefined;
  /** The last record that was deleted because of its age. */
  readonly pruned: ChainLink | undefined;
  /** The last record that any destination has. 0 before the first one. */
  readonly forwarded: number;
  /** The number of rows whose record number is not a number. */
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
 * @throws StateUnavailable from every method when the store cannot be reached or fails.
 */
export abstract class AuditRecords {
  /** Appends a group after the head and signs the new head, atomically. Fails if the chain has another head. */
  abstract append(chain: string, head: ChainLink, group: RecordGroup): Promise<void>;
  abstract readChain(chain: string): Promise<StoredChain>;
  /** The hash of the group that ends with that record. Undefined if there is none. */
  abstract readHash(chain: string, seq: number): Promise<string | undefined>;
  /** The signature of a link. It proves a head that was stored elsewhere. */
  abstract sign(chain: string, link: ChainLink): string;
  abstract isSigned(chain: string, link: ChainLink, signature: string): boolean;
  /** Lists all chains, including those that only groups or forwarded records mention. */
  abstract listChains(): Promise<readonly StoredChain[]>;
  /** Reads the next groups of a chain after that number, in order. Empty at the end of the chain. */
  abstract read(chain: string, after: number): Promise<readonly IndexedGroup[]>;
  /** Finds the groups with matching records, by time. The groups may also have other records. */
  abstract find(query: AuditQuery): AsyncIterable<StoredGroup>;
  /** The last record of a chain that this destination has. 0 before the first one. */
  abstract readForwarded(destination: string, chain: string): Promise<number>;
  abstract saveForwarded(destination: string, chain: string, seq: number): Promise<void>;
  /**
   * Returns a moment. Records before it are older than `ms` milliseconds by this clock and by the records after them.
   * Gaps longer than a month, or than a tenth of `ms`, do not count, because a clock may have been wrong.
   */
  abstract findOld(now: number, ms: number): Promise<number>;
  /**
   * Deletes older groups from the start of each chain and signs the new start. Returns the number of deleted records.
   */
  abstract prune(before: number): Promise<number>;
}

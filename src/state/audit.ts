/** The end of a chain, or where it begins after older records were deleted. An empty chain has 0 and an empty hash. */
export interface ChainLink {
  readonly seq: number;
  readonly hash: string;
}

/** A record in its place in a chain. */
export interface ChainedRecord extends ChainLink {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly patient?: string | undefined;
  readonly text: string;
}

/** A record as it was found; the text is undefined when what is stored cannot be decrypted as the content of its place. */
export interface StoredRecord extends ChainLink {
  readonly chain: string;
  readonly at: number;
  readonly text: string | undefined;
  /** Whether it is found under that patient, or under none. */
  isOf(patient: string | undefined): boolean;
}

/** What is signed of a chain; a link is undefined when its signature is not ours. */
export interface StoredChain {
  readonly chain: string;
  readonly head: ChainLink | undefined;
  /** The last record that was deleted for its age. */
  readonly pruned: ChainLink | undefined;
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
  /** Adds records behind the head, and signs the new head; all of it or nothing. Fails when the chain has another head. */
  abstract append(chain: string, head: ChainLink, records: readonly ChainedRecord[]): Promise<void>;
  /** The head of a chain. @throws StateUnavailable `audit_head_forged` when its signature is not ours. */
  abstract readHead(chain: string): Promise<ChainLink>;
  /** The hash of a record; undefined when there is none. */
  abstract readHash(chain: string, seq: number): Promise<string | undefined>;
  /** All chains, also those that only records tell of. */
  abstract listChains(): Promise<readonly StoredChain[]>;
  /** The records of a chain behind that number, at most so many, in their order. */
  abstract read(chain: string, after: number, limit: number): Promise<readonly StoredRecord[]>;
  /** The records that match, by their time. */
  abstract find(query: AuditQuery): AsyncIterable<StoredRecord>;
  /** Deletes records that are older, from the start of each chain on, and signs where it begins then. Returns how many. */
  abstract prune(before: number): Promise<number>;
}

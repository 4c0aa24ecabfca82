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
  /** Whether it is found under these patients, and no others. */
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
  /** Deletes groups that are older, from the start of each chain on, and signs where it begins then. Returns how many records. */
  abstract prune(before: number): Promise<number>;
}

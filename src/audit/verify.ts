import type { AuditRecords, ChainLink, StoredChain } from '../state/state.ts';
import type { SignedHead } from './record.ts';
import { computeHash, listPatients, readGroup } from './record.ts';

/** A fault of a chain and the number of its record; 0 is the chain itself. */
export interface ChainFault {
  readonly seq: number;
  readonly what: string;
}

export interface ChainReport {
  readonly chain: string;
  /** The number of records that were read. */
  readonly count: number;
  /** The last record, from the signed head. */
  readonly head: ChainLink | undefined;
  /** The time of the last record. Undefined if the chain has no record. */
  readonly lastAt: number | undefined;
  /** The first faults in the order of the chain. */
  readonly faults: readonly ChainFault[];
}

const MAX_FAULTS = 100;

/**
 * Reads all chains from their beginnings to their signed heads.
 * @param since earlier heads; each must be part of its chain.
 * @param keptSince records from then on must still exist: milliseconds since 1970.
 */
export async function verifyChains(
  records: AuditRecords,
  since: readonly SignedHead[] = [],
  keptSince = Number.POSITIVE_INFINITY,
): Promise<readonly ChainReport[]> {
  const stored = await records.listChains();
  const names = new Set([...stored, ...since].map(({ chain }) => chain));
  const reports: ChainReport[] = [];
  for (const name of names) {
    const chain = stored.find((each) => each.chain === name) ?? (await records.readChain(name));
    reports.push(
      await verifyChain(
        records,
        chain,
        since.filter((head) => head.chain === name),
        keptSince,
      ),
    );
  }
  return reports;
}

async function verifyChain(
  records: AuditRecords,
  stored: StoredChain,
  since: readonly SignedHead[],
  keptSince: number,
): Promise<ChainReport> {
  const { chain, pruned, forwarded, misplaced } = stored;
  const faults: ChainFault[] = [];
  const note = (seq: number, what: string, until = seq) => {
    if (faults.length < MAX_FAULTS) faults.push({ seq, what: until > seq ? `${what}, up to ${until}` : what });
  };
  let { head } = stored;
  if (!head) note(0, 'the signature of the head is missing or wrong');
  if (!pruned) note(0, 'the signature of the chain’s start is missing or wrong');
  if (misplaced > 0) note(0, `${misplaced} rows have no number of a record`);
  let last = pruned ?? { seq: 0, hash: '' };
  let lastAt: number | undefined;
  let count = 0;
  for (;;) {
    const groups = await records.read(chain, last.seq);
    for (const group of groups) {
      const { seq, hash, text } = group;
      const next = last.seq + 1;
      const placed = readGroup(group);
      if (text === undefined) note(next, 'was changed, or belongs to another place', seq);
      else if (!placed) note(next, 'contains data that this version cannot read', seq);
      else {
        const first = placed[0]?.seq ?? next;
        if (first > next) note(next, 'is missing', first - 1);
        else if (computeHash(last.hash, text) !== hash)
          note(first, 'does not match the hash of the record before it', seq);
        const patients = listPatients(placed.map(({ record }) => record));
        if (!group.isFoundUnder(patients)) note(first, 'is stored under other patients than its text names', seq);
        count += placed.length;
        lastAt = Date.parse(placed.at(-1)?.record.at ?? '');
      }
      last = group;
    }
    if (groups.length > 0) continue;
    // A gateway may have written in the meantime.
    const known = head;
    ({ head } = await records.readChain(chain));
    if (head?.seq === known?.seq) break;
  }
  if (head && last.seq < head.seq) note(last.seq + 1, 'is missing', head.seq);
  if (head && forwarded > Math.max(head.seq, last.seq)) note(head.seq + 1, 'is missing, and was forwarded', forwarded);
  for (const earlier of since) {
    const { seq, hash, signature, at = Number.POSITIVE_INFINITY } = earlier;
    if (seq <= (pruned?.seq ?? 0)) {
      if (at >= keptSince) note(seq, 'was deleted, without proof that it was old enough');
      continue;
    }
    if ((await records.readHash(chain, seq)) === hash) continue;
    const isOurs = records.isSigned(chain, earlier, signature);
    note(seq, isOurs ? 'is missing, or differs from an earlier signature' : 'was signed earlier with another key');
  }
  if (head && last.seq > head.seq) note(head.seq + 1, 'comes after the signed head', last.seq);
  if (head && last.seq === head.seq && last.hash !== head.hash) note(head.seq, 'differs from the signed head');
  return { chain, count, head, lastAt, faults };
}

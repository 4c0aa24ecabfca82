import type { AuditRecords, ChainLink, IndexedGroup, StoredChain } from '../state/state.ts';
import type { PlacedRecord, SignedHead } from './record.ts';
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
  const { chain, forwarded, misplaced } = stored;
  const faults: ChainFault[] = [];
  const note: NoteFault = (seq, what, until = seq) => {
    if (faults.length < MAX_FAULTS) faults.push({ seq, what: until > seq ? `${what}, up to ${until}` : what });
  };
  if (!stored.head) note(0, 'the signature of the head is missing or wrong');
  if (!stored.pruned) note(0, 'the signature of the chain’s start is missing or wrong');
  if (misplaced > 0) note(0, `${misplaced} rows have no number of a record`);
  const { head, last, lastAt, count } = await readAll(records, stored, note);
  if (head && last.seq < head.seq) note(last.seq + 1, 'is missing', head.seq);
  if (head && forwarded > Math.max(head.seq, last.seq)) note(head.seq + 1, 'is missing, and was forwarded', forwarded);
  for (const { seq, what } of await compareHeads(records, chain, since, keptSince)) note(seq, what);
  if (head && last.seq > head.seq) note(head.seq + 1, 'comes after the signed head', last.seq);
  if (head && last.seq === head.seq && last.hash !== head.hash) note(head.seq, 'differs from the signed head');
  return { chain, count, head, lastAt, faults };
}

type NoteFault = (seq: number, what: string, until?: number) => void;

/** Reads the chain from its start to its end, while gateways append records and delete old ones. */
async function readAll(records: AuditRecords, stored: StoredChain, note: NoteFault) {
  const { chain, pruned } = stored;
  let { head } = stored;
  let last = pruned ?? { seq: 0, hash: '' };
  let lastAt: number | undefined;
  let count = 0;
  for (;;) {
    const groups = await records.read(chain, last.seq);
    const examined = groups.map((group, i) => examineGroup(group, groups[i - 1] ?? last));
    if (groups.length === 0 || examined.some(({ faults }) => faults.length > 0)) {
      const known = head;
      const now = await records.readChain(chain);
      head = now.head;
      // Records that were deleted because of their age in the meantime are not missing.
      if (now.pruned && now.pruned.seq > last.seq) {
        last = now.pruned;
        continue;
      }
      // A gateway may have written in the meantime.
      if (groups.length === 0 && head?.seq === known?.seq) return { head, last, lastAt, count };
    }
    for (const { faults, placed } of examined) {
      for (const fault of faults) note(...fault);
      count += placed.length;
      const end = placed.at(-1);
      if (end) lastAt = Date.parse(end.record.at);
    }
    last = groups.at(-1) ?? last;
  }
}

/** The records of a group that follows `last`, and its faults. */
function examineGroup(
  group: IndexedGroup,
  last: ChainLink,
): { readonly placed: readonly PlacedRecord[]; readonly faults: readonly Parameters<NoteFault>[] } {
  const { seq, hash, text } = group;
  const next = last.seq + 1;
  const placed = readGroup(group);
  if (text === undefined) return { placed: [], faults: [[next, 'was changed, or belongs to another place', seq]] };
  if (!placed) return { placed: [], faults: [[next, 'contains data that this version cannot read', seq]] };
  const first = placed[0]?.seq ?? next;
  const faults: Parameters<NoteFault>[] = [];
  if (first > next) faults.push([next, 'is missing', first - 1]);
  else if (computeHash(last.hash, text) !== hash)
    faults.push([first, 'does not match the hash of the record before it', seq]);
  const patients = listPatients(placed.map(({ record }) => record));
  if (!group.isFoundUnder(patients)) faults.push([first, 'is stored under other patients than its text names', seq]);
  return { placed, faults };
}

/** The earlier heads that are no longer part of the chain, as faults. */
async function compareHeads(
  records: AuditRecords,
  chain: string,
  since: readonly SignedHead[],
  keptSince: number,
): Promise<readonly ChainFault[]> {
  const absent: SignedHead[] = [];
  for (const head of since) if ((await records.readHash(chain, head.seq)) !== head.hash) absent.push(head);
  // Read last, because a gateway may delete old records at any time.
  const { pruned } = await records.readChain(chain);
  return absent.flatMap((head) => {
    const { seq, signature, at = Number.POSITIVE_INFINITY } = head;
    if (seq <= (pruned?.seq ?? 0))
      return at < keptSince ? [] : { seq, what: 'was deleted, without proof that it was old enough' };
    const isOurs = records.isSigned(chain, head, signature);
    const what = isOurs ? 'is missing, or differs from an earlier signature' : 'was signed earlier with another key';
    return { seq, what };
  });
}

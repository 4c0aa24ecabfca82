import type { AuditRecords, ChainLink, StoredChain, StoredRecord } from '../state/audit.ts';
import { computeHash } from './chain.ts';
import { parseRecord } from './record.ts';

/** What is wrong with a chain, and at which of its records; 0 is the chain itself. */
export interface ChainFault {
  readonly seq: number;
  readonly what: string;
}

export interface ChainReport {
  readonly chain: string;
  /** How many records were read. */
  readonly count: number;
  /** The last record, as its signature says. */
  readonly head: ChainLink | undefined;
  /** The first faults, by their place. */
  readonly faults: readonly ChainFault[];
}

const PAGE = 1_000;
const MAX_FAULTS = 100;

/** Reads all chains from their beginnings to their signed heads. */
export async function verifyChains(records: AuditRecords): Promise<readonly ChainReport[]> {
  const reports: ChainReport[] = [];
  for (const chain of await records.listChains()) reports.push(await verifyChain(records, chain));
  return reports;
}

async function verifyChain(records: AuditRecords, { chain, head, pruned }: StoredChain): Promise<ChainReport> {
  const faults: ChainFault[] = [];
  const note = (seq: number, what: string) => {
    if (faults.length < MAX_FAULTS) faults.push({ seq, what });
  };
  if (!head) note(0, 'the signature of the head is missing or wrong');
  if (!pruned) note(0, 'the signature of the beginning is missing or wrong');
  let last = pruned ?? { seq: 0, hash: '' };
  let count = 0;
  for (;;) {
    const page = await records.read(chain, last.seq, PAGE);
    for (const record of page) {
      const isNext = record.seq === last.seq + 1;
      if (!isNext) note(last.seq + 1, formatMissing(last.seq + 1, record.seq - 1));
      checkRecord(record, isNext ? last : undefined, note);
      last = record;
      count += 1;
    }
    if (page.length < PAGE) break;
  }
  if (head && last.seq < head.seq) note(last.seq + 1, formatMissing(last.seq + 1, head.seq));
  if (head && last.seq > head.seq) note(head.seq + 1, 'is behind the signed head');
  if (head && last.seq === head.seq && last.hash !== head.hash) note(head.seq, 'is not the signed head');
  return { chain, count, head, faults };
}

const formatMissing = (from: number, to: number): string =>
  from === to ? 'is missing' : `is missing, and all up to ${to}`;

/** @param before undefined when that is missing. */
function checkRecord(
  record: StoredRecord,
  before: ChainLink | undefined,
  note: (seq: number, what: string) => void,
): void {
  const { seq, at, hash, text } = record;
  if (text === undefined) note(seq, 'was changed, or belongs to another place');
  else if (before && computeHash(before.hash, text) !== hash) note(seq, 'does not follow from the record before it');
  else {
    const { at: written, patient } = parseRecord(text);
    if (Date.parse(written) !== at) note(seq, 'has another time than its text');
    if (!record.isOf(patient)) note(seq, 'is found under another patient than its text');
  }
}

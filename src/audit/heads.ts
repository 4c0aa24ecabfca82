import type { ChainLink } from '../state/audit.ts';

/** The end of a chain at some time, with its signature: kept elsewhere, it shows when records have gone since. */
export interface SignedHead extends ChainLink {
  readonly chain: string;
  readonly signature: string;
}

/** As `verify` prints it and the log has it: chain, number of the last record, hash and signature. */
export const formatHead = ({ chain, seq, hash, signature }: SignedHead): string =>
  `${chain} ${seq} ${hash} ${signature}`;

const headPattern = /([\w.:-]{1,300}) (\d{1,15}) ([0-9a-f]{64}) ([0-9a-f]{64})\b/g;

/** All heads that stand in a text, such as a line of the log. */
export const findHeads = (text: string): SignedHead[] =>
  [...text.matchAll(headPattern)].map(([, chain = '', seq, hash = '', signature = '']) => ({
    chain,
    seq: Number(seq),
    hash,
    signature,
  }));

import { AsyncLocalStorage } from 'node:async_hooks';
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { getErrorCode } from './failures.ts';

/** Bytes; far beyond any list of certificates. */
const MAX_BYTES = 4 << 20;

/** What this process has read last of each file of settings, by its path. */
const readings = new Map<string, { readonly inode: number; readonly content: Buffer }>();
const again = new AsyncLocalStorage<true>();

/** Works with files of settings that it reads again, of which those are refused that are cut. */
export const readAgain = <T>(work: () => Promise<T>): Promise<T> => again.run(true, work);

/**
 * The content of a file of settings. Only of a regular one, and of no more bytes: a pipe or a device may have no end. In
 * `readAgain` a file is refused while it is cut, as it is while an editor writes it, or after a disk was full.
 * @throws the system's error; one with the code `NOT_REGULAR`, `TOO_LARGE`, `EMPTIED` or `CUT_OFF`.
 */
export function readRegularFile(path: string, maxBytes: number = MAX_BYTES): Buffer {
  // Else to open a pipe would wait for somebody who writes.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const { size, ino: inode } = requireRegular(file);
    if (size > maxBytes) throw Object.assign(new Error('a large file'), { code: 'TOO_LARGE' });
    const content = readFileSync(file);
    const code = findCut(path, inode, content);
    if (code !== undefined) throw Object.assign(new Error('a file that was cut'), { code });
    if (size <= MAX_BYTES) readings.set(path, { inode, content });
    return content;
  } finally {
    closeSync(file);
  }
}

/** Who replaces a file has written it before; who writes into it shows its beginning meanwhile. */
function findCut(path: string, inode: number, content: Buffer): 'EMPTIED' | 'CUT_OFF' | undefined {
  const before = again.getStore() && readings.get(path);
  if (!before || content.length >= before.content.length) return undefined;
  if (content.length === 0) return 'EMPTIED';
  const isBeginning = content.equals(before.content.subarray(0, content.length));
  return isBeginning && inode === before.inode ? 'CUT_OFF' : undefined;
}

const cuts: Readonly<Record<string, string>> = {
  EMPTIED: 'is empty, and was not, as a file that is being written',
  CUT_OFF:
    'is cut off, like a file that is being written: if it is complete, add the line ... at its end, or replace the file',
};

/** Why the file is refused that `readRegularFile` found cut, and what to do; undefined for its other errors. */
export const explainCut = (error: unknown): string | undefined => cuts[getErrorCode(error)];

/**
 * What the system says of the open file.
 * @throws Error with the code `EISDIR` or `NOT_REGULAR`.
 */
export function requireRegular(file: number): Stats {
  const stats = fstatSync(file);
  if (stats.isFile()) return stats;
  throw Object.assign(new Error('no regular file'), { code: stats.isDirectory() ? 'EISDIR' : 'NOT_REGULAR' });
}

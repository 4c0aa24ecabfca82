import { AsyncLocalStorage } from 'node:async_hooks';
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { getErrorCode } from './failures.ts';

/** In bytes. Far more than any list of certificates. */
const MAX_BYTES = 4 << 20;

/** The last reading of each settings file by this process, by path. */
const readings = new Map<string, { readonly inode: number; readonly content: Buffer }>();
const again = new AsyncLocalStorage<true>();

/** Runs work that reads settings files again, and rejects truncated files. */
export const readAgain = <T>(work: () => Promise<T>): Promise<T> => again.run(true, work);

/**
 * Reads a settings file. It must be a regular file of limited size, because a pipe or a device may have no end. In
 * `readAgain`, a truncated file is rejected: an editor may be writing it, or a disk was full.
 * @throws the system's error; one with the code `NOT_REGULAR`, `TOO_LARGE`, `EMPTIED` or `CUT_OFF`.
 */
export function readRegularFile(path: string, maxBytes: number = MAX_BYTES): Buffer {
  // Without O_NONBLOCK, opening a pipe would wait for a writer.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const { size, ino: inode } = requireRegular(fstatSync(file));
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

/** A replaced file has a new inode and is complete. A file that is rewritten in place may show only its beginning. */
function findCut(path: string, inode: number, content: Buffer): 'EMPTIED' | 'CUT_OFF' | undefined {
  const before = again.getStore() && readings.get(path);
  if (!before || content.length >= before.content.length) return undefined;
  if (content.length === 0) return 'EMPTIED';
  const isBeginning = content.equals(before.content.subarray(0, content.length));
  return isBeginning && inode === before.inode ? 'CUT_OFF' : undefined;
}

/** True if `readRegularFile` rejected a truncated file. */
export const isCut = (error: unknown): boolean => ['EMPTIED', 'CUT_OFF'].includes(getErrorCode(error));

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist: correct the path',
  EISDIR: 'is a folder: name a file',
  NOT_REGULAR: 'is a pipe or a device: name a file',
  EACCES: 'cannot be read by this user: change its permissions',
  EMPTIED: 'is empty but was not before, like a file that is being written',
  CUT_OFF:
    'is truncated, like a file that is being written: if it is complete, add the line ... at its end, or replace the file',
};

/** Explains why `readRegularFile` could not read a file, and what to do. It follows the name of the file or setting. */
export const explainUnreadable = (error: unknown): string =>
  reasons[getErrorCode(error)] ?? `cannot be read (${getErrorCode(error)})`;

/**
 * Returns the status of a file.
 * @throws Error with the code `EISDIR` or `NOT_REGULAR`.
 */
export function requireRegular(stats: Stats): Stats {
  if (stats.isFile()) return stats;
  throw Object.assign(new Error('no regular file'), { code: stats.isDirectory() ? 'EISDIR' : 'NOT_REGULAR' });
}

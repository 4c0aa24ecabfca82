import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

/** Bytes; far beyond any list of certificates. */
const MAX_BYTES = 4 << 20;

/**
 * The content of a file of settings. Only of a regular one, and of no more bytes: a pipe or a device may have no end.
 * @throws the system's error; one with the code `NOT_REGULAR` or `TOO_LARGE`.
 */
export function readRegularFile(path: string, maxBytes: number = MAX_BYTES): Buffer {
  // Else to open a pipe would wait for somebody who writes.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (requireRegular(file) > maxBytes) throw Object.assign(new Error('a large file'), { code: 'TOO_LARGE' });
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/**
 * The bytes of the open file.
 * @throws Error with the code `EISDIR` or `NOT_REGULAR`.
 */
export function requireRegular(file: number): number {
  const stats = fstatSync(file);
  if (stats.isFile()) return stats.size;
  throw Object.assign(new Error('no regular file'), { code: stats.isDirectory() ? 'EISDIR' : 'NOT_REGULAR' });
}

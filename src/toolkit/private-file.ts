import { closeSync, openSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { getErrorCode } from './failures.ts';

/** Writes a file atomically, readable by its owner only. @throws an error with the path of the file. */
export function writePrivately(file: string, text: string): void {
  const draft = `${file}.${process.pid}`;
  try {
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx' });
    renameSync(draft, file);
  } catch (error) {
    throw toWriteError(error, file);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Replaces the content of a file, readable by its owner only. On a full disk the file keeps its content. */
export function replacePrivately(file: string, text: string): void {
  const path = findTarget(file);
  // A pipe or a device, such as /dev/stdout, has no content to keep.
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) writeFileSync(path, text);
  else writePrivately(path, text);
}

/** The file behind symbolic links. */
function findTarget(file: string): string {
  try {
    return realpathSync(file);
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return file;
    throw error;
  }
}

/** Names the file. The error of a full disk has no path, and that of a draft has another one. */
const toWriteError = (cause: unknown, path: string): Error =>
  Object.assign(new Error('the file cannot be written', { cause }), { code: getErrorCode(cause), path });

/**
 * Creates a file. On a full disk there is no file.
 * @throws an error with the code `EEXIST` if there is one. It stays unchanged.
 */
export function createFile(path: string, text: string): void {
  const file = openSync(path, 'wx');
  try {
    writeFileSync(file, text);
  } catch (error) {
    rmSync(path, { force: true });
    throw toWriteError(error, path);
  } finally {
    closeSync(file);
  }
}

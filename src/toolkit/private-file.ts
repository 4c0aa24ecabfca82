import { renameSync, rmSync, writeFileSync } from 'node:fs';

/** Writes a file atomically, readable by its owner only. */
export function writePrivately(file: string, text: string): void {
  const draft = `${file}.${process.pid}`;
  try {
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx' });
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}

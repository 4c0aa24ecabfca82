import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { openSqlite } from '../../src/database/sqlite.ts';
import { openDurableState } from '../../src/state/open.ts';

/** A folder that is removed after the last test of the file. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'puente-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const encryptionKey = randomBytes(32);

export const openState = async (file: string, key = encryptionKey) => openDurableState(await openSqlite(file), key);

/** Opens a new state each time. */
export function createOpen(): () => ReturnType<typeof openState> {
  const folder = makeFolder();
  let count = 0;
  return () => openState(join(folder, `${count++}.db`));
}

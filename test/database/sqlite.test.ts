import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { openSqlite } from '../../src/database/sqlite.ts';

const folder = mkdtempSync(join(tmpdir(), 'sqlite-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a database that cannot be used says why by a code that an operator can look up', async () => {
  const [text, blocked] = [join(folder, 'text.db'), join(folder, 'blocked.db')];
  writeFileSync(text, 'no database, but a text that is long enough for the head of one');
  mkdirSync(`${blocked}-wal`);
  await expect(openSqlite(text)).rejects.toMatchObject({ name: 'DatabaseUnavailable', code: 'SQLITE_NOTADB' });
  await expect(openSqlite(blocked)).rejects.toMatchObject({ name: 'DatabaseUnavailable', code: 'SQLITE_IOERR' });
});

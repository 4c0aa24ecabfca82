import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { openSqlite } from '../../src/database/sqlite.ts';

const folder = mkdtempSync(join(tmpdir(), 'sqlite-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a file that this process opened twice stays locked: another process does not take it for unused', async () => {
  const file = join(folder, 'shared.db');
  const state = await openSqlite(file);
  await state.query('CREATE TABLE t (value TEXT)');
  const adapter = await openSqlite(file);
  const take = `
    const other = new (require('node:sqlite').DatabaseSync)(${JSON.stringify(file)});
    other.exec('PRAGMA locking_mode = EXCLUSIVE');
    try { other.exec('INSERT INTO t VALUES (1)'); console.log('taken') } catch ({ errcode }) { console.log(errcode) }`;
  const { stdout } = spawnSync(process.execPath, ['--no-warnings', '-e', take], { encoding: 'utf8' });
  expect(stdout).toBe('5\n');
  await Promise.all([state.close(), adapter.close()]);
});

test('a database whose opening finds no room says that the disk is full, and not that it fails', () => {
  const file = join(folder, 'no-room.db');
  const source = join(import.meta.dirname, '../../src/database/sqlite.ts');
  const open = `import(${JSON.stringify(source)}).then(({ openSqlite }) => openSqlite(${JSON.stringify(file)}))
    .then(({ query }) => query('CREATE TABLE t (value TEXT)'))
    .then(() => 'opened', ({ code }) => code).then(console.log)`;
  // A limit for files, in blocks of 512 bytes, instead of a full disk: more than the database has, less than its index.
  const script = `trap '' XFSZ; ulimit -f 40; exec "$0" --no-warnings -e "$1"`;
  const { stdout } = spawnSync('/bin/sh', ['-c', script, process.execPath, open], { encoding: 'utf8' });
  expect(stdout).toBe('SQLITE_FULL\n');
});

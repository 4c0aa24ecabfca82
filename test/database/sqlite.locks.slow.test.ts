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

import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { openSqlite, readSqlite } from '../../src/database/sqlite.ts';

const folder = mkdtempSync(join(tmpdir(), 'sqlite-'));
afterAll(() => rmSync(folder, { recursive: true }));

const isLinkTo = (link: string, path: string): boolean => {
  try {
    return readlinkSync(link) === path;
  } catch {
    return false;
  }
};

test('a database that cannot be used says why by a code that an operator can look up', async () => {
  const [text, blocked] = [join(folder, 'text.db'), join(folder, 'blocked.db')];
  writeFileSync(text, 'no database, but a text that is long enough for the head of one');
  mkdirSync(`${blocked}-wal`);
  await expect(openSqlite(text)).rejects.toMatchObject({ name: 'DatabaseUnavailable', code: 'SQLITE_NOTADB' });
  await expect(openSqlite(blocked)).rejects.toMatchObject({ name: 'DatabaseUnavailable', code: 'SQLITE_IOERR' });
});

test('a database that cannot be used stays open no longer than its attempt, however often a start repeats it', async () => {
  const text = join(folder, 'repeated.db');
  writeFileSync(text, 'no database, but a text that is long enough for the head of one');
  const listOpened = () => readdirSync('/proc/self/fd').filter((each) => isLinkTo(`/proc/self/fd/${each}`, text));
  for (let i = 0; i < 5; i++) await expect(openSqlite(text)).rejects.toMatchObject({ code: 'SQLITE_NOTADB' });
  expect(process.platform === 'linux' ? listOpened() : []).toEqual([]);
});

test('a database that is only read says why it could not be opened, and creates no file', async () => {
  const [text, empty] = [join(folder, 'read-text.db'), join(folder, 'read-empty.db')];
  writeFileSync(text, 'no database, but a text that is long enough for the head of one');
  writeFileSync(empty, '');
  const before = readdirSync(folder);
  const list = async (file: string) => {
    const { query, close } = await readSqlite(file);
    return query('SELECT name FROM sqlite_schema').finally(close);
  };
  expect(await list(empty)).toEqual([]);
  expect(await list(join(folder, 'missing.db'))).toEqual([]);
  for (const [file, code] of Object.entries({ [text]: 'SQLITE_NOTADB', [folder]: 'EISDIR', '/nowhere/x.db': 'ENOENT' }))
    await expect(list(file)).rejects.toMatchObject({ name: 'DatabaseUnavailable', code });
  const { query, close } = await readSqlite(empty);
  await expect(query('CREATE TABLE t (value TEXT)')).rejects.toMatchObject({ code: 'SQLITE_READONLY' });
  await close();
  expect(readdirSync(folder)).toEqual(before);
});

test('migrations of two connections to one file end, as those of the state and of an adapter beside it', async () => {
  const both = await Promise.all([openSqlite(join(folder, 'both.db')), openSqlite(join(folder, 'both.db'))]);
  await Promise.all(
    both.map(({ migrate }, i) =>
      migrate(async (query) => {
        await query(`CREATE TABLE t${i} (value TEXT)`);
        await setImmediate();
        await query(`INSERT INTO t${i} VALUES ('a')`);
      }),
    ),
  );
  expect(await both[0].query('SELECT * FROM t0, t1')).toHaveLength(1);
  await Promise.all(both.map(({ close }) => close()));
});

test('a migration that finds no room says so, whatever became of its transaction', async () => {
  const database = await openSqlite(join(folder, 'full.db'));
  await database.query('PRAGMA max_page_count = 4');
  const migrated = database.migrate(async (query) => {
    await query('CREATE TABLE a (value BLOB)');
    await query('INSERT INTO a VALUES ($1)', [new Uint8Array(100_000)]);
  });
  await expect(migrated).rejects.toMatchObject({ name: 'DatabaseUnavailable', code: 'SQLITE_FULL' });
  expect(await database.query(`SELECT name FROM sqlite_schema WHERE name = 'a'`)).toEqual([]);
  await database.close();
});

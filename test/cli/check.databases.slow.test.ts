import { cpSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { missing, startPostgres } from '../support/postgres-server.ts';
import { runPuente } from '../support/process.ts';
import { makeFolder } from '../support/sqlite-state.ts';

const folder = makeFolder();
const server = missing === undefined ? await startPostgres() : undefined;

/** The key of the dumps. */
const encryptionKey = 'env:KEY';
const environment = { KEY: 'ab'.repeat(32), SIGHO_USER: 'user', SIGHO_PASSWORD: 'password' };
const readDump = (name: string): string => readFileSync(join(import.meta.dirname, '../state/0.3.0', name), 'utf8');

/** Removes what version 4 added: the announcements of tickets. */
const toVersion3 = `
  DELETE FROM puente_local_migrations WHERE version = 4;
  DROP INDEX puente_local_tickets_announce_at;
  DROP INDEX puente_local_change_requests_announce_at;
  ALTER TABLE puente_local_tickets DROP COLUMN announce_at;
  ALTER TABLE puente_local_change_requests DROP COLUMN announce_at;`;
const toVersion99 = 'INSERT INTO puente_local_migrations VALUES (99);';
const toNorte = (bytes: string) => `INSERT INTO puente_local_encryption VALUES ('owner', ${bytes});`;

const notes = {
  create: (prefix: string) => `note: the start creates the tables ${prefix}_*`,
  upgrade: 'note: the start upgrades the tables puente_local_* from version 3 to 4',
  keep: 'note: the tables puente_local_* have version 99 of a newer Puente: this version has 4, and keeps them',
};

/** Checks a gateway whose default adapter keeps keys of writes, beside the adapter `local`. */
async function check(local: object, keys: object = {}, institution: object = {}) {
  const mapping = { file: resolve('examples/mapping-http/hospital.yaml'), keys };
  const ticketTypes = [{ id: 'receta', title: 'Receta', fields: [{ id: 'medicamento', type: 'string' }] }];
  const config = join(mkdtempSync(join(folder, 'config-')), 'puente.yaml');
  writeFileSync(
    config,
    stringify({
      institution,
      adapter: { name: 'mapping', settings: mapping },
      adapters: { local: { settings: { encryptionKey, ticketTypes, ...local } } },
      ports: { tickets: { adapter: 'local' } },
    }),
  );
  const { code, stderr } = await runPuente(['check', '--config', config], environment, { compares: false });
  return { code, lines: stderr.split('\n').filter((line) => /puente_|settings\.\w+: /.test(line)) };
}

describe('puente check leaves each SQLite file of an adapter as it was', () => {
  /** Databases in a folder of their own, and each file there with its content. */
  function createFolder(sql?: string) {
    const path = mkdtempSync(join(folder, 'data-'));
    const file = join(path, 'local.db');
    const database = sql === undefined ? undefined : new DatabaseSync(file);
    database?.exec(`PRAGMA journal_mode = WAL; ${sql}`);
    const read = () =>
      Object.fromEntries(readdirSync(path).map((name) => [name, readFileSync(join(path, name), 'base64')]));
    return { path, file, database, read };
  }

  test('a missing one stays missing, and a note names the tables that the start creates', async () => {
    const { path, file, read } = createFolder();
    const keys = { kind: 'sqlite', file: join(path, 'keys.db'), encryptionKey };
    const { code, lines } = await check({ file }, keys);
    expect({ code, files: read() }).toEqual({ code: 0, files: {} });
    expect(lines).toEqual([notes.create('puente_keys'), notes.create('puente_local')]);
  });

  test('one in a folder that does not exist is a problem', async () => {
    const { path, read } = createFolder();
    const { code, lines } = await check({ file: join(path, 'nowhere/local.db') });
    expect({ code, files: read() }).toEqual({ code: 78, files: {} });
    expect(lines).toEqual([
      expect.stringMatching(/settings\.file: cannot be used \(ENOENT: the folder does not exist: /),
    ]);
  });

  test.each([
    ['of this version', '', []],
    ['of an older version', toVersion3, [notes.upgrade]],
    ['of a newer version', toVersion99, [notes.keep]],
  ])('one %s', async (_age, sql, expected) => {
    const { file, database, read } = createFolder(readDump('sqlite-local.sql') + sql);
    database?.close();
    const before = read();
    // The institution does not own the tables yet.
    const { code, lines } = await check({ file }, {}, { name: 'Norte' });
    expect({ code, lines }).toEqual({ code: 0, lines: expected });
    expect(read()).toEqual(before);
  });

  test.each([
    ['that a gateway uses', false],
    ['that a killed gateway left', true],
  ])('one %s, with changes that are not in the file itself yet', async (_user, isKilled) => {
    const used = createFolder(readDump('sqlite-local.sql') + toVersion3);
    const left = createFolder();
    for (const name of ['local.db', 'local.db-wal']) cpSync(join(used.path, name), join(left.path, name));
    const { file, read } = isKilled ? left : used;
    // SQLite's index of the changes, which also has its locks.
    const readContent = () => ({ ...read(), 'local.db-shm': '' });
    const before = readContent();
    expect(await check({ file })).toEqual({ code: 0, lines: [notes.upgrade] });
    expect(readContent()).toEqual(before);
    used.database?.close();
  });

  test.each([
    ['with another key', '', { KEY: 'cd'.repeat(32) }, /settings\.encryptionKey: is not the key that encrypted /],
    [
      'of another institution',
      toNorte("CAST('norte' AS BLOB)"),
      {},
      /settings\.file: .* belongs to the institution norte, /,
    ],
  ])('one %s is a problem', async (_fault, sql, other, expected) => {
    const { file, database, read } = createFolder(readDump('sqlite-local.sql') + sql);
    database?.close();
    const before = read();
    const { KEY = environment.KEY }: { KEY?: string } = other;
    writeFileSync(join(folder, 'key'), KEY);
    const { code, lines } = await check({ file, encryptionKey: `file:${join(folder, 'key')}` }, {}, { id: 'sur' });
    expect({ code, lines }).toEqual({ code: 78, lines: [expect.stringMatching(expected)] });
    expect(read()).toEqual(before);
  });
});

describe(`puente check leaves each table in PostgreSQL as it was${missing === undefined ? '' : `, skipped: ${missing}`}`, () => {
  if (!server) return void test.skip('has a server of its own', () => undefined);

  /** A schema, with its columns and the rows that an opening changes. */
  async function createSchema(sql?: string) {
    const url = await server!.createUrl();
    const [, schema] = /search_path%3D(\w+)/.exec(url) ?? [];
    if (sql !== undefined) await server!.sql(`SET search_path = ${schema}; ${sql}`);
    writeFileSync(join(folder, 'url'), url);
    const columns = `SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = '${schema}'`;
    const read = async () => [
      await server!.sql(`${columns} ORDER BY 1, 2`),
      sql !== undefined && (await server!.sql(`SELECT * FROM ${schema}.puente_local_encryption ORDER BY 1`)),
      sql !== undefined && (await server!.sql(`SELECT * FROM ${schema}.puente_local_migrations ORDER BY 1`)),
    ];
    return { settings: { kind: 'postgres', url: `file:${join(folder, 'url')}` }, read };
  }

  test('missing ones stay missing, and notes name those that the start creates', async () => {
    const { settings, read } = await createSchema();
    const { code, lines } = await check(settings, { ...settings, encryptionKey });
    expect({ code, tables: await read() }).toEqual({ code: 0, tables: ['', false, false] });
    expect(lines).toEqual([notes.create('puente_keys'), notes.create('puente_local')]);
  });

  test.each([
    ['of this version', '', []],
    ['of an older version', toVersion3, [notes.upgrade]],
    ['of a newer version', toVersion99, [notes.keep]],
  ])('those %s', async (_age, sql, expected) => {
    const { settings, read } = await createSchema(`${readDump('postgres.sql')}; ${sql}`);
    const before = await read();
    const { code, lines } = await check(settings, {}, { name: 'Norte' });
    expect({ code, lines }).toEqual({ code: 0, lines: expected });
    expect(await read()).toEqual(before);
  });

  test('those of another institution are a problem', async () => {
    const { settings } = await createSchema(`${readDump('postgres.sql')}; ${toNorte("'norte'")}`);
    const { code, lines } = await check(settings, {}, { id: 'sur' });
    expect({ code, lines }).toEqual({
      code: 78,
      lines: [expect.stringMatching(/ belongs to the institution norte, /)],
    });
  });

  test('a server that cannot be reached is a problem', async () => {
    writeFileSync(join(folder, 'nowhere'), 'postgres://puente@127.0.0.1:1/puente');
    const { code, lines } = await check({ kind: 'postgres', url: `file:${join(folder, 'nowhere')}` });
    expect({ code, lines }).toEqual({
      code: 78,
      lines: [expect.stringMatching(/settings\.url: cannot be used \(ECONNREFUSED: /)],
    });
  });
});

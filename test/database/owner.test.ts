import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { keyStoreSettings, openKeyStore } from '../../adapters/common/key-store.ts';
import { openTables } from '../../src/database/migrations.ts';
import { findOwnerId, type Owner, WrongOwner } from '../../src/database/owner.ts';
import { openSqlite } from '../../src/database/sqlite.ts';
import { stateSchema } from '../../src/state/keys.ts';
import { SettingsProblem } from '../../src/toolkit/problems.ts';
import { makeFolder } from '../support/sqlite-state.ts';

const folder = makeFolder();
const key = randomBytes(32);
let files = 0;
const createFile = () => join(folder, `${files++}.db`);

async function open(file: string, owner?: Owner, keys = key): Promise<void> {
  const database = await openSqlite(file);
  await openTables(database, stateSchema, keys, owner);
  await database.close();
}

describe('the owner of a database', () => {
  test.each([
    ['Sanatorio Norte', 'sanatorio-norte'],
    ['  Clínica «Güemes» S.A. ', 'clinica-guemes-s-a'],
    ['CLINICA GUEMES S.A.', 'clinica-guemes-s-a'],
    ['Hospital N.º 2', 'hospital-n-o-2'],
    ['Больница №1', 'больница-no1'],
    ['…', undefined],
  ])('has the id that its name %s stands for', (name, id) => {
    expect(findOwnerId({ name })).toBe(id);
    expect(findOwnerId({ name, id: 'another' })).toBe('another');
  });

  test('is the first institution that opens it, by whatever spelling of its name, and no other', async () => {
    const file = createFile();
    await open(file, { name: 'Clínica Norte' });
    await open(file, { name: 'CLINICA NORTE' });
    await open(file, { name: 'Clínica Sur', id: 'clinica-norte' });
    await expect(open(file, { name: 'Clínica Sur' })).rejects.toThrow(WrongOwner);
    await expect(open(file, { name: 'Clínica Norte', id: 'clinica-sur' })).rejects.toThrow(WrongOwner);
    await expect(open(file, {})).rejects.toThrow(WrongOwner);
  });

  test('is nobody while institutions without a name open it, or a version that knows no owners', async () => {
    const file = createFile();
    await open(file, {});
    await open(file, {});
    await open(file);
    await open(file, { id: 'norte' });
    await expect(open(file, {})).rejects.toThrow(WrongOwner);
    await open(file);
    await open(file, { id: 'norte' });
  });

  test('is not the institution with another key, which is refused for that alone', async () => {
    const file = createFile();
    await open(file);
    await expect(open(file, { id: 'sur' }, randomBytes(32))).rejects.toThrow('');
    await open(file, { id: 'norte' });
  });

  test('of the keys of writes is who opened them first, and another is told which setting names them', async () => {
    const settings = keyStoreSettings.parse({
      kind: 'sqlite',
      file: createFile(),
      encryptionKey: 'env:OWNER_TEST_KEY',
    });
    process.env.OWNER_TEST_KEY = key.toString('hex');
    await (await openKeyStore(settings, 'keys', { id: 'norte' })).close();
    const error = await openKeyStore(settings, 'keys', { id: 'sur' }).catch(Object);
    expect(error).toBeInstanceOf(SettingsProblem);
    expect([error.setting, ...error.problems]).toEqual([
      'keys.file',
      'the database of keys belongs to the institution norte, and this gateway belongs to sur: give each institution its own database or schema, or set institution.id to norte if only the name changed',
    ]);
    await (await openKeyStore(settings, 'keys', { id: 'norte' })).close();
  });
});

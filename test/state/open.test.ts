import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from '@jest/globals';
import { DatabaseUnavailable, type RunQuery } from '../../src/database/database.ts';
import { WrongEncryptionKey } from '../../src/database/migrations.ts';
import { openSqlite } from '../../src/database/sqlite.ts';
import { computeFingerprint } from '../../src/guard/idempotency.ts';
import { createMemoryState, openDurableState } from '../../src/state/open.ts';
import { StateUnavailable } from '../../src/state/state.ts';
import { describeAuditRecords } from '../support/audit-contract.ts';
import { describeIdempotency } from '../support/idempotency-contract.ts';
import { createOpen, makeFolder, openState } from '../support/sqlite-state.ts';
import { describeState } from '../support/state-contract.ts';

describe('with state in SQLite', () => describeIdempotency(createOpen()));

describe('with state in memory', () => describeIdempotency(createMemoryState));

const folder = makeFolder();

const claim = { now: 0, leaseUntil: 1, client: 'a', fingerprint: 'a', expiresAt: 10 };

const done = (body: string) => ({ state: 'done', response: { status: 200, headers: {}, body } }) as const;

describe('SQLite', () => {
  describeState(createOpen());
  describeAuditRecords(createOpen());

  test('keeps what it was told when it is closed and opened again', async () => {
    const file = join(folder, 'kept.db');
    const first = await openState(file);
    for (const key of ['done', 'running']) await first.idempotency.claim(key, claim);
    await first.idempotency.settle('done', 1, done('{}'));
    await first.close();
    const second = await openState(file);
    expect(await second.idempotency.claim('done', claim)).toMatchObject(done('{}'));
    expect(await second.idempotency.claim('running', claim)).toMatchObject({ state: 'running' });
    await second.close();
  });

  test('is shared by two processes while one replaces the other', async () => {
    const file = join(folder, 'shared.db');
    const [one, other] = [await openState(file), await openState(file)];
    const claims = await Promise.all([one, other].map(({ idempotency }) => idempotency.claim('k', claim)));
    expect(claims.filter((record) => record === undefined)).toHaveLength(1);
    await other.idempotency.settle('k', 1, done('{}'));
    expect(await one.idempotency.claim('k', claim)).toMatchObject(done('{}'));
    await Promise.all([one.close(), other.close()]);
  });

  test('holds nothing of a request or a response in its files, which only their owner may open', async () => {
    const file = join(folder, 'encrypted.db');
    const state = await openState(file);
    const fingerprint = computeFingerprint('registerPatient', { identifier: 30111222 });
    await state.idempotency.claim('k', { ...claim, fingerprint });
    await state.idempotency.settle('k', 1, done('Ferreyra'));
    const files = readdirSync(folder).filter((name) => name.startsWith('encrypted.db'));
    expect(files.length).toBeGreaterThan(1);
    for (const name of files) {
      for (const secret of ['Ferreyra', fingerprint])
        expect(readFileSync(join(folder, name)).includes(secret)).toBe(false);
      expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
    }
    await state.close();
  });

  test('keeps no claim of which it said that it was not made, since its answer was lost', async () => {
    const file = join(folder, 'lost.db');
    const key = randomBytes(32);
    const database = await openSqlite(file);
    let isLost = false;
    const query: RunQuery = async (sql, values) => {
      const rows = await database.query(sql, values);
      if (isLost && sql.startsWith('INSERT INTO puente_idempotency')) {
        throw new DatabaseUnavailable('reset', 'ECONNRESET', true);
      }
      return rows;
    };
    const state = await openDurableState({ ...database, query }, key);
    const other = await openState(file, key);
    const lose = async (name: string) => {
      isLost = true;
      await expect(state.idempotency.claim(name, claim)).rejects.toThrow(StateUnavailable);
      isLost = false;
    };
    await lose('again');
    expect(await state.idempotency.claim('again', { ...claim, fingerprint: 'another' })).toBeUndefined();
    await lose('elsewhere');
    expect(await other.idempotency.claim('elsewhere', claim)).toMatchObject({ state: 'running' });
    await state.idempotency.prune(0);
    expect(await other.idempotency.claim('elsewhere', claim)).toBeUndefined();
    expect(await state.idempotency.claim('elsewhere', claim)).toMatchObject({ state: 'running' });
    await Promise.all([state.close(), other.close()]);
  });

  test('knows the request of a key that a version before it stored', async () => {
    const file = join(folder, 'plain.db');
    const state = await openState(file);
    await state.idempotency.claim('k', claim);
    const database = new DatabaseSync(file);
    database.exec(`UPDATE puente_idempotency SET fingerprint = 'plain'`);
    database.close();
    expect(await state.idempotency.claim('k', claim)).toMatchObject({ fingerprint: 'plain' });
    await state.close();
  });

  test('is not opened with another key, and refuses a response that was moved or changed', async () => {
    const file = join(folder, 'keys.db');
    const state = await openState(file);
    for (const key of ['a', 'b']) {
      await state.idempotency.claim(key, claim);
      await state.idempotency.settle(key, 1, done(key));
    }
    const database = new DatabaseSync(file);
    database.exec(`UPDATE puente_idempotency SET response = (SELECT response FROM puente_idempotency WHERE key = 'b')`);
    database.close();
    await expect(state.idempotency.claim('a', claim)).rejects.toThrow(StateUnavailable);
    expect(await state.idempotency.claim('b', claim)).toMatchObject(done('b'));
    await state.close();
    await expect(openState(file, randomBytes(32))).rejects.toThrow(WrongEncryptionKey);
  });

  test('serves on a database that a later version has changed', async () => {
    const file = join(folder, 'later.db');
    await (await openState(file)).close();
    const database = new DatabaseSync(file);
    database.exec(`ALTER TABLE puente_idempotency ADD COLUMN something TEXT;
      INSERT INTO puente_migrations (version) VALUES (99)`);
    database.close();
    const state = await openState(file);
    await state.idempotency.claim('k', claim);
    expect(await state.idempotency.settle('k', 1, done('{}'))).toBe(true);
    await state.close();
  });

  test('says what is wrong with a file that cannot be used', async () => {
    const text = join(folder, 'text.db');
    writeFileSync(text, 'this is no database, and long enough to be seen as none '.repeat(50));
    await expect(openState(text)).rejects.toMatchObject({ code: 'SQLITE_NOTADB' });
    await expect(openState(join(folder, 'missing', 'a.db'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

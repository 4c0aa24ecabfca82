import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import mysql from 'mysql2/promise';
import { openSources, type Sources } from '../../../../../adapters/mapping/sources/open-sources.ts';
import { database, sqlChange } from '../../../../../adapters/mapping/sources/sql/schema.ts';
import * as mariadbServer from '../../../../support/mariadb-server.ts';
import * as mysqlServer from '../../../../support/mysql-server.ts';
import { sourceCall, toValues } from '../../../../support/source-call.ts';

const servers = [
  {
    name: 'MariaDB',
    missing: mariadbServer.missing,
    url: mariadbServer.missing === undefined ? await (await mariadbServer.startMariadb()).createUrl() : '',
  },
  {
    name: 'MySQL',
    missing: mysqlServer.missing,
    url: mysqlServer.missing === undefined ? await (await mysqlServer.startMysql()).createUrl() : '',
  },
] as const;

describe.each(servers)('a mapping file over $name', ({ missing, url }) => {
  if (missing !== undefined) return void test.skip(`skipped: ${missing}`, () => undefined);

  let sources: Sources;
  const open = (address = url) => {
    process.env.MYSQL_TEST_URL = address;
    return openSources({
      system: 'his',
      database: database.parse({ kind: 'mysql', url: 'env:MYSQL_TEST_URL' }),
      timeZone: 'America/Argentina/Buenos_Aires',
    });
  };
  const make = (sql: string, values: Parameters<typeof toValues>[0] = {}, more: object = {}) =>
    sources.change(sqlChange.parse({ steps: [{ sql, ...more }] })).make(toValues(values), [], sourceCall());
  const list = async (sql: string) => (await sources.question(sql).ask({}, sourceCall())).map(Object.values);

  beforeAll(async () => {
    // As OpenEMR, and many older systems, set it.
    const admin = await mysql.createConnection(url);
    await admin.query("SET GLOBAL sql_mode = ''");
    await admin.query(
      'CREATE TABLE personas (id INTEGER AUTO_INCREMENT PRIMARY KEY, apellido VARCHAR(12), dni INTEGER UNIQUE)',
    );
    await admin.query("INSERT INTO personas VALUES (1, 'Paz', 31465466)");
    await admin.end();
    sources = await open();
  });
  afterAll(() => sources?.close());

  test('has a session of its own: strict, serializable and in the zone of the institution', async () => {
    const [[mode]] = [await list('SELECT @@sql_mode')];
    expect(String(mode)).toContain('STRICT_ALL_TABLES');
    expect(
      await list("SHOW VARIABLES WHERE variable_name IN ('tx_isolation', 'transaction_isolation')"),
    ).toContainEqual([expect.any(String), 'SERIALIZABLE']);
    expect(await list('SELECT timestampdiff(HOUR, utc_timestamp(), now())')).toEqual([['-3']]);
  });

  test.each([
    ['an upsert', 'INSERT INTO personas (id, apellido) VALUES (1, :name) ON DUPLICATE KEY UPDATE apellido = :name'],
    ['a REPLACE', 'REPLACE INTO personas (id, apellido, dni) VALUES (1, :name, 31465466)'],
    [
      'an upsert of a query',
      'INSERT INTO personas (id, apellido) SELECT 1, :name FROM dual ON DUPLICATE KEY UPDATE apellido = :name',
    ],
  ])('counts one row for %s that finds its row', async (_, sql) => {
    expect(await make(sql, { name: `Paz ${sql.length}` })).toEqual({});
    expect(await make("UPDATE personas SET apellido = 'Paz' WHERE id = 1")).toEqual({});
  });

  test('counts what an INSERT IGNORE leaves out as no row, and two rows of one statement as two', async () => {
    const ignore = "INSERT IGNORE INTO personas (id, apellido) VALUES (1, 'Otra')";
    expect(await make(ignore, {}, { mustChange: 1, else: 'exists' })).toEqual({ meaning: 'exists' });
    const two =
      "INSERT INTO personas (id, apellido) VALUES (1, 'Paz'), (7, 'Gil') ON DUPLICATE KEY UPDATE apellido = 'Paz'";
    await expect(make(two)).rejects.toMatchObject({ kind: 'bad_answer' });
    expect(await make(two, {}, { changes: 2 })).toEqual({});
    expect(await make('DELETE FROM personas WHERE id = 7')).toEqual({});
  });

  // MariaDB reports the victim of a deadlock as an error of the AUTO_INCREMENT counter.
  test('makes all bookings of different times that come at once', async () => {
    const admin = await mysql.createConnection(url);
    await admin.query(
      'CREATE TABLE turnos (id INTEGER AUTO_INCREMENT PRIMARY KEY, inicio DATETIME, fin DATETIME, KEY (inicio))',
    );
    await admin.end();
    const sql = `INSERT INTO turnos (inicio, fin) SELECT :start, timestamp(:start) + INTERVAL 15 MINUTE FROM dual
      WHERE NOT EXISTS (SELECT 1 FROM turnos t
        WHERE t.inicio < timestamp(:start) + INTERVAL 15 MINUTE AND t.fin > timestamp(:start))`;
    const starts = Array.from({ length: 8 }, (_, i) => `2026-12-01 ${String(8 + i).padStart(2, '0')}:00:00`);
    const made = await Promise.all(
      starts.map((start) =>
        make(sql, { start }, { mustChange: 1, else: 'slot_taken' }).catch((error: unknown) => error),
      ),
    );
    expect(made).toEqual(starts.map(() => ({})));
    expect(await list('SELECT count(*) FROM turnos')).toEqual([['8']]);
  });

  test('asks for TLS where its address says so, and does not go on without it', async () => {
    for (const mode of ['require', 'verify-full']) {
      const encrypted = await open(`${url}?sslmode=${mode}`);
      await expect(encrypted.reach(sourceCall())).rejects.toMatchObject({ kind: 'unavailable' });
      await encrypted.close();
    }
    const plain = await open(`${url}?sslmode=disable`);
    await plain.reach(sourceCall());
    await plain.close();
  });
});

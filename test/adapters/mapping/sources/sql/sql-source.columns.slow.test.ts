import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openSources, type Sources } from '../../../../../adapters/mapping/sources/open-sources.ts';
import type { Values } from '../../../../../adapters/mapping/sources/source.ts';
import { database, sqlChange } from '../../../../../adapters/mapping/sources/sql/schema.ts';
import * as mariadb from '../../../../support/mariadb-server.ts';
import * as mysql from '../../../../support/mysql-server.ts';
import * as postgres from '../../../../support/postgres-server.ts';
import { sourceCall } from '../../../../support/source-call.ts';

const servers = [
  {
    name: 'postgres',
    kind: 'postgres',
    missing: postgres.missing,
    url: postgres.missing === undefined ? await (await postgres.startPostgres()).createUrl() : '',
    bytes: 'BYTEA',
    moment: 'TIMESTAMPTZ',
  },
  {
    name: 'mariadb',
    kind: 'mysql',
    missing: mariadb.missing,
    url: mariadb.missing === undefined ? await (await mariadb.startMariadb()).createUrl() : '',
    bytes: 'VARBINARY(40)',
    moment: 'TIMESTAMP NULL',
  },
  {
    name: 'mysql',
    kind: 'mysql',
    missing: mysql.missing,
    url: mysql.missing === undefined ? await (await mysql.startMysql()).createUrl() : '',
    bytes: 'BLOB',
    moment: 'TIMESTAMP NULL',
  },
] as const;

describe.each(servers)('columns of $name', ({ kind, missing, url, bytes, moment }) => {
  if (missing !== undefined) return void test.skip(`skipped: ${missing}`, () => undefined);

  const opened: Sources[] = [];
  const open = async (settings: object = {}, timeZone = 'America/Argentina/Buenos_Aires') => {
    process.env.COLUMNS_TEST_URL = url;
    const sources = await openSources({
      system: 'his',
      timeZone,
      database: database.parse({ kind, url: 'env:COLUMNS_TEST_URL', ...settings }),
    });
    opened.push(sources);
    return {
      ask: (sql: string, values: Values = {}) => sources.question(sql).ask(values, sourceCall()),
      describe: async (sql: string) => sources.question(sql).describe?.(sourceCall()),
      run: (...statements: string[]) =>
        sources
          .change(sqlChange.parse({ steps: statements.map((sql) => ({ sql, changes: 10 })) }))
          .make({}, [], sourceCall()),
    };
  };
  let his: Awaited<ReturnType<typeof open>>;

  beforeAll(async () => {
    his = await open();
    const hex = (text: string) => (kind === 'postgres' ? `'\\x${text}'` : `x'${text}'`);
    await his.run(
      `CREATE TABLE fichas (id INTEGER PRIMARY KEY, largo BIGINT, texto ${bytes}, momento ${moment}, escrito VARCHAR(40))`,
      // `José` in UTF-8, in ISO-8859-1, and bytes that are no text.
      `INSERT INTO fichas (id, largo, texto) VALUES (1, 9007199254740993, ${hex('4a6f73c3a9')}), (2, 9007199254740992, ${hex('4a6f73e9')}), (3, 3, NULL)`,
    );
  });
  afterAll(() => Promise.all(opened.map((each) => each.close())));

  test('are texts where their bytes are UTF-8 or the charset of the file, and else fit nothing', async () => {
    const sql = 'SELECT texto FROM fichas ORDER BY id';
    expect(await his.ask(sql)).toEqual([{ texto: 'José' }, { texto: {} }, { texto: null }]);
    const other = await open({ charset: 'ISO-8859-1' });
    expect(await other.ask(sql)).toEqual([{ texto: 'José' }, { texto: 'José' }, { texto: null }]);
  });

  test.each([
    ['id', '2147483648'],
    ['id', 'AAB123'],
    ['largo', 'AAB123'],
    ['largo', '99999999999999999999'],
    ['momento', 'AAB123'],
    ['momento', '2026-02-31'],
  ])('find nothing where %s cannot be %s', async (column, value) => {
    expect(await his.ask(`SELECT id FROM fichas WHERE ${column} = :id`, { id: [value] })).toEqual([]);
  });

  test('find what stands in one of several ways of writing, though a column cannot hold the others', async () => {
    const values = { id: ['AAB123', '1', '33.444.555', '3'], type: ['x'] };
    const sql = "SELECT id FROM fichas WHERE 'x' IN (:type) AND id IN (:id) ORDER BY id";
    expect(await his.ask(sql, values)).toEqual([{ id: '1' }, { id: '3' }]);
  });

  test('hold times of the zone of the institution, whichever the server has', async () => {
    for (const [zone, shown] of [
      ['America/Argentina/Buenos_Aires', /^2026-07-01 09:00:00/],
      ['Asia/Kolkata', /^2026-07-01 17:30:00/],
    ] as const) {
      const there = await open({}, zone);
      await his.run("UPDATE fichas SET momento = '2026-07-01 09:00:00' WHERE id = 1");
      const [row] = await there.ask('SELECT momento FROM fichas WHERE id = 1');
      expect(row?.momento).toMatch(shown);
    }
  });

  test('are told again and again without being asked, and asked then', async () => {
    const sql = 'SELECT id FROM fichas WHERE id = :id';
    for (let i = 0; i < 3; i++) {
      expect(await his.describe(sql)).toEqual([{ sql, columns: ['id'] }]);
      expect(await his.ask(sql, { id: [1] })).toEqual([{ id: '1' }]);
    }
  });

  if (kind !== 'mysql') {
    test('of lists of texts are lists', async () => {
      expect(await his.ask("SELECT ARRAY['11-1', '11-2'] AS telefonos")).toEqual([{ telefonos: ['11-1', '11-2'] }]);
    });
    test('that cannot be converted are a fault of the system, and not of what is asked for', async () => {
      const asked = his.ask("SELECT id FROM fichas WHERE CAST(concat(id, 'x') AS integer) = :id", { id: [1] });
      await expect(asked).rejects.toMatchObject({ kind: 'unavailable' });
    });
    return;
  }
  test('of bits are numbers', async () => {
    expect(await his.ask("SELECT b'1' + 0 AS n")).toEqual([{ n: '1' }]);
    await his.run(
      'CREATE TABLE bits (si BIT(1), no BIT(1), varios BIT(12), nada BIT(1))',
      "INSERT INTO bits VALUES (b'1', b'0', b'100000000001', NULL)",
    );
    for (const sql of ['SELECT * FROM bits', 'SELECT * FROM bits WHERE si = :one']) {
      expect(await his.ask(sql, { one: [1] })).toEqual([{ si: '1', no: '0', varios: '2049', nada: null }]);
    }
  });

  test('come from procedures, too', async () => {
    await his.run(
      'CREATE PROCEDURE listar(nro INTEGER) BEGIN SELECT id, largo FROM fichas WHERE id >= nro ORDER BY id; END',
    );
    expect(await his.ask('CALL listar(:id)', { id: [2] })).toEqual([
      { id: '2', largo: '9007199254740992' },
      { id: '3', largo: '3' },
    ]);
    expect(await his.ask('CALL listar(3)')).toEqual([{ id: '3', largo: '3' }]);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { openSources, type Sources } from '../../../../../adapters/mapping/sources/open-sources.ts';
import { database, sqlChange } from '../../../../../adapters/mapping/sources/sql/schema.ts';
import * as mariadb from '../../../../support/mariadb-server.ts';
import * as mysql from '../../../../support/mysql-server.ts';
import * as postgres from '../../../../support/postgres-server.ts';
import { sourceCall, toValues } from '../../../../support/source-call.ts';

const servers = [
  {
    name: 'postgres',
    kind: 'postgres',
    missing: postgres.missing,
    url: postgres.missing === undefined ? await (await postgres.startPostgres()).createUrl() : '',
  },
  {
    name: 'mariadb',
    kind: 'mysql',
    missing: mariadb.missing,
    url: mariadb.missing === undefined ? await (await mariadb.startMariadb()).createUrl() : '',
  },
  {
    name: 'mysql',
    kind: 'mysql',
    missing: mysql.missing,
    url: mysql.missing === undefined ? await (await mysql.startMysql()).createUrl() : '',
  },
] as const;

const ROUNDS = 10;
const twenty = Array.from({ length: 20 }, (_, i) => i);

describe.each(servers)('of twenty changes at once through two gateways, over $name', ({ name, kind, missing, url }) => {
  if (missing !== undefined) return void test.skip(`skipped: ${missing}`, () => undefined);

  const gateways: Sources[] = [];
  const make = async (i: number, definition: object, values: object) =>
    gateways[i % 2]!.change(sqlChange.parse(definition)).make(toValues({ ...values }), [], sourceCall());
  const count = async () => (await gateways[0]!.question('SELECT inicio FROM citas').ask({}, sourceCall())).length;

  beforeAll(async () => {
    process.env.SERIALIZABLE_TEST_URL = url;
    const settings = database.parse({ kind, url: 'env:SERIALIZABLE_TEST_URL', connections: 5 });
    gateways.push(
      await openSources({ system: 'his', database: settings }),
      await openSources({ system: 'his', database: settings }),
    );
    await make(
      0,
      { steps: [{ sql: 'CREATE TABLE citas (agenda INTEGER, inicio VARCHAR(20), paciente INTEGER)' }] },
      {},
    );
  });
  afterAll(() => Promise.all(gateways.map((each) => each.close())));
  beforeEach(() => make(0, { steps: [{ sql: 'DELETE FROM citas WHERE agenda > 0', changes: 1000 }] }, {}));

  const [integer, from] = kind === 'mysql' ? ['SIGNED', 'FROM dual'] : ['integer', ''];
  /** Books where fewer than so many are there, which no key and no row guards. */
  const bookBelow = (most: number) => ({
    steps: [
      {
        sql: `INSERT INTO citas (agenda, inicio, paciente)
          SELECT CAST(:agenda AS ${integer}), CAST(:start AS char(20)), CAST(:patientId AS ${integer}) ${from}
          WHERE (SELECT count(*) FROM citas WHERE agenda = CAST(:agenda AS ${integer}) AND inicio = :start) < ${most}`,
        mustChange: 1,
        else: 'slot_taken',
      },
    ],
  });

  /** Reads first, and writes then. */
  const readBefore = (most: number) => ({
    steps: [
      {
        sql: `SELECT 1 ${from} WHERE (SELECT count(*) FROM citas WHERE agenda = :agenda AND inicio = :start) < ${most}`,
        mustChange: 1,
        else: 'slot_taken',
      },
      { sql: 'INSERT INTO citas (agenda, inicio, paciente) VALUES (:agenda, :start, :patientId)' },
    ],
  });

  test.each([
    ['one is made where one can be, by a condition on other rows', bookBelow, 1],
    ['two are made where two can be, by a condition on other rows', bookBelow, 2],
    ['one is made where one can be, by reading first', readBefore, 1],
    ['two are made where two can be, by reading first', readBefore, 2],
  ])('%s', async (title, book, most) => {
    for (let round = 1; round <= ROUNDS; round++) {
      const start = `2026-12-01 ${round}`;
      const results = await Promise.all(twenty.map((i) => make(i, book(most), { agenda: 1, start, patientId: i })));
      expect(results.filter((result) => !('meaning' in result))).toHaveLength(most);
      expect(results.filter((result) => 'meaning' in result && result.meaning === 'slot_taken')).toHaveLength(
        20 - most,
      );
      expect(await count()).toBe(round * most);
    }
    process.stdout.write(`${name}: ${ROUNDS} rounds: ${title}\n`);
  });

  test('all are made that want different times', async () => {
    for (let round = 1; round <= ROUNDS; round++) {
      const results = await Promise.all(
        twenty.map((i) => make(i, bookBelow(1), { agenda: 1, start: `2026-12-${round} ${i}`, patientId: i })),
      );
      expect(results).toEqual(twenty.map(() => ({})));
      expect(await count()).toBe(round * 20);
    }
  });
});

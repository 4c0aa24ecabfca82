import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openSources, type Sources } from '../../../../../adapters/mapping/sources/open-sources.ts';
import { database, sqlChange } from '../../../../../adapters/mapping/sources/sql/schema.ts';
import { FaultServer } from '../../../../fault-server/server.ts';
import { sourceCall, toValues } from '../../../../support/source-call.ts';
import { createUrl, missing, runStatements } from '../../../../support/sqlserver-server.ts';

const url = missing === undefined ? await createUrl() : '';

describe('a mapping file over SQL Server', () => {
  if (missing !== undefined) return void test.skip(`skipped: ${missing}`, () => undefined);

  let sources: Sources;
  const open = (address = url, settings: object = {}) => {
    process.env.MSSQL_TEST_URL = address;
    return openSources({
      system: 'his',
      database: database.parse({ kind: 'sqlserver', url: 'env:MSSQL_TEST_URL', ...settings }),
      timeZone: 'America/Argentina/Buenos_Aires',
    });
  };
  const ask = (sql: string, values: Parameters<typeof toValues>[0] = {}) =>
    sources.question(sql).ask(toValues(values), sourceCall());
  const make = (sql: string, values: Parameters<typeof toValues>[0] = {}, more: object = {}) =>
    sources.change(sqlChange.parse({ steps: [{ sql, ...more }] })).make(toValues(values), [], sourceCall());

  beforeAll(async () => {
    await runStatements(url, [
      'CREATE TABLE pacientes (id INT IDENTITY PRIMARY KEY, dni VARCHAR(20) UNIQUE, apellido VARCHAR(30))',
      "INSERT INTO pacientes (dni, apellido) VALUES ('31465466', 'Paz')",
      'CREATE TABLE turnos (nro INT PRIMARY KEY, inicio DATETIME, estado CHAR(1))',
      "INSERT INTO turnos VALUES (1, '2026-12-01T09:00:00', 'L')",
    ]);
    sources = await open();
  });
  afterAll(() => sources?.close());

  test.each(['2147483648', 'AAB123', '99999999999999999999'])('finds nobody by the id %s', async (id) => {
    expect(await ask('SELECT dni FROM pacientes WHERE id = :id', { id })).toEqual([]);
  });

  test('finds a time by the text that Puente writes, which means no other day', async () => {
    const slots = sources.question({
      select: 'SELECT nro, inicio FROM turnos',
      conditions: [
        { name: 'from', is: '>=', column: 'inicio' },
        { name: 'to', is: '<=', column: 'inicio' },
      ],
    });
    const find = (from: string, to: string) => slots.ask(toValues({ from, to }), sourceCall());
    const found = [{ nro: '1', inicio: '2026-12-01 09:00:00' }];
    expect(await find('2026-12-01 00:00:00', '2026-12-01 23:59:59')).toEqual(found);
    expect(await find('2026-12-01T09:00:00', '2026-12-01T09:00:00')).toEqual(found);
    expect(await find('2026-01-12 00:00:00', '2026-01-12 23:59:59')).toEqual([]);
  });

  test('binds ASCII as VARCHAR, so that the index of such a column is used', async () => {
    const sql = "SELECT CAST(SQL_VARIANT_PROPERTY(:name, 'BaseType') AS VARCHAR(20)) AS type";
    expect(await ask(sql, { name: 'Paz' })).toEqual([{ type: 'varchar' }]);
  });

  test('counts what a statement changed where NOCOUNT is on, and says the id of what it made', async () => {
    const update = "SET NOCOUNT ON; UPDATE turnos SET estado = 'R' WHERE nro = 1 AND estado = 'L'";
    const must = { mustChange: 1, else: 'slot_taken' };
    expect(await make(update, {}, must)).toEqual({});
    expect(await make(update, {}, must)).toEqual({ meaning: 'slot_taken' });
    const insert = {
      steps: [{ sql: "INSERT INTO pacientes (dni, apellido) VALUES ('7', 'Gil')", as: 'id' }],
      id: 'id',
    };
    expect(await sources.change(sqlChange.parse(insert)).make({}, [], sourceCall())).toEqual({ id: '2' });
  });

  test('says what a trigger throws as what the system does not take', async () => {
    await runStatements(url, [
      `CREATE TRIGGER pacientes_u ON pacientes AFTER UPDATE AS
       IF EXISTS (SELECT 1 FROM inserted WHERE apellido = 'Nadie') THROW 50001, 'no such name', 1`,
    ]);
    expect(await make("UPDATE pacientes SET apellido = 'Nadie' WHERE id = 1")).toEqual({ meaning: 'invalid' });
    expect(await ask('SELECT apellido FROM pacientes WHERE id = 1')).toEqual([{ apellido: 'Paz' }]);
  });

  test('rehearses a change without leaving anything, although an error ends the whole transaction', async () => {
    const change = sources.change(
      sqlChange.parse({
        steps: [
          { sql: "INSERT INTO turnos (nro, estado) VALUES (99, 'L')" },
          { sql: "INSERT INTO pacientes (dni) VALUES ('31465466')", else: 'exists' },
        ],
      }),
    );
    expect(await change.rehearse?.({}, [], sourceCall())).toMatchObject({ first: { meaning: 'exists' } });
    expect(await ask('SELECT nro FROM turnos WHERE nro = 99')).toEqual([]);
  });

  test('describes columns as they were created, also beside columns in small letters', async () => {
    await runStatements(url, ['CREATE TABLE Camas (IdCama INT, Sala VARCHAR(10), libre BIT)']);
    const [described] =
      (await sources.question('SELECT c.*, c.IdCama AS Otra FROM Camas c').describe?.(sourceCall())) ?? [];
    expect(described?.columns).toEqual(['IdCama', 'Sala', 'libre', 'Otra']);
    const [kept] = (await sources.question('SELECT Sala FROM Camas WHERE IdCama = :id').describe?.(sourceCall())) ?? [];
    expect(kept?.columns).toEqual(['Sala']);
    expect(await ask('SELECT dni FROM pacientes WHERE id = 1')).toEqual([{ dni: '31465466' }]);
  });

  test('encrypts where its address says so, and checks the certificate unless it says not to', async () => {
    const reach = async (mode: string) => {
      const there = await open(`${url}?sslmode=${mode}`);
      try {
        return await there.reach(sourceCall()).then(
          () => 'reached',
          ({ kind }) => String(kind),
        );
      } finally {
        await there.close();
      }
    };
    expect(await reach('no-verify')).toBe('reached');
    expect(await reach('verify-full')).toBe('unavailable');
  });

  describe('when a server falls silent on a connection, and acknowledges no cancellation', () => {
    const one = [{ one: '1' }];
    /** There is one connection, which a statement that goes on would keep. */
    const openBehind = async () => {
      const direct = url.replace(/\?.*/, '');
      const between = await FaultServer.start(direct);
      const address = direct.replace(`:${new URL(url).port}/`, `:${new URL(between.url).port}/`);
      const there = await open(address, { timeout: 1_000, connections: 1 });
      const close = async () => {
        await there.close();
        await between.stop();
      };
      const question = (sql: string) => there.question(sql).ask({}, sourceCall());
      return { between, there, question, close };
    };

    test.each([0, 6_000])(
      'after %i bytes of an answer, the question is too slow, and another connection answers the next one',
      async (after) => {
        const { between, question, close } = await openBehind();
        const digits = Array.from({ length: 10 }, (_, i) => `SELECT ${i} AS d`).join(' UNION ALL ');
        const long = `SELECT a.d AS a, b.d AS b, REPLICATE('x', 900) AS c FROM (${digits}) a, (${digits}) b`;
        try {
          expect((await question(long)).length).toBe(100);
          between.set({ type: 'timeout', timeout: 0, after, on: 'open connections' });
          const [slow, next] = [question(long), question('SELECT 1 AS one')];
          await expect(slow).rejects.toMatchObject({ kind: 'timeout' });
          expect(await next).toEqual(one);
          expect([between.opened, between.open]).toEqual([2, 1]);
        } finally {
          await close();
        }
      },
    );

    test('the outcome of a commit is unknown, and another connection answers the next question', async () => {
      const { between, there, question, close } = await openBehind();
      const commit = Buffer.from('COMMIT', 'utf16le');
      between.watch = () => (sent) => (sent.subarray(-commit.length).equals(commit) ? 'withheld' : 'passed');
      const insert = sqlChange.parse({ steps: [{ sql: "INSERT INTO turnos (nro, estado) VALUES (77, 'L')" }] });
      try {
        await expect(there.change(insert).make({}, [], sourceCall())).rejects.toMatchObject({
          kind: 'outcome_unknown',
        });
        expect(await question('SELECT nro FROM turnos WHERE nro = 77')).toEqual([{ nro: '77' }]);
        expect([between.opened, between.open]).toEqual([2, 1]);
      } finally {
        await close();
      }
    });
  });

  test('is unavailable with the code of the login when the password is wrong', async () => {
    const there = await open(url.replace(/:[^:@/]+@/, ':wrong@'));
    await expect(there.reach(sourceCall())).rejects.toMatchObject({ kind: 'unavailable', cause: { code: 'ELOGIN' } });
    await there.close();
  });
});

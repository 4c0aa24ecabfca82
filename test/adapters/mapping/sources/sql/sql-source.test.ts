import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { openSources, type Sources } from '../../../../../adapters/mapping/sources/open-sources.ts';
import type { SourceExchange, Values } from '../../../../../adapters/mapping/sources/source.ts';
import { database, sqlChange } from '../../../../../adapters/mapping/sources/sql/schema.ts';
import { subscribe, type TracedStatement, telemetry } from '../../../../../src/toolkit/telemetry.ts';
import { sourceCall, toValues } from '../../../../support/source-call.ts';

let folder: string;
let file: string;
let sources: Sources;

const schema = `
  CREATE TABLE turnos (nro INTEGER PRIMARY KEY, estado TEXT NOT NULL DEFAULT 'L', paciente INTEGER, orden INTEGER);
  CREATE TABLE documentos (tipo TEXT, nro TEXT, paciente INTEGER NOT NULL, PRIMARY KEY (tipo, nro));
  CREATE TABLE pacientes (id INTEGER PRIMARY KEY, nombre TEXT NOT NULL, copago REAL);
  INSERT INTO turnos (nro) VALUES (1), (2), (3);
  INSERT INTO pacientes VALUES (1001, 'Ana', 2500.5), (9007199254740993, 'Bruno', NULL);`;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'puente-sources-'));
  file = join(folder, 'his.db');
  run(schema);
  sources = await openSources({ system: 'his', database: database.parse({ kind: 'sqlite', file }) });
});
afterEach(async () => {
  await sources.close();
  rmSync(folder, { recursive: true });
});

/** What the institution itself does meanwhile. */
function run(sql: string): void {
  const own = new DatabaseSync(file);
  own.exec(sql);
  own.close();
}
const ask = (sql: string, values: Values = {}, call = sourceCall()) => sources.question(sql).ask(values, call);
const make = (definition: object, values: Values = {}, perSlot: readonly Values[] = [], call = sourceCall()) =>
  sources.change(sqlChange.parse(definition)).make(values, perSlot, call);
const listStates = async () =>
  (await ask('SELECT estado, paciente, orden FROM turnos ORDER BY nro')).map(Object.values);

const take = {
  sql: "UPDATE turnos SET estado = 'R', paciente = :patientId, orden = :position WHERE nro = :slotId AND estado = 'L'",
  mustChange: 1,
  else: 'slot_taken',
};
const slots = (...ids: number[]) => ids.map((id, position) => toValues({ slotId: id, position }));

describe('a question', () => {
  test('is composed of the parts of its thing, and answers texts', async () => {
    const question = sources.question({
      select: 'SELECT * FROM pacientes',
      conditions: [{ name: 'id', is: '=', column: 'id' }],
    });
    expect([...question.names]).toEqual(['id']);
    expect(await question.ask(toValues({ id: 1001 }), sourceCall())).toEqual([
      { id: '1001', nombre: 'Ana', copago: '2500.5' },
    ]);
    expect(await question.ask(toValues({ id: 7 }), sourceCall())).toEqual([]);
  });

  test('finds a whole number that a column has as a text', async () => {
    run("CREATE TABLE codigos (codigo VARCHAR(9)); INSERT INTO codigos VALUES ('12')");
    expect(await ask('SELECT codigo FROM codigos WHERE codigo = :id', toValues({ id: 12 }))).toEqual([
      { codigo: '12' },
    ]);
    await make({ steps: [{ sql: 'INSERT INTO codigos VALUES (:id)' }] }, toValues({ id: 30 }));
    expect(await ask('SELECT codigo FROM codigos')).toEqual([{ codigo: '12' }, { codigo: '30' }]);
  });

  test('keeps all digits of a number, and null', async () => {
    expect(await ask("SELECT * FROM pacientes WHERE nombre = 'Bruno'")).toEqual([
      { id: '9007199254740993', nombre: 'Bruno', copago: null },
    ]);
  });

  test('fails when it has too many rows, or too large ones, and gives no part of them', async () => {
    const count = (most: number, columns = '1') =>
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${most}) SELECT ${columns} FROM n`;
    expect(await ask(count(20_000))).toHaveLength(20_000);
    await expect(ask(count(20_001))).rejects.toMatchObject({ cause: { code: 'TOO_LARGE' }, at: 'records' });
    const wide = Array.from({ length: 100 }, (_, i) => `i AS c${i}`).join();
    await expect(ask(count(9_000, wide))).rejects.toMatchObject({ kind: 'bad_answer', cause: { code: 'TOO_LARGE' } });
    await expect(ask(count(30, 'hex(zeroblob(400000))'))).rejects.toMatchObject({ cause: { code: 'TOO_LARGE' } });
    expect(await ask('SELECT 1 AS one')).toEqual([{ one: '1' }]);
  });

  test('tells whoever measures of its statement, without the values', async () => {
    const heard: TracedStatement[] = [];
    const stop = subscribe(telemetry.statement.asyncEnd, (statement) => void heard.push(statement));
    const sql = 'SELECT * FROM pacientes WHERE id = :id';
    await ask(sql, toValues({ id: 1001 }));
    stop();
    expect(heard).toMatchObject([{ system: 'sqlite', sql }]);
    expect(JSON.stringify({ ...heard[0], result: undefined })).not.toContain('1001');
  });

  test('tells tools what it asked and what came', async () => {
    const seen: SourceExchange[] = [];
    await ask(
      'SELECT nombre FROM pacientes WHERE id = :id',
      toValues({ id: 1001 }),
      sourceCall({ observe: (each) => seen.push(each) }),
    );
    expect(seen).toEqual([{ sent: 'SELECT nombre FROM pacientes WHERE id = ?1 [1001]', answer: '[{"nombre":"Ana"}]' }]);
  });

  test('fails with unavailable and the code of the database when the statement is wrong', async () => {
    await expect(ask('SELECT nothing FROM pacientes')).rejects.toMatchObject({
      kind: 'unavailable',
      cause: { code: 'SQLITE_1' },
    });
  });

  test('changes nothing, whatever it says', async () => {
    await expect(ask('DELETE FROM pacientes')).rejects.toMatchObject({ cause: { code: 'SQLITE_8' } });
    expect(await ask('SELECT id FROM pacientes')).toHaveLength(2);
  });

  test('finds what was there before, after a process was killed while it wrote', async () => {
    run(`WITH RECURSIVE numbers (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < 200)
      INSERT INTO pacientes (nombre) SELECT printf('%200d', n) FROM numbers`);
    const before = await ask('SELECT nombre FROM pacientes');
    const left = join(folder, 'left.db');
    const writing = new DatabaseSync(file);
    // With so little room in memory it writes to the file before the end of the transaction.
    writing.exec("PRAGMA cache_size = 1; BEGIN IMMEDIATE; UPDATE pacientes SET nombre = 'Y' || nombre");
    copyFileSync(file, left);
    copyFileSync(`${file}-journal`, `${left}-journal`);
    writing.close();
    const { question, close } = await openSources({
      system: 'his',
      database: database.parse({ kind: 'sqlite', file: left }),
    });
    expect(await question('SELECT nombre FROM pacientes').ask({}, sourceCall())).toEqual(before);
    await close();
  });

  test('fails with timeout for a caller who has gone', async () => {
    await expect(ask('SELECT 1', {}, sourceCall({ signal: AbortSignal.abort() }))).rejects.toMatchObject({
      kind: 'timeout',
    });
  });
});

describe('a change', () => {
  test('is made as a whole, and names what it made', async () => {
    const register = {
      steps: [
        { sql: 'INSERT INTO pacientes (nombre) VALUES (:name)', as: 'id' },
        { sql: "INSERT INTO documentos VALUES ('DNI', :identifier, :id)", else: 'exists' },
      ],
      id: 'id',
    };
    const made = await make(register, toValues({ name: 'Emma', identifier: '31465466' }));
    expect(made).toEqual({ id: '9007199254740994' });
    expect(await ask('SELECT * FROM documentos')).toEqual([
      { tipo: 'DNI', nro: '31465466', paciente: '9007199254740994' },
    ]);
    const again = await make(register, toValues({ name: 'Emma', identifier: '31465466' }));
    expect(again).toEqual({ meaning: 'exists' });
    expect(await ask("SELECT count(*) AS n FROM pacientes WHERE nombre = 'Emma'")).toEqual([{ n: '1' }]);
  });

  test('takes the first column of RETURNING for the id of what it made', async () => {
    const definition = {
      steps: [{ sql: "INSERT INTO turnos (nro) VALUES (77) RETURNING 'T' || nro", as: 'id' }],
      id: 'id',
    };
    expect(await make(definition)).toEqual({ id: 'T77' });
  });

  test('says no id of a row that it has not made', async () => {
    const insert = (nro: number, when: string) =>
      make({ steps: [{ sql: `INSERT INTO turnos (nro) SELECT ${nro} WHERE ${when}`, as: 'id' }], id: 'id' });
    expect(await insert(78, '1 = 1')).toEqual({ id: '78' });
    expect(await insert(79, '1 = 0')).toEqual({});
    const upsert = 'INSERT INTO turnos (nro) VALUES (1) ON CONFLICT DO UPDATE SET orden = 2';
    for (const sql of ['UPDATE turnos SET orden = 1 WHERE nro = 1', upsert])
      await expect(make({ steps: [{ sql, as: 'id' }], id: 'id' })).rejects.toMatchObject({ kind: 'bad_answer' });
  });

  test('takes all slots with what belongs to each, or none', async () => {
    expect(await make({ forEachSlot: [take] }, toValues({ patientId: 1001 }), slots(2, 1))).toEqual({});
    expect(await listStates()).toEqual([
      ['R', '1001', '1'],
      ['R', '1001', '0'],
      ['L', null, null],
    ]);
    expect(await make({ forEachSlot: [take] }, toValues({ patientId: 7 }), slots(3, 2))).toEqual({
      meaning: 'slot_taken',
    });
    expect((await listStates())[2]).toEqual(['L', null, null]);
  });

  test('takes slots in the order of their ids, whatever their place in the booking', async () => {
    const seen: string[] = [];
    const observe = ({ sent }: SourceExchange) => seen.push(sent.replace(/^UPDATE.*\[/, ''));
    await make({ forEachSlot: [take] }, toValues({ patientId: 1 }), slots(3, 10, 2), sourceCall({ observe }));
    expect(seen).toEqual(['BEGIN IMMEDIATE []', '1,2,2]', '1,0,3]', '1,1,10]', 'ROLLBACK []']);
  });

  test('is made after another one that broke a unique key, by the same statement that returns what it made', async () => {
    const insert = (nro: number) =>
      make(
        {
          steps: [{ sql: 'INSERT INTO turnos (nro) VALUES (:nro) RETURNING nro', as: 'id', else: 'exists' }],
          id: 'id',
        },
        toValues({ nro }),
      );
    expect(await insert(1)).toEqual({ meaning: 'exists' });
    expect(await insert(78)).toEqual({ id: '78' });
  });

  test('is invalid when the data breaks a rule of the database, and undone', async () => {
    const steps = [{ sql: 'DELETE FROM turnos', changes: 3 }, { sql: 'INSERT INTO pacientes (nombre) VALUES (:name)' }];
    expect(await make({ steps }, toValues({ name: null }))).toEqual({ meaning: 'invalid' });
    expect(await listStates()).toHaveLength(3);
  });

  test('is undone, and a bad answer, when a step changes more rows than it may: one, where the file does not say it', async () => {
    const all = { sql: "UPDATE turnos SET estado = 'R' WHERE nro < :slotId" };
    await expect(make({ steps: [all] }, toValues({ slotId: 9 }))).rejects.toMatchObject({ kind: 'bad_answer' });
    await expect(make({ steps: [{ ...all, changes: 2 }] }, toValues({ slotId: 9 }))).rejects.toThrow();
    expect(await listStates()).toEqual(Array.from({ length: 3 }, () => ['L', null, null]));
    expect(await make({ steps: [{ ...all, changes: 3 }] }, toValues({ slotId: 9 }))).toEqual({});
    expect(await listStates()).toEqual(Array.from({ length: 3 }, () => ['R', null, null]));
  });

  test('may read as many rows as there are', async () => {
    expect(await make({ steps: [{ sql: 'SELECT nro FROM turnos', mustChange: 3, else: 'nothing' }] })).toEqual({});
  });

  test('is overloaded when somebody else holds the lock, and can be made afterwards', async () => {
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    const booking = () => make({ forEachSlot: [take] }, toValues({ patientId: 1 }), slots(1));
    await expect(booking()).rejects.toMatchObject({ kind: 'overloaded' });
    other.exec('ROLLBACK');
    other.close();
    expect(await booking()).toEqual({});
  });

  test('is not made for a caller who has gone', async () => {
    const gone = sourceCall({ signal: AbortSignal.abort() });
    await expect(make({ steps: [{ sql: 'DELETE FROM turnos' }] }, {}, [], gone)).rejects.toMatchObject({
      kind: 'timeout',
    });
    expect(await listStates()).toHaveLength(3);
  });

  test('is not seen by others before it is made', async () => {
    const steps = [{ sql: 'DELETE FROM turnos WHERE nro = 1' }, { sql: 'DELETE FROM turnos WHERE nro = 2' }];
    const seen: Promise<unknown[]>[] = [];
    await make({ steps }, {}, [], sourceCall({ observe: () => seen.push(listStates()) }));
    const counts = (await Promise.all(seen)).map((rows) => rows.length);
    expect(counts.slice(0, 3)).toEqual([3, 3, 3]);
    expect(await listStates()).toHaveLength(1);
  });

  test('is made once when twenty want the same slot', async () => {
    const book = (_: unknown, patientId: number) => make({ forEachSlot: [take] }, toValues({ patientId }), slots(1, 2));
    const results = await Promise.all(Array.from({ length: 20 }, book));
    expect(results.filter((each) => !('meaning' in each))).toHaveLength(1);
    expect(results.filter((each) => 'meaning' in each && each.meaning === 'slot_taken')).toHaveLength(19);
  });
});

describe('describing', () => {
  test('tells the columns of a question without asking it', async () => {
    const question = sources.question({
      select: 'SELECT id, nombre AS apellido FROM pacientes',
      conditions: [{ name: 'id', is: '=', column: 'id' }],
    });
    expect(await question.describe?.(sourceCall())).toEqual([
      { sql: 'SELECT id, nombre AS apellido FROM pacientes\nWHERE id = :id', columns: ['id', 'apellido'] },
    ]);
  });

  test('tells which statement of a change the database does not take, and changes nothing', async () => {
    const change = sources.change(
      sqlChange.parse({ steps: [{ sql: 'DELETE FROM turnos' }, { sql: 'DELETE FROM turno' }] }),
    );
    expect(await change.describe?.(sourceCall())).toEqual([
      { sql: 'DELETE FROM turnos', columns: [] },
      { sql: 'DELETE FROM turno', problem: 'no such table: turno' },
    ]);
    expect(await listStates()).toHaveLength(3);
  });
});

describe('opening', () => {
  test('names the file when there is none', async () => {
    const missing = database.parse({ kind: 'sqlite', file: join(folder, 'none.db') });
    await expect(openSources({ system: 'his', database: missing })).rejects.toMatchObject({
      setting: 'database.file',
      problems: [expect.stringContaining('cannot be opened')],
    });
  });

  const openOther = (driver: string, records = 100) => {
    process.env.SOURCES_TEST_URL = 'x://u:p@127.0.0.1/x';
    return openSources({
      system: 'his',
      database: database.parse({ kind: 'other', driver, url: 'env:SOURCES_TEST_URL', records }),
    });
  };

  test('by the example of Oracle names the package that is not installed', async () => {
    await expect(openOther(resolve('examples/database-drivers/oracle.ts'))).rejects.toMatchObject({
      setting: 'database.driver',
      problems: [expect.stringMatching(/opens no database: .*oracledb/)],
    });
  });

  test('by a driver of the institution asks it, and reads what its library gives as texts', async () => {
    const path = join(folder, 'driver.mjs');
    writeFileSync(
      path,
      `export const openDriver = ({ url, readRows }) => ({
        system: 'other_sql',
        marks: { mark: (number) => '@p' + number },
        probe: 'SELECT 1',
        findCode: () => undefined,
        codes: { exists: /X/, refused: /X/, clash: /X/, busy: /X/, slow: /X/ },
        close: async () => undefined,
        connect: async () => ({
          release: () => undefined,
          run: async ({ sql, values }) => ({ changed: 1, rows: readRows(Array.from({ length: values[0] }, () => ({ sql, url, n: 7 }))) }),
        }),
      });`,
    );
    const { question } = await openOther(path);
    const { ask } = question('SELECT :id');
    expect(await ask({ id: [1] }, sourceCall())).toEqual([{ sql: 'SELECT @p1', url: 'x://u:p@127.0.0.1/x', n: '7' }]);
    await expect(ask({ id: [101] }, sourceCall())).rejects.toMatchObject({ kind: 'bad_answer' });
  });

  test.each([
    ['a number that has lost digits', '2 ** 60', 'unsafe_number'],
    ['a Date, which may be of another zone', 'new Date(0)', 'moved_time'],
  ])('by a driver that gives %s fails, and names the column', async (_, value, code) => {
    const path = join(folder, `exact-${code}.mjs`);
    writeFileSync(
      path,
      `export const openDriver = ({ readRows }) => ({
        system: 'other_sql',
        marks: { mark: (number) => '@p' + number },
        probe: 'SELECT 1',
        findCode: () => undefined,
        codes: { exists: /X/, refused: /X/, clash: /X/, busy: /X/, slow: /X/ },
        close: async () => undefined,
        connect: async () => ({ release: () => undefined, run: async () => ({ changed: 1, rows: readRows([{ dni: ${value} }]) }) }),
      });`,
    );
    const { question } = await openOther(path);
    await expect(question('SELECT 1').ask({}, sourceCall())).rejects.toMatchObject({
      kind: 'bad_answer',
      cause: { code },
      at: 'dni',
    });
  });

  test('is reached when it answers', async () => {
    await expect(sources.reach(sourceCall())).resolves.toBeUndefined();
  });
});

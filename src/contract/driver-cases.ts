import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { getCauseCode } from '../http-client/failures.ts';
import { Failure } from '../ports/index.ts';
import { getField, getFields } from '../toolkit/records.ts';
import type { DriverOptions, DriverSubject, OpenedDriver, SendStatement } from './driver-subject.ts';

type Open = (changes?: Partial<DriverOptions>) => Promise<OpenedDriver>;

/** One promise of a driver. */
export interface DriverCase {
  readonly title: string;
  readonly options?: Partial<DriverOptions>;
  /** Why it cannot be tried there. */
  readonly lacks?: (subject: DriverSubject) => string | undefined;
  readonly run: (opened: OpenedDriver, open: Open) => Promise<void>;
}

type DriverKind = keyof OpenedDriver['driver']['codes'];

/** The database refuses it, and the code of its error says this. */
async function refuses({ driver }: OpenedDriver, kind: DriverKind, sent: Promise<unknown>): Promise<void> {
  const error: unknown = await sent.then(
    () => assert.fail(`it was taken, and should have been ${kind}`),
    (thrown: unknown) => thrown,
  );
  if (error instanceof assert.AssertionError) throw error;
  const code = driver.findCode(getFields(error));
  assert.ok(code !== undefined && driver.codes[kind].test(code), `${code ?? String(error)} is not told as ${kind}`);
}

/** It fails as too much for the gateway. */
const isBadAnswer = (code: string, at: string) => (error: unknown) =>
  error instanceof Failure && error.kind === 'bad_answer' && getCauseCode(error) === code && error.at === at;

const values = (rows: readonly object[]) => rows.map((row): unknown[] => Object.values(row));

/** A table of what can be taken once. */
async function createTimes({ name, change, dialect }: OpenedDriver): Promise<string> {
  const table = name();
  await change(`CREATE TABLE ${table} (${dialect.small('agenda')}, ${dialect.short('starts')})`);
  return table;
}
const guarded = (table: string, from = ''): string =>
  `INSERT INTO ${table} (agenda, starts) SELECT 1, 'nine'${from} WHERE NOT EXISTS (SELECT 1 FROM ${table} WHERE agenda = 1 AND starts = 'nine')`;

const digits = Array.from({ length: 10 }, (_, i) => `SELECT ${i} AS d`).join(' UNION ALL ');
/** A million rows. */
const many = `SELECT a.d AS one, b.d AS two FROM ${['a', 'b', 'c', 'd', 'e', 'f'].map((each) => `(${digits}) ${each}`).join(', ')}`;

const lacksEnd = ({ endConnections }: DriverSubject) =>
  endConnections ? undefined : 'the subject has no endConnections';

/** Whatever is left of what the server has ended is told without a code, until a new connection is there. */
async function askUntilWell({ driver, ask }: OpenedDriver): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      await ask(driver.probe);
      return;
    } catch (error) {
      assert.equal(
        driver.findCode(getFields(error)),
        undefined,
        'the end of a connection is told as that of a statement',
      );
      if (tries === 20) throw error;
      await wait(250);
    }
  }
}

const types: readonly DriverCase[] = [
  {
    title: 'each column is the text that the database has, in whatever zone the institution is',
    run: async ({ name, change, dialect }, open) => {
      const table = name();
      const { columns } = dialect;
      await change(`CREATE TABLE ${table} (${columns.map(({ type }, i) => `c${i} ${type}`).join(', ')})`);
      await change(`INSERT INTO ${table} VALUES (${columns.map(({ written }) => written).join(', ')})`);
      for (const timeZone of ['America/Argentina/Buenos_Aires', 'Asia/Kolkata']) {
        const there = await open({ timeZone });
        const { rows } = await there.ask(`SELECT * FROM ${table}`);
        const read = Object.values(rows[0] ?? {}).map((value, i) => `${columns[i]?.type}: ${value}`);
        assert.deepEqual(
          read,
          columns.map((each) => `${each.type}: ${each.read}`),
        );
      }
    },
  },
  {
    title: 'a whole number of 64 bits keeps all its digits, written, compared and read',
    run: async ({ name, change, ask, dialect }) => {
      const table = name();
      await change(`CREATE TABLE ${table} (${dialect.large('id')}, ${dialect.short('who')})`);
      for (const id of ['9007199254740992', '9007199254740993'])
        await change(`INSERT INTO ${table} VALUES (?, ?)`, id, id.slice(-2));
      const { rows } = await ask(`SELECT id, who FROM ${table} WHERE id = ?`, '9007199254740993');
      assert.deepEqual(values(rows), [['9007199254740993', '93']]);
    },
  },
  {
    title: 'a decimal of 23 digits is exact, or refused with the name of its column',
    lacks: ({ dialect }) => (dialect.decimal ? undefined : 'it has no such decimals'),
    run: async ({ name, change, ask, dialect }) => {
      const table = name();
      await change(`CREATE TABLE ${table} (${dialect.decimal?.('amount')})`);
      await change(`INSERT INTO ${table} VALUES (12345678901234567890123)`);
      const read = await ask(`SELECT amount FROM ${table}`).catch((error: Error) => error);
      if (read instanceof Error) assert.ok(isBadAnswer('unsafe_number', 'amount')(read), String(read));
      else assert.deepEqual(values(read.rows), [['12345678901234567890123']]);
    },
  },
  {
    title: 'texts are what they were, whatever is in them',
    run: async ({ name, change, ask, dialect }) => {
      const table = name();
      await change(`CREATE TABLE ${table} (${dialect.short('who')})`);
      const texts = ["O'Brien", 'Muñoz', 'a"b`c', '50%_\\x', '-- x', ':name', '', '$1 @p1 ?'];
      for (const text of texts) await change(`INSERT INTO ${table} VALUES (?)`, text);
      for (const text of texts.filter(Boolean)) {
        const { rows } = await ask(`SELECT who FROM ${table} WHERE who = ?`, text);
        assert.deepEqual(values(rows), [[text]]);
      }
      assert.equal((await ask(`SELECT who FROM ${table}`)).rows.length, texts.length);
    },
  },
  {
    title: 'what a column cannot hold is refused, and neither cut nor clamped',
    run: async (opened) => {
      const { name, change, ask, dialect } = opened;
      const table = name();
      await change(`CREATE TABLE ${table} (${dialect.short('who')}, ${dialect.small('document')})`);
      await change(`INSERT INTO ${table} VALUES ('Paz', 31465466)`);
      await refuses(opened, 'refused', change(`UPDATE ${table} SET who = ?`, 'Fernández de la Torre'));
      await refuses(opened, 'refused', change(`INSERT INTO ${table} VALUES ('Gil', ?)`, '4000000001'));
      assert.deepEqual(values((await ask(`SELECT who, document FROM ${table}`)).rows), [['Paz', '31465466']]);
    },
  },
  {
    title: 'what cannot be in a column finds nothing, or is named as the value that cannot be',
    run: async ({ driver, name, change, ask, dialect }) => {
      const table = name();
      await change(`CREATE TABLE ${table} (${dialect.small('id')}, ${dialect.large('big')})`);
      await change(`INSERT INTO ${table} VALUES (1, 1)`);
      for (const [column, value] of [
        ['id', '2147483648'],
        ['id', 'AAB123'],
        ['big', 'AAB123'],
        ['big', '99999999999999999999'],
      ] as const) {
        const sql = `SELECT id FROM ${table} WHERE 'x' = ? AND ${column} IN (?, ?)`;
        const found = await ask(sql, 'x', '1', value).catch((error: Error) => error);
        if (!(found instanceof Error)) assert.deepEqual(values(found.rows), [['1']]);
        else assert.equal(driver.findNoValue?.(found), 3, `${value} of ${column}: ${found.message}`);
      }
    },
  },
];

const changes: readonly DriverCase[] = [
  {
    title: 'a row that is there already exists, and one without what it must have is refused',
    run: async (opened) => {
      const { name, change, dialect } = opened;
      const table = name();
      await change(`CREATE TABLE ${table} (${dialect.small('id')} NOT NULL UNIQUE, ${dialect.short('who')} NOT NULL)`);
      await change(`INSERT INTO ${table} VALUES (1, 'Ana')`);
      await refuses(opened, 'exists', change(`INSERT INTO ${table} VALUES (1, 'Eva')`));
      await refuses(opened, 'refused', change(`INSERT INTO ${table} VALUES (2, ?)`, null));
    },
  },
  {
    title: 'the statement after one that was refused is well, on the same connection and with the same text',
    options: { connections: 1 },
    run: async (opened) => {
      const { name, change, ask, transact, dialect } = opened;
      const table = name();
      await change(`CREATE TABLE ${table} (id ${dialect.numbered}, ${dialect.short('who')} NOT NULL UNIQUE)`);
      const insert = `INSERT INTO ${table} (who) VALUES (?)${dialect.returning ?? ''}`;
      const make = (who: string) =>
        transact(async (send) => {
          const { rows, id } = await send(insert, who);
          return String(Object.values(rows[0] ?? { id })[0]);
        });
      const first = await make('Ana');
      for (const who of ['Ana', 'Ana']) await refuses(opened, 'exists', make(who));
      const second = await make('Eva');
      const { rows } = await ask(`SELECT id, who FROM ${table} ORDER BY who`);
      assert.deepEqual(values(rows), [
        [first, 'Ana'],
        [second, 'Eva'],
      ]);
    },
  },
  {
    title: 'a change counts the rows that it changed itself',
    run: async ({ name, change, dialect }) => {
      const table = name();
      await change(`CREATE TABLE ${table} (${dialect.small('id')}, ${dialect.short('who')})`);
      for (const id of ['1', '2', '3']) await change(`INSERT INTO ${table} VALUES (?, 'x')`, id);
      const count = async (where: string) =>
        (await change(`UPDATE ${table} SET who = 'y${where.length}' ${where}`)).changed;
      assert.deepEqual(
        [await count('WHERE id = 1'), await count('WHERE id > 1'), await count('WHERE id > 10')],
        [1, 2, 0],
      );
      assert.equal((await change(`DELETE FROM ${table} WHERE id = 3`)).changed, 1);
    },
  },
  {
    title: 'a row with a trigger that writes three others counts one',
    lacks: ({ dialect }) => (dialect.trigger ? undefined : 'the subject has no trigger'),
    run: async ({ name, change, ask, dialect }) => {
      const [table, log] = [name(), name()];
      for (const each of [log, table])
        await change(`CREATE TABLE ${each} (${dialect.small('id')}, ${dialect.short('who')})`);
      for (const sql of dialect.trigger?.(table, log) ?? []) await change(sql);
      await change(`INSERT INTO ${table} VALUES (1, 'Ana')`);
      assert.equal((await change(`UPDATE ${table} SET who = 'Eva' WHERE id = 1`)).changed, 1);
      assert.equal((await ask(`SELECT id FROM ${log}`)).rows.length, 3);
    },
  },
  {
    title: 'what is undone is not there, and nobody else sees it before it is committed',
    run: async (opened) => {
      const { name, change, use, driver, ask, transact, dialect } = opened;
      const table = name();
      await change(`CREATE TABLE ${table} (${dialect.small('id')})`);
      const insert = (send: SendStatement) => send(`INSERT INTO ${table} VALUES (?)`, '1');
      await use('write', async (send) => {
        if (driver.begin) await send(driver.begin);
        await insert(send);
        await send('ROLLBACK');
      });
      assert.deepEqual((await ask(`SELECT id FROM ${table}`)).rows, []);
      await transact(insert);
      assert.deepEqual(values((await ask(`SELECT id FROM ${table}`)).rows), [['1']]);
    },
  },
  {
    title: 'of two connections that make one change under a condition, one makes it, twenty times',
    run: async (opened) => {
      const { transact, change, ask, dialect } = opened;
      const table = await createTimes(opened);
      for (let round = 0; round < 20; round++) {
        const book = () => transact(async (send) => (await send(guarded(table, dialect.from))).changed);
        const made = await Promise.all([book(), book()]);
        assert.deepEqual(made.toSorted(), [0, 1]);
        assert.equal((await ask(`SELECT agenda FROM ${table}`)).rows.length, 1);
        await change(`DELETE FROM ${table}`);
      }
    },
  },
];

const connections: readonly DriverCase[] = [
  {
    title: 'no more connections are lent than there may be',
    options: { connections: 2 },
    lacks: ({ endConnections }) => (endConnections ? undefined : 'nothing is reached over connections there'),
    run: async ({ driver }) => {
      const lent = [await driver.connect('read'), await driver.connect('write')];
      let isLent = false;
      const third = driver.connect('read').then((connection) => {
        isLent = true;
        return connection;
      });
      await wait(300);
      assert.equal(isLent, false);
      for (const each of lent) each.release(false);
      (await third).release(false);
    },
  },
  {
    title: 'connections that the server ends while nobody uses them are replaced',
    lacks: lacksEnd,
    run: async (opened) => {
      const { driver, end } = opened;
      const lent = await Promise.all(Array.from({ length: 3 }, () => driver.connect('read')));
      for (const each of lent) {
        await each.run({ sql: driver.probe, values: [] });
        each.release(false);
      }
      await end?.();
      await wait(300);
      await askUntilWell(opened);
    },
  },
  {
    title: 'a connection that ends in a transaction is told without a code, leaves nothing, and is replaced',
    lacks: lacksEnd,
    run: async (opened) => {
      const { driver, name, change, ask, dialect, end } = opened;
      const table = name();
      await change(`CREATE TABLE ${table} (${dialect.small('id')})`);
      const connection = await driver.connect('write');
      const send = (sql: string) => connection.run({ sql, values: [] });
      if (driver.begin) await send(driver.begin);
      await send(`INSERT INTO ${table} VALUES (1)`);
      await end?.();
      await wait(300);
      const error: unknown = await send('COMMIT').then(
        () => assert.fail('it was committed'),
        (thrown: unknown) => thrown,
      );
      connection.release(true);
      assert.equal(driver.findCode(getFields(error)), undefined, String(getField(error, 'message')));
      await askUntilWell(opened);
      assert.deepEqual((await ask(`SELECT id FROM ${table}`)).rows, []);
    },
  },
  {
    title: 'more rows than there may be are refused three times, and the next question is answered',
    options: { connections: 1 },
    run: async ({ ask, driver }) => {
      for (let i = 0; i < 3; i++) await assert.rejects(ask(many), isBadAnswer('TOO_LARGE', 'records'));
      await ask(driver.probe);
    },
  },
  {
    title: 'a statement that takes too long is ended, and the next question is answered',
    options: { timeout: 2_000, connections: 1 },
    lacks: ({ dialect }) => (dialect.slow === undefined ? 'nothing ends a statement there' : undefined),
    run: async ({ driver, ask, dialect }) => {
      const error: unknown = await ask(dialect.slow ?? '').then(
        () => assert.fail('it was answered'),
        (thrown: unknown) => thrown,
      );
      const code = driver.findCode(getFields(error));
      assert.ok(code === undefined || driver.codes.slow.test(code), `${code} is not told as slow`);
      // There is one connection, which a statement that goes on would keep.
      await ask(driver.probe);
    },
  },
  {
    title: 'a statement is described without being run, and one that is wrong has a code',
    run: async (opened) => {
      const { driver, name, change, ask, use, dialect } = opened;
      const table = name();
      await change(`CREATE TABLE ${table} (${dialect.small('id')}, ${dialect.short('who')})`);
      await change(`INSERT INTO ${table} VALUES (1, 'Ana')`);
      const describe = (sql: string) => use('read', async (_, { describe: look }) => look?.(sql));
      const mark = driver.marks.mark(1);
      const columns = await describe(`SELECT id, who AS name FROM ${table} WHERE id = ${mark}`);
      if (columns === undefined) return;
      assert.deepEqual([...columns], ['id', 'name']);
      assert.equal((await describe(`DELETE FROM ${table} WHERE id = ${mark}`))?.length, 0);
      assert.equal((await ask(`SELECT id FROM ${table}`)).rows.length, 1);
      const error: unknown = await describe(`SELECT nothing FROM ${table}`).then(
        () => assert.fail('it was taken'),
        (thrown: unknown) => thrown,
      );
      assert.notEqual(driver.findCode(getFields(error)), undefined);
    },
  },
];

/** What every driver promises. */
export const driverCases: readonly DriverCase[] = [...types, ...changes, ...connections];

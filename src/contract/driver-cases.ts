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
  /** The reason why the case cannot run on this subject. */
  readonly lacks?: (subject: DriverSubject) => string | undefined;
  readonly run: (opened: OpenedDriver, open: Open) => Promise<void>;
}

type DriverKind = keyof OpenedDriver['driver']['codes'];

/** Asserts that the database refuses the statement, with an error code of this kind. */
async function refuses({ driver }: OpenedDriver, kind: DriverKind, sent: Promise<unknown>): Promise<void> {
  const error: unknown = await sent.then(
    () => assert.fail(`the database accepted it, and should have answered ${kind}`),
    (thrown: unknown) => thrown,
  );
  if (error instanceof assert.AssertionError) throw error;
  const code = driver.findCode(getFields(error));
  assert.ok(
    code !== undefined && driver.codes[kind].test(code),
    `the code ${code ?? String(error)} is not one of ${kind}`,
  );
}

/** True if the driver rejects the value as too large for the gateway. */
const isBadAnswer = (code: string, at: string) => (error: unknown) =>
  error instanceof Failure && error.kind === 'bad_answer' && getCauseCode(error) === code && error.at === at;

const values = (rows: readonly object[]) => rows.map((row): unknown[] => Object.values(row));

/** Creates a table of times that can be taken once. */
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

/** Sends the probe until a new connection exists. Errors of an ended connection must have no code. */
async function askUntilWell({ driver, ask }: OpenedDriver): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      await ask(driver.probe);
      return;
    } catch (error) {
      assert.equal(
        driver.findCode(getFields(error)),
        undefined,
        'the error of an ended connection has the code of a statement',
      );
      if (tries === 20) throw error;
      await wait(250);
    }
  }
}

const types: readonly DriverCase[] = [
  {
    title: 'each column is the text that the database has, in any zone of the institution',
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
    title: 'a whole number of 64 bits keeps all its digits when written, compared and read',
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
    title: 'a decimal of 23 digits is exact, or is refused with the name of its column',
    lacks: ({ dialect }) => (dialect.decimal ? undefined : 'the database has no such decimals'),
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
    title: 'texts keep every character',
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
    title: 'a value that a column cannot hold is refused, and neither cut nor clamped',
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
    title: 'a value that a column cannot hold finds no row, or the error names its position',
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
    title: 'a duplicate row answers exists, and a row without a required value is refused',
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
    title: 'the statement after a refused one succeeds, on the same connection and with the same text',
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
    title: 'a change counts only the rows that the statement itself changed',
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
    title: 'a change of a row whose trigger writes three other rows counts one',
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
    title: 'a change that was rolled back does not exist, and others see a change only after the commit',
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
    title: 'of two connections that make one change under a condition, exactly one makes it, twenty times in a row',
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
    title: 'the pool lends at most its configured number of connections',
    options: { connections: 2 },
    lacks: ({ endConnections }) => (endConnections ? undefined : 'the driver opens no connections to the database'),
    run: async ({ driver }) => {
      const lent = [await driver.connect('read'), await driver.connect('write')];
      let isLent = false;
      const third = driver.connect('read').then((connection) => {
        isLent = true;
        return connection;
      });
      await wait(300);
      assert.equal(isLent, false, 'a connection is still lent');
      for (const each of lent) each.release(false);
      (await third).release(false);
    },
  },
  {
    title: 'idle connections that the server ends are replaced',
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
    title: 'a connection that ends in a transaction has an error without a code, leaves no change, and is replaced',
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
        () => assert.fail('the change was committed'),
        (thrown: unknown) => thrown,
      );
      connection.release(true);
      assert.equal(driver.findCode(getFields(error)), undefined, String(getField(error, 'message')));
      await askUntilWell(opened);
      assert.deepEqual((await ask(`SELECT id FROM ${table}`)).rows, []);
    },
  },
  {
    title: 'more rows than the limit are refused three times, and the next question is answered',
    options: { connections: 1 },
    run: async ({ ask, driver }) => {
      for (let i = 0; i < 3; i++) await assert.rejects(ask(many), isBadAnswer('TOO_LARGE', 'records'));
      await ask(driver.probe);
    },
  },
  {
    title: 'a statement that takes too long is canceled, and the next question is answered',
    options: { timeout: 2_000, connections: 1 },
    lacks: ({ dialect }) => (dialect.slow === undefined ? 'the database cancels no statement' : undefined),
    run: async ({ driver, ask, dialect }) => {
      const error: unknown = await ask(dialect.slow ?? '').then(
        () => assert.fail('the statement was answered'),
        (thrown: unknown) => thrown,
      );
      const code = driver.findCode(getFields(error));
      assert.ok(code === undefined || driver.codes.slow.test(code), `the code ${code} is not one of slow`);
      // A statement that still runs would occupy the only connection.
      await ask(driver.probe);
    },
  },
  {
    title: 'a statement is described without being run, and a wrong one has an error code',
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
        () => assert.fail('the database accepted it'),
        (thrown: unknown) => thrown,
      );
      assert.notEqual(driver.findCode(getFields(error)), undefined);
    },
  },
];

/** The promises of every driver. */
export const driverCases: readonly DriverCase[] = [...types, ...changes, ...connections];

import { randomBytes } from 'node:crypto';
import type { DatabaseDriver } from '../../adapters/common/sql-driver.ts';
import { toRows } from '../../adapters/common/sql-rows.ts';
import { getFields } from '../toolkit/records.ts';
import { skipTest, type Test } from './describe.ts';
import { driverCases } from './driver-cases.ts';
import type { DriverOptions, DriverSubject, OpenedDriver, SendStatement } from './driver-subject.ts';

const defaults = { timeout: 5_000, connections: 4, records: 100 };
const MOST_TRIES = 20;

function createOpened(
  driver: DatabaseDriver,
  { dialect, endConnections }: DriverSubject,
  tables: string[],
): OpenedDriver {
  const use: OpenedDriver['use'] = async (purpose, work) => {
    const connection = await driver.connect(purpose);
    const send: SendStatement = (sql, ...values) => {
      let number = 0;
      return connection.run({ sql: sql.replaceAll('?', () => driver.marks.mark(++number)), values });
    };
    let isBroken = false;
    try {
      return await work(send, connection);
    } catch (error) {
      isBroken = driver.findCode(getFields(error)) === undefined;
      throw error;
    } finally {
      connection.release(isBroken);
    }
  };
  const attempt = <T>(work: (send: SendStatement) => Promise<T>) =>
    use('write', async (send) => {
      if (driver.begin) await send(driver.begin);
      try {
        const result = await work(send);
        await send('COMMIT');
        return result;
      } catch (error) {
        await send('ROLLBACK').catch(() => undefined);
        throw error;
      }
    });
  const transact = async <T>(work: (send: SendStatement) => Promise<T>, tries = MOST_TRIES): Promise<T> => {
    try {
      return await attempt(work);
    } catch (error) {
      if (tries === 0 || !driver.codes.clash.test(driver.findCode(getFields(error)) ?? '')) throw error;
      return transact(work, tries - 1);
    }
  };
  return {
    driver,
    dialect,
    use,
    transact,
    name: () => {
      const name = `puente_driver_${randomBytes(6).toString('hex')}`;
      tables.push(name);
      return name;
    },
    change: (sql, ...values) => use('write', (send) => send(sql, ...values)),
    ask: (sql, ...values) => use('read', (send) => send(sql, ...values)),
    end: endConnections,
  };
}

/**
 * Creates a test for each promise of a driver of the mapping adapter: types, zones, large numbers, texts that exceed
 * their column, guards and transactions. Further tests cover ended connections, and the limits of rows and time. Run it
 * unchanged behind a pooler.
 * @param start opens a database. The suite drops the tables that it creates there.
 * @param name the prefix of the titles.
 */
export function describeDriver(test: Test, start: () => DriverSubject | Promise<DriverSubject>, name: string): void {
  for (const { title, options, lacks, run } of driverCases) {
    test(`${name}: ${title}`, async (...[context]) => {
      const subject = await start();
      const reason = lacks?.(subject);
      if (reason !== undefined) {
        if (!skipTest(context, reason)) process.stdout.write(`${name}: ${title}: skipped: ${reason}\n`);
        return;
      }
      const tables: string[] = [];
      const opened: DatabaseDriver[] = [];
      const open = async (changes: Partial<DriverOptions> = {}) => {
        const given = { ...defaults, ...options, ...changes };
        const driver = await subject.open({ ...given, readRows: (rows) => toRows(rows, given) });
        opened.push(driver);
        return createOpened(driver, subject, tables);
      };
      try {
        await run(await open(), open);
      } finally {
        const { change } = await open();
        for (const table of tables.toReversed()) await change(`DROP TABLE ${table}`).catch(() => undefined);
        await Promise.all(opened.map((each) => each.close()));
      }
    });
  }
}

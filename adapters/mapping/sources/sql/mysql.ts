import { createPool, type PoolConnection, type ResultSetHeader, type RowDataPacket } from 'mysql2/promise';
import { Zone } from '../../../../src/toolkit/zone.ts';
import type { DatabaseConnection, DatabaseDriver, DatabaseDriverOptions } from '../../../common/sql-driver.ts';
import { formatOffset } from '../../formats/date-pattern.ts';
import { readVerb } from './driver.ts';
import { readTls } from './tls.ts';

const BIT = 16;

/** The milliseconds by which Puente waits longer than the server's limit. */
const SLACK = 500;

/**
 * Closes the connection and fails when the server is silent for too long. The limit of the library would leave the
 * statement in front of all later ones, and does not apply to its preparation.
 */
function limitSilence<T>(connection: PoolConnection, timeout: number, answer: Promise<T>): Promise<T> {
  const silence = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    connection.destroy();
    silence.reject(Object.assign(new Error('the server does not answer'), { code: 'PROTOCOL_SEQUENCE_TIMEOUT' }));
  }, timeout + SLACK);
  return Promise.race([answer, silence.promise]).finally(() => clearTimeout(timer));
}

/** MySQL, or MariaDB. @throws SettingsProblem if the address is invalid. */
export function openMysql(options: DatabaseDriverOptions): DatabaseDriver {
  const { url, timeout, connections } = options;
  const { address, tls } = readTls(url, 'mysql');
  const pool = createPool({
    uri: address,
    ...(tls && { ssl: { ...tls, verifyIdentity: tls.rejectUnauthorized } }),
    connectionLimit: connections,
    connectTimeout: timeout,
    // Returns times as stored, and integers with all their digits.
    dateStrings: true,
    jsonStrings: true,
    supportBigNumbers: true,
    bigNumberStrings: true,
  });
  const known = new WeakSet<object>();
  return {
    system: 'mysql',
    marks: { mark: () => '?', isPositional: true },
    begin: 'START TRANSACTION',
    lasting: "SELECT 1 FROM information_schema.tables WHERE table_schema = database() AND engine <> 'InnoDB'",
    probe: 'SELECT 1',
    connect: async () => {
      const connection = await pool.getConnection();
      if (known.has(connection.connection)) return createConnection(connection, options);
      try {
        await limitSilence(connection, timeout, setSession(connection, options));
      } catch (error) {
        connection.destroy();
        throw error;
      }
      known.add(connection.connection);
      return createConnection(connection, options);
    },
    // Errors without a number, and the end of a connection or of the server.
    findCode: ({ errno, fatal }: { errno?: number; fatal?: boolean }) =>
      errno && errno > 0 && !fatal && ![1053, 1317, 1927].includes(errno) ? `MYSQL_${errno}` : undefined,
    codes: {
      exists: /_(1062|1586)$/,
      refused: /_(1048|1216|1217|1264|1292|1366|1406|1451|1452|1644|3819|4025)$/,
      // MariaDB reports the victim of a deadlock over an AUTO_INCREMENT counter as 1467.
      clash: /_(1213|1467)$/,
      busy: /_(1040|1203|1205|3572)$/,
      slow: /_(1969|3024)$/,
    },
    close: () => pool.end(),
  };
}

/**
 * Sets the session options that Puente needs, and verifies them.
 * @throws an error without a number if the server does not apply them.
 */
async function setSession(
  connection: PoolConnection,
  { timeout, records, timeZone }: DatabaseDriverOptions,
): Promise<void> {
  const wait = Math.max(1, Math.floor(timeout / 2000));
  // The driver reads all rows before it returns one. Without the strict mode, the server truncates texts and clamps
  // numbers.
  await connection.query(
    `SET SESSION innodb_lock_wait_timeout = ${wait}, SESSION sql_select_limit = ${records + 1},
      SESSION sql_mode = concat(@@sql_mode, ',STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION')`,
  );
  await connection.query('SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE');
  // In seconds for MariaDB, and in milliseconds for MySQL from 5.7 on. With an older MySQL, the driver's limit applies.
  for (const limit of [`max_statement_time = ${timeout / 1000}`, `max_execution_time = ${timeout}`])
    await connection.query(`SET SESSION ${limit}`).catch(() => undefined);
  if (timeZone !== undefined) await setZone(connection, timeZone);
  const [rows] = await connection.query<RowDataPacket[]>(
    "SHOW SESSION VARIABLES WHERE variable_name IN ('sql_mode', 'tx_isolation', 'transaction_isolation')",
  );
  const values = rows.map(({ Value }) => String(Value));
  const isSet = ['STRICT_ALL_TABLES', 'SERIALIZABLE'].every((each) => values.some((value) => value.includes(each)));
  if (!isSet)
    throw Object.assign(new Error('the server does not apply the session options'), { code: 'SESSION_NOT_SET' });
}

/**
 * Sets the zone of TIMESTAMP columns. A server without the zone's data keeps its own zone if the local time there is
 * the same.
 */
async function setZone(connection: PoolConnection, name: string): Promise<void> {
  try {
    await connection.query(`SET SESSION time_zone = '${name}'`);
  } catch {
    const now = new Date().toISOString();
    const offset = Math.round((Date.parse(`${new Zone(name).toLocalTime(now)}Z`) - Date.parse(now)) / 60_000);
    const [[own]] = await connection.query<RowDataPacket[]>(
      'SELECT timestampdiff(MINUTE, utc_timestamp(), now()) AS zone',
    );
    if (Number(own?.zone) !== offset) await connection.query(`SET SESSION time_zone = '${formatOffset(offset)}'`);
  }
}

/**
 * Converts numbers to texts. MySQL compares a number with a text column row by row, without the index. It converts a
 * text once for a numeric column.
 */
const toText = (value: string | number | null): string | null => (value === null ? value : String(value));

/** An upsert and a REPLACE count an existing row twice. */
function countRows(sql: string, { affectedRows, info }: ResultSetHeader): number {
  if (!/^(INSERT|REPLACE)$/.test(readVerb(sql))) return affectedRows;
  return Math.min(affectedRows, Number(/Records: (\d+)/.exec(info)?.[1] ?? 1));
}

type Rows = RowDataPacket[];
/** A procedure returns several lists of rows. */
type Result = Rows | Rows[] | ResultSetHeader;
const isLists = (rows: Rows | Rows[]): rows is Rows[] => Array.isArray(rows[0]);

function createConnection(
  connection: PoolConnection,
  { timeout, readRows }: DatabaseDriverOptions,
): DatabaseConnection {
  return {
    run: async ({ sql, values }) => {
      // MySQL cannot prepare START TRANSACTION.
      const sent =
        values.length > 0 ? connection.execute<Result>(sql, values.map(toText)) : connection.query<Result>(sql);
      const [given, fields] = await limitSilence(connection, timeout, sent);
      if (!Array.isArray(given)) {
        const id = String(given.insertId);
        // A table without AUTO_INCREMENT has 0.
        return { rows: [], changed: countRows(sql, given), ...(id !== '0' && { id }) };
      }
      const [rows = []] = isLists(given) ? given : [given];
      const bits = fields.flat().filter((column) => column?.columnType === BIT);
      for (const { name } of bits) {
        for (const row of rows) {
          const value: unknown = row[name];
          if (Buffer.isBuffer(value)) row[name] = BigInt(`0x${value.toString('hex')}`);
        }
      }
      return { rows: readRows(rows), changed: isLists(given) ? 0 : rows.length };
    },
    describe: async (sql) => {
      // The library's type omits the columns. `unprepare` also empties the cache, which closing the statement does not.
      const prepared: unknown = await limitSilence(connection, timeout, connection.prepare(sql));
      connection.unprepare(sql);
      const { statement } = prepared as {
        readonly statement: { readonly columns: readonly { readonly name: string }[] };
      };
      return statement.columns.map(({ name }) => name);
    },
    release: (isBroken) => (isBroken ? connection.destroy() : connection.release()),
  };
}

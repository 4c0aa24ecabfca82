import {
  createPool,
  type PoolConnection,
  type PreparedStatementInfo,
  type ResultSetHeader,
  type RowDataPacket,
} from 'mysql2/promise';
import type { Connection, Driver, DriverOptions } from '../../../common/sql-driver.ts';

interface Described {
  readonly statement: { readonly columns: readonly { readonly name: string }[] };
}

/** MySQL, or MariaDB. */
export function openMysql({ url, timeout, connections, records, readRows }: DriverOptions): Driver {
  const pool = createPool({
    uri: url,
    connectionLimit: connections,
    connectTimeout: timeout,
    // Times as they stand in the database, whole numbers with all their digits.
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
      if (!known.has(connection.connection)) {
        const wait = Math.max(1, Math.floor(timeout / 2000));
        // The driver reads all rows before it gives one.
        await connection.query(
          `SET SESSION innodb_lock_wait_timeout = ${wait}, SESSION sql_select_limit = ${records + 1}`,
        );
        await connection.query('SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE');
        known.add(connection.connection);
      }
      return createConnection(connection, timeout, readRows);
    },
    // Errors without a number, and the end of a connection or of the server.
    findCode: ({ errno, fatal }: { errno?: number; fatal?: boolean }) =>
      errno && errno > 0 && !fatal && ![1053, 1317, 1927].includes(errno) ? `MYSQL_${errno}` : undefined,
    codes: {
      exists: /_(1062|1586)$/,
      refused: /_(1048|1216|1217|1264|1292|1366|1406|1451|1452|1644|3819|4025)$/,
      clash: /_1213$/,
      busy: /_(1040|1203|1205|1969|3024|3572)$/,
    },
    close: () => pool.end(),
  };
}

function createConnection(
  connection: PoolConnection,
  timeout: number,
  readRows: DriverOptions['readRows'],
): Connection {
  return {
    run: async ({ sql, values }) => {
      const [result] = await connection.execute<RowDataPacket[] | ResultSetHeader>({ sql, timeout }, [...values]);
      if (Array.isArray(result)) return { rows: readRows(result), changed: result.length };
      return { rows: [], changed: result.affectedRows, id: String(result.insertId) };
    },
    describe: async (sql) => {
      // Their types leave out what the server said of it.
      const prepared = (await connection.prepare(sql)) as PreparedStatementInfo & Described;
      await prepared.close();
      return prepared.statement.columns.map(({ name }) => name);
    },
    release: (isBroken) => (isBroken ? connection.destroy() : connection.release()),
  };
}

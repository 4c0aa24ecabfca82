import { type PoolClient, Query } from 'pg';
import { createPool, isRefusal } from '../../../../src/toolkit/database/postgres.ts';
import type { Connection, Driver, DriverOptions, Outcome } from '../../../common/sql-driver.ts';
import { Rows } from './driver.ts';

const BOOLEAN = 16;
const toBoolean = (text: string): string => (text === 't' ? 'true' : 'false');
/** Everything is the text that the server writes, so that no time is moved to another zone. */
const types = { getTypeParser: (oid: number) => (oid === BOOLEAN ? toBoolean : (text: string) => text) };

/** PostgreSQL. */
export function openPostgres({ url, timeout, connections, records }: DriverOptions): Driver {
  const pool = createPool(url, timeout, {
    max: connections,
    connectionTimeoutMillis: timeout,
    lock_timeout: Math.ceil(timeout / 2),
  });
  return {
    system: 'postgresql',
    pool,
    marks: { mark: (number) => `$${number}` },
    begin: 'BEGIN ISOLATION LEVEL SERIALIZABLE',
    probe: 'SELECT 1',
    connect: async () => createConnection(await pool.connect(), records),
    findCode: (error) => (isRefusal(error) ? `PG_${Reflect.get(error, 'code')}` : undefined),
    codes: { exists: /_23505$/, refused: /_2[23]/, clash: /_40(001|P01)$/, busy: /_(55P03|57014|53300)$/ },
    close: () => pool.end(),
  };
}

function createConnection(client: PoolClient, records: number): Connection {
  return {
    run: ({ sql, values }) =>
      new Promise<Outcome>((resolve, reject) => {
        const rows = new Rows(records);
        const query = new Query({ text: sql, values: [...values], types }, (error, result) =>
          error ? reject(error) : resolve({ rows: rows.all, changed: result.rowCount ?? 0 }),
        );
        query.on('row', (row: Record<string, unknown>) => {
          try {
            rows.add(row);
          } catch (error) {
            // The connection is put away, with the rows that would still come.
            query.removeAllListeners('row');
            reject(error);
          }
        });
        client.query(query);
      }),
    describe: (sql) =>
      new Promise((resolve, reject) => {
        const query = new Query(sql, (error, { fields } = { fields: [] } as never) =>
          error ? reject(error) : resolve(fields.map(({ name }) => name)),
        );
        // Parse and Describe of the protocol, without Bind and Execute.
        query.submit = (connection) => {
          connection.parse({ name: '', text: sql, types: [] }, true);
          connection.describe({ type: 'S', name: '' }, true);
          connection.sync();
        };
        client.query(query);
      }),
    release: (isBroken) => client.release(isBroken),
  };
}

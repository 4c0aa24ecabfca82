import { Client, type Pool, type PoolClient, types as parsers, Query } from 'pg';
import { describeDatabaseCode } from '../../../../src/database/database.ts';
import {
  addSettings,
  createPool,
  findRefusedParameter,
  formatBegin,
  isRefusal,
  limitTo,
  pickLast,
  type TransactionSettings,
} from '../../../../src/database/postgres.ts';
import { readAddressCertificates } from '../../../../src/toolkit/certificates.ts';
import { getErrorCode } from '../../../../src/toolkit/failures.ts';
import { SettingsProblem } from '../../../../src/toolkit/problems.ts';
import { getField } from '../../../../src/toolkit/records.ts';
import type {
  DatabaseConnection,
  DatabaseDriver,
  DatabaseDriverOptions,
  StatementOutcome,
} from '../../../common/sql-driver.ts';
import { createRows } from '../../../common/sql-rows.ts';
import { createAddressProblem } from './tls.ts';

const BOOLEAN = 16;
const toBoolean = (text: string): string => (text === 't' ? 'true' : 'false');
const keep = (text: string): string => text;
/**
 * All values are the server's texts, so that no time moves to another zone. Bytes and lists of texts are exceptions.
 */
const types = {
  getTypeParser: (oid: number) =>
    oid === BOOLEAN
      ? toBoolean
      : [17, 1009, 1015].includes(oid)
        ? (parsers.getTypeParser(oid) as (text: string) => unknown)
        : keep,
};

/** The library would report the same problems for each connection. @throws SettingsProblem */
function requireAddress(url: string): void {
  readAddressCertificates(url, 'database.url');
  try {
    void new Client({ connectionString: url });
  } catch {
    throw createAddressProblem('postgres');
  }
}

/**
 * Opens PostgreSQL.
 * @throws SettingsProblem if the address is invalid, or a pooler does not accept a parameter of it.
 */
export async function openPostgres(options: DatabaseDriverOptions): Promise<DatabaseDriver> {
  const { url, timeZone, timeout, connections } = options;
  requireAddress(url);
  const pool = createPool(url, timeout, {
    max: connections,
    connectionTimeoutMillis: timeout,
  });
  const settings = {
    ...limitTo(timeout),
    lock_timeout: Math.ceil(timeout / 2),
    // The zone of local times that are compared with a column with a zone.
    ...(timeZone !== undefined && { TimeZone: timeZone }),
  };
  const begin = formatBegin(settings, ' ISOLATION LEVEL SERIALIZABLE');
  const known = new WeakSet<PoolClient>();
  const connect = async (): Promise<PoolClient> => {
    const client = await pool.connect();
    if (known.has(client)) return client;
    try {
      await requireSession(client, begin, { ...settings, transaction_isolation: 'serializable' });
    } catch (error) {
      client.release(true);
      throw error;
    }
    known.add(client);
    return client;
  };
  if (hasParameters(url)) await requireParameters(pool);
  return {
    system: 'postgresql',
    pool,
    marks: { mark: (number) => `$${number}` },
    begin,
    optimism: { sql: 'SHOW transaction_isolation', answer: /^serializable$/ },
    probe: 'SELECT 1',
    // A change begins its own transaction.
    connect: async (purpose) => createConnection(await connect(), options, purpose === 'read' ? settings : undefined),
    findCode: (error) => (isRefusal(error) ? `PG_${getErrorCode(error)}` : undefined),
    codes: { exists: /_23505$/, refused: /_2[23]/, clash: /_40(001|P01)$/, busy: /_(55P03|53300)$/, slow: /_57014$/ },
    // Only errors about a parameter: a column that cannot be converted is not a fault of the value.
    findNoValue: ({ code = '', where = '' }: { code?: string; where?: string }) =>
      code.startsWith('22') ? Number(/\$(\d+)/.exec(where)?.[1] ?? 0) : 0,
    close: () => pool.end(),
  };
}

/** True if an address has parameters for the server, not for the driver. */
const hasParameters = (url: string): boolean =>
  URL.canParse(url) && [...new URL(url).searchParams.keys()].some((name) => !/^(ssl|host|port)/.test(name));

/** Does not fail if the server is unreachable now. @throws SettingsProblem */
async function requireParameters(pool: Pool): Promise<void> {
  try {
    (await pool.connect()).release();
  } catch (error) {
    const parameter = findRefusedParameter(error);
    if (parameter === undefined) return;
    await pool.end();
    const problem = `cannot be used (${describeDatabaseCode('PG_08P01')}, here \`${parameter}\`)`;
    throw new SettingsProblem('database.url', [problem]);
  }
}

/**
 * Verifies once for each connection that the options of a transaction apply.
 * @throws an error without a severity if the server does not apply them.
 */
async function requireSession(client: PoolClient, begin: string, wanted: TransactionSettings): Promise<void> {
  const names = Object.keys(wanted).map((name) => `'${name}'`);
  const sql = `${begin}; SELECT name, setting FROM pg_settings WHERE name IN (${names.join()}); ROLLBACK`;
  const results: unknown = await client.query(sql);
  const rows = [results].flat().flatMap((result): unknown[] => (getField(result, 'rows') ?? []) as unknown[]);
  const found = new Map(rows.map((row) => [getField(row, 'name'), String(getField(row, 'setting')).toLowerCase()]));
  const isSet = Object.entries(wanted).every(([name, value]) => found.get(name) === String(value).toLowerCase());
  if (!isSet)
    throw Object.assign(new Error('the server does not apply the session options'), { code: 'SESSION_NOT_SET' });
}

function createConnection(
  client: PoolClient,
  options: DatabaseDriverOptions,
  settings: TransactionSettings | undefined,
): DatabaseConnection {
  return {
    run: ({ sql, values }) =>
      new Promise<StatementOutcome>((resolve, reject) => {
        const rows = createRows(options);
        const config = { text: sql, values: [...values], types, ...(settings && { queryMode: 'extended' }) };
        const query = new Query(config, (error, result) =>
          error ? reject(error) : resolve({ rows: rows.all, changed: pickLast(result).rowCount ?? 0 }),
        );
        query.on('row', (row: Record<string, unknown>) => {
          try {
            rows.add(row);
          } catch (error) {
            // The connection is discarded together with the remaining rows.
            query.removeAllListeners('row');
            reject(error);
          }
        });
        client.query(settings ? addSettings(query, settings) : query);
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

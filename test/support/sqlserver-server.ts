import { randomBytes } from 'node:crypto';
import { afterAll } from '@jest/globals';
import { toRows } from '../../adapters/common/sql-rows.ts';
import { openSqlserver } from '../../adapters/mapping/sources/sql/sqlserver.ts';

const address = process.env.MSSQL_URL ?? '';

/** Why there is no SQL Server, and how to name one; undefined when there is. Its user may create databases. */
export const missing =
  address === ''
    ? 'no SQL Server is named (MSSQL_URL=sqlserver://user:password@127.0.0.1:1433/master, or Babelfish, which speaks its protocol)'
    : undefined;

type Run = (...statements: readonly string[]) => Promise<readonly Record<string, unknown>[]>;

/** Runs statements one after the other on one connection, and gives the rows of the last one. */
export async function runStatements(url: string, statements: readonly string[]): ReturnType<Run> {
  const options = { timeout: 60_000, connections: 1, records: 100_000 };
  const driver = await openSqlserver({ ...options, url, readRows: (rows) => toRows(rows, options) });
  const connection = await driver.connect('write');
  try {
    let last: readonly Record<string, unknown>[] = [];
    for (const sql of statements) last = (await connection.run({ sql, values: [] })).rows;
    return last;
  } finally {
    connection.release(false);
    await driver.close();
  }
}

/** The address of a database that nobody has used yet; it is dropped after the last test of the file. */
export async function createUrl(): Promise<string> {
  const name = `puente_${randomBytes(6).toString('hex')}`;
  await runStatements(address, [`CREATE DATABASE ${name}`]);
  afterAll(() => runStatements(address, [`DROP DATABASE ${name}`]).catch(() => undefined));
  return address.replace(/(?<=:\/\/[^/]+\/)[^?]*/, name);
}

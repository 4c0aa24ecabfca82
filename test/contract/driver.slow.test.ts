import { describe, test } from '@jest/globals';
import { type DriverSubject, describeDriver } from '../../src/contract/index.ts';
import {
  createMysql,
  createPooled,
  createPostgres,
  createSqlite,
  createSqlserver,
} from '../support/driver-subjects.ts';
import * as mariadb from '../support/mariadb-server.ts';
import * as mysql from '../support/mysql-server.ts';
import * as pgbouncer from '../support/pgbouncer.ts';
import * as postgres from '../support/postgres-server.ts';
import * as sqlserver from '../support/sqlserver-server.ts';

interface Database {
  readonly name: string;
  readonly missing: string | undefined;
  readonly start: () => Promise<DriverSubject>;
}

const databases: readonly Database[] = [
  { name: 'SQLite', missing: undefined, start: async () => createSqlite() },
  {
    name: 'PostgreSQL',
    missing: postgres.missing,
    start: async () => createPostgres(await (await postgres.startPostgres()).createUrl()),
  },
  {
    name: 'MariaDB',
    missing: mariadb.missing,
    start: async () => createMysql(await (await mariadb.startMariadb()).createUrl()),
  },
  {
    name: 'MySQL',
    missing: mysql.missing,
    start: async () => createMysql(await (await mysql.startMysql()).createUrl()),
  },
  {
    name: 'SQL Server',
    missing: sqlserver.missing,
    start: async () => createSqlserver(await sqlserver.createUrl()),
  },
  ...(['session', 'transaction'] as const).map((mode) => ({
    name: `PostgreSQL behind PgBouncer in ${mode} mode`,
    missing: pgbouncer.missing,
    start: async () => createPooled(await (await pgbouncer.startPgbouncer(mode, 20)).createUrl()),
  })),
];

for (const { name, missing, start } of databases) {
  if (missing !== undefined) {
    describe(name, () => test.skip(`skipped: ${missing}`, () => undefined));
    continue;
  }
  // Servers end after the last test, which only the file itself may ask for, before the tests begin.
  const subject = await start();
  describeDriver(test, () => subject, name);
}

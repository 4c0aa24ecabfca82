import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import mysql from 'mysql2/promise';
import pg from 'pg';
import { proposeMapping } from '../../../../adapters/mapping/commands/new-from.ts';
import { loadMapping } from '../../../../adapters/mapping/file/load.ts';
import { getField } from '../../../../src/toolkit/records.ts';
import * as mariadb from '../../../support/mariadb-server.ts';
import * as postgres from '../../../support/postgres-server.ts';
import { formatScore, scoreProposal } from '../../../support/proposals.ts';
import { makeFolder } from '../../../support/sqlite-state.ts';
import * as sqlserver from '../../../support/sqlserver-server.ts';

const folder = makeFolder();
const read = (...files: readonly string[]) => files.map((file) => readFileSync(file, 'utf8')).join('\n');
const readExample = (name: string) =>
  read(`examples/hospitals/${name}/schema.sql`, `examples/hospitals/${name}/sample.sql`);
const sanRoque = read('test/support/proposals/san-roque.sql');

async function runOnMysql(url: string, sql: string): Promise<void> {
  const client = await mysql.createConnection({ uri: url, multipleStatements: true });
  await client.query(sql);
  await client.end();
}

async function runOnPostgres(url: string, sql: string): Promise<unknown> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query(sql);
  await client.end();
  return rows?.[0];
}

const maria = mariadb.missing === undefined ? await mariadb.startMariadb() : undefined;
const sqlserverUrl = sqlserver.missing === undefined ? await sqlserver.createUrl() : '';
const pgServer = postgres.missing === undefined ? await postgres.startPostgres() : undefined;

/** A hospital on a server, and the fewest fields of it that are read as a person reads them. */
const hospitals = [
  {
    hospital: 'openemr',
    known: 'examples/hospitals/openemr',
    kind: 'MariaDB',
    missing: mariadb.missing,
    least: 25,
    make: async () => {
      const url = await maria!.createUrl();
      await runOnMysql(url, readExample('openemr'));
      return url;
    },
  },
  {
    hospital: 'hsi',
    known: 'examples/hospitals/hsi',
    kind: 'PostgreSQL',
    missing: postgres.missing,
    least: 35,
    make: async () => {
      const url = await pgServer!.createUrl();
      await runOnPostgres(url, readExample('hsi'));
      return url;
    },
  },
  {
    hospital: 'san-roque',
    known: undefined,
    kind: 'SQL Server',
    missing: sqlserver.missing,
    least: 50,
    make: async () => {
      const url = sqlserverUrl;
      await sqlserver.runStatements(
        url,
        sanRoque
          .replaceAll(/--.*$/gm, '')
          .split(';')
          .filter((sql) => sql.trim()),
      );
      return url;
    },
  },
];

describe.each(hospitals)(
  'puente mapping new --from, of $hospital on $kind',
  ({ hospital, known, missing, least, make }) => {
    if (missing !== undefined) return void test.skip(`skipped: ${missing}`, () => undefined);

    test('reads at most one field of twenty otherwise than a person would, and writes a file that check takes', async () => {
      process.env.NEW_FROM_URL = await make();
      const path = join(mkdtempSync(join(folder, 'from-')), 'his.yaml');
      const { guesses, text, known: system } = await proposeMapping(path, 'env:NEW_FROM_URL');
      const score = scoreProposal(hospital, guesses);
      process.stdout.write(formatScore(hospital, score));
      expect(text).toContain('url: env:NEW_FROM_URL');
      expect(system?.example).toBe(known);
      if (system) expect(existsSync(`${system.example}/${hospital}.yaml`)).toBe(true);
      expect(loadMapping(path)).toMatchObject({ system: 'his' });
      expect(score.right).toBeGreaterThanOrEqual(least);
      expect(score.wrong.length).toBeLessThanOrEqual((score.right + score.wrong.length) / 20);
    });
  },
);

describe('puente mapping new --from, of MariaDB whose user', () => {
  if (!maria) return void test.skip(`skipped: ${mariadb.missing}`, () => undefined);

  test('may only read proposes what the owner of the tables would be proposed', async () => {
    const url = await maria.createUrl();
    const database = new URL(url).pathname.slice(1);
    await runOnMysql(url, readExample('openemr'));
    await runOnMysql(
      url,
      `CREATE USER reader@'127.0.0.1' IDENTIFIED BY 'x'; GRANT SELECT ON ${database}.* TO reader@'127.0.0.1'`,
    );
    const propose = async (address: string) => {
      process.env.NEW_FROM_URL = address;
      return (await proposeMapping(join(mkdtempSync(join(folder, 'from-')), 'his.yaml'), 'env:NEW_FROM_URL')).text;
    };
    const reader = Object.assign(new URL(url), { username: 'reader', password: 'x' }).href;
    expect(await propose(reader)).toBe(await propose(url));
  });
});

describe('puente mapping new --from, of PostgreSQL whose user', () => {
  if (!pgServer) return void test.skip(`skipped: ${postgres.missing}`, () => undefined);

  const makeUser = async (grants: string) => {
    const url = await pgServer.createUrl();
    const name = `reader_${Math.random().toString(36).slice(2)}`;
    await runOnPostgres(url, readExample('hsi'));
    const schema = String(getField(await runOnPostgres(url, 'SELECT current_schema() AS name'), 'name'));
    const given = grants.replaceAll('reader', name).replaceAll('hospital', schema);
    await runOnPostgres(url, `CREATE ROLE ${name} LOGIN PASSWORD 'x'; ${given}`);
    return Object.assign(new URL(url), { username: name, password: 'x' }).href;
  };
  const propose = async (url: string) => proposeMapping(join(mkdtempSync(join(folder, 'from-')), 'his.yaml'), url);

  test('may read no table says so', async () => {
    await expect(propose(await makeUser('SELECT 1'))).rejects.toThrow('this user sees no tables');
  });

  test('may not read a table that it sees names the table in the file', async () => {
    const grants =
      'GRANT USAGE ON SCHEMA hospital TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA hospital TO reader; REVOKE SELECT ON institution FROM reader; GRANT INSERT ON institution TO reader';
    const { text } = await propose(await makeUser(grants));
    expect(text).toContain('# ? not readable by this user: institution');
  });
});

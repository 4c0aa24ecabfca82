import { pathToFileURL } from 'node:url';
import { peerVersions } from '../../../src/toolkit/package.ts';
import { SettingsProblem } from '../../../src/toolkit/problems.ts';
import { getField } from '../../../src/toolkit/records.ts';
import { readSecret } from '../../../src/toolkit/secret.ts';
import type { DatabaseDriver, DatabaseDriverOptions } from '../../common/sql-driver.ts';
import type { HttpChange, HttpQuestion, HttpSettings } from './http/schema.ts';
import type { Change, Question, SourceCall } from './source.ts';
import { keepAnswer } from './source.ts';
import type { KeyedQuestion } from './sql/compose.ts';
import type { SqlChange, SystemDatabase } from './sql/schema.ts';

/** The connection settings of a mapping file. */
export interface SystemSettings {
  /** Its name in logs. */
  readonly system: string;
  readonly http?: HttpSettings | undefined;
  readonly database?: SystemDatabase | undefined;
  /** The institution's zone. */
  readonly timeZone?: string;
}

/** The questions and changes of a system. The file has the definitions they need. */
export interface Sources {
  /** @param keep seconds for which the answer is cached. */
  question(definition: string | KeyedQuestion | HttpQuestion, keep?: number): Question;
  change(definition: SqlChange | HttpChange): Change;
  /**
   * Checks that the system is reachable and accepts the login.
   * @throws Failure unavailable, timeout or overloaded.
   */
  reach(call: SourceCall): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the file's system, and loads nothing else. It sends no request yet.
 * @param open opens a database.
 * @param read reads a secret in a request.
 * @throws SettingsProblem if a secret, a file or a package is missing.
 */
export async function openSources(
  { http, database, timeZone }: SystemSettings,
  open: (database: SystemDatabase, timeZone?: string) => Promise<DatabaseDriver> = openDriver,
  read = readSecret,
): Promise<Sources> {
  const overHttp = http && (await (await import('./http/http-source.ts')).HttpSource.open(http, read));
  const most = database && 'connections' in database ? Math.ceil(database.connections / 2) : undefined;
  const overSql = database && new (await import('./sql/sql-source.ts')).SqlSource(await open(database, timeZone), most);
  return {
    question: (definition, keep) =>
      typeof definition === 'object' && 'request' in definition
        ? keepAnswer(overHttp!.question(definition), keep, http!.timeout)
        : keepAnswer(overSql!.question(definition), keep, database!.timeout),
    change: (definition) => ('request' in definition ? overHttp!.change(definition) : overSql!.change(definition)),
    reach: async (call) => {
      await overHttp?.reach(call);
      await overSql?.reach(call);
    },
    close: async () => overSql?.close(),
  };
}

const drivers = {
  postgres: async () => (await import('./sql/postgres.ts')).openPostgres,
  mysql: async () => (await import('./sql/mysql.ts')).openMysql,
  sqlserver: async () => (await import('./sql/sqlserver.ts').catch(explainMissing)).openSqlserver,
};

/** Few hospitals need the driver of SQL Server, so it is not installed by default. */
function explainMissing(error: unknown): never {
  if (getField(error, 'code') !== 'ERR_MODULE_NOT_FOUND') throw error;
  throw new SettingsProblem('database.kind', [
    `sqlserver needs the package tedious: run npm install --save-exact tedious@${peerVersions.tedious}`,
  ]);
}

/**
 * Opens a database of its kind.
 * @param read reads the secret with its address.
 */
export async function openDriver(
  settings: SystemDatabase,
  timeZone?: string,
  read = readSecret,
): Promise<DatabaseDriver> {
  if (settings.kind === 'sqlite') return (await import('./sql/sqlite.ts')).openSqlite(settings);
  const { toRows } = await import('../../common/sql-rows.ts');
  const url = read(settings.url, 'database.url');
  const options: DatabaseDriverOptions = { ...settings, timeZone, url, readRows: (rows) => toRows(rows, settings) };
  return settings.kind === 'other' ? openOther(settings.driver, options) : (await drivers[settings.kind]())(options);
}

interface DriverModule {
  readonly openDriver: (options: DatabaseDriverOptions) => DatabaseDriver | Promise<DatabaseDriver>;
}

/** Opens a database by the driver in a module of the institution. */
async function openOther(path: string, options: DatabaseDriverOptions): Promise<DatabaseDriver> {
  try {
    const { openDriver } = (await import(pathToFileURL(path).href)) as DriverModule;
    return await openDriver(options);
  } catch (error) {
    throw new SettingsProblem('database.driver', [`${path} opens no database: ${getField(error, 'message')}`]);
  }
}

import { readSecret } from '../../../src/toolkit/secret.ts';
import { SettingsProblem } from '../../../src/toolkit/settings-problem.ts';
import type { HttpSource } from './http/http-source.ts';
import type { HttpChange, HttpQuestion, HttpSettings } from './http/schema.ts';
import { keepAnswer } from './keep.ts';
import type { Change, Question, SourceCall } from './source.ts';
import type { Driver } from './sql/driver.ts';
import type { DatabaseSettings, SqlChange, SqlQuestion } from './sql/schema.ts';
import type { SqlSource } from './sql/sql-source.ts';

/** What of a mapping file says how its system is reached. */
export interface SystemSettings {
  /** Its name in logs. */
  readonly system: string;
  readonly http?: HttpSettings | undefined;
  readonly database?: DatabaseSettings | undefined;
}

/** Where questions are asked and changes are made. */
export interface Sources {
  /** @param select what stands before the question, if it is SQL. */
  question(definition: SqlQuestion | HttpQuestion, select?: string): Question;
  change(definition: SqlChange | HttpChange): Change;
  /**
   * Whether the system can be reached, and lets us in.
   * @throws Failure unavailable, timeout or overloaded.
   */
  reach(call: SourceCall): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens what the file names; no request is sent yet.
 * @throws SettingsProblem when a secret, a file or a package is missing.
 */
export async function openSources({ http, database }: SystemSettings): Promise<Sources> {
  const overHttp = http && (await (await import('./http/http-source.ts')).HttpSource.open(http));
  const overSql = database && new (await import('./sql/sql-source.ts')).SqlSource(await openDriver(database));
  return joinSources({ http, database }, overHttp, overSql);
}

/** One for all questions and changes, whichever way they go. */
export function joinSources(
  { http, database }: Pick<SystemSettings, 'http' | 'database'>,
  overHttp: HttpSource | undefined,
  overSql: SqlSource | undefined,
): Sources {
  return {
    question: (definition, select = '') => {
      if (typeof definition === 'object' && 'request' in definition) {
        const question = require(overHttp, 'http').question(definition);
        return definition.keep && http ? keepAnswer(question, definition.keep, http.timeout) : question;
      }
      const { sql, keep } = typeof definition === 'string' ? { sql: definition, keep: undefined } : definition;
      const question = require(overSql, 'database').question(`${select}\n${sql}`.trim());
      return keep && database ? keepAnswer(question, keep, database.timeout) : question;
    },
    change: (definition) =>
      'request' in definition
        ? require(overHttp, 'http').change(definition)
        : require(overSql, 'database').change(definition),
    reach: async (call) => {
      await overHttp?.reach(call);
      await overSql?.reach(call);
    },
    close: async () => overSql?.close(),
  };
}

function require<T>(source: T | undefined, section: string): T {
  if (!source) throw new SettingsProblem(section, ['is missing, and a question needs it']);
  return source;
}

/** Only the driver that is used is loaded. */
async function openDriver(settings: DatabaseSettings): Promise<Driver> {
  if (settings.kind === 'sqlite') return (await import('./sql/sqlite.ts')).openSqlite(settings);
  const { timeout, connections } = settings;
  const server = { url: readSecret(settings.url, 'database.url'), timeout, connections };
  switch (settings.kind) {
    case 'postgres':
      return (await import('./sql/postgres.ts')).openPostgres(server);
    case 'mysql':
      return (await import('./sql/mysql.ts')).openMysql(server);
    case 'sqlserver':
      return (await import('./sql/sqlserver.ts')).openSqlServer(server);
    case 'oracle':
      return (await import('./sql/oracle.ts')).openOracle(server);
  }
}

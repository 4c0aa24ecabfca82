import { existsSync, rmSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { Failure } from '../../../src/ports/index.ts';
import { createFile } from '../../../src/toolkit/private-file.ts';
import { ConfigProblems, SettingsProblem } from '../../../src/toolkit/problems.ts';
import { readSecret, secretReference } from '../../../src/toolkit/secret.ts';
import { explainFailure } from '../examination/explain.ts';
import { loadMapping } from '../file/load.ts';
import { guessThings, type MissingThing, type ThingGuess } from '../proposal/guess.ts';
import { HospitalSystem, type TableSample } from '../proposal/system.ts';
import { words } from '../proposal/words.ts';
import { type FileHead, isComplete, writeProposal } from '../proposal/write.ts';
import { openDriver, openSources } from '../sources/open-sources.ts';
import { database as databaseSchema } from '../sources/sql/schema.ts';
import {
  type CatalogueKind,
  countStatement,
  type RunSql,
  readTables,
  type SystemTable,
  sampleStatement,
} from '../sources/sql/tables.ts';
import { toConfigProblems } from './open.ts';

/** The time limit of one statement in milliseconds: a catalog may be large. */
const TIMEOUT = 30_000;
const ROWS = 500_000;

const schemes: Readonly<Record<string, CatalogueKind>> = {
  postgres: 'postgres',
  postgresql: 'postgres',
  mysql: 'mysql',
  mariadb: 'mysql',
  sqlserver: 'sqlserver',
  mssql: 'sqlserver',
};

/** The variable that the file names if `--from` is the address itself. */
const VARIABLE = 'HIS_DATABASE';

interface SystemOrigin {
  readonly kind: CatalogueKind;
  readonly address: string;
  /** The file's section that names the database. */
  readonly database: FileHead['database'];
}

/**
 * The database of `--from`: an address, `env:NAME` or `file:/path` with an address, or an SQLite file.
 * @throws ConfigProblems
 */
function readOrigin(from: string, path: string): SystemOrigin {
  const isReference = secretReference.safeParse(from).success;
  const address = isReference ? readReference(from) : from;
  const scheme = /^(\w+):\/\//.exec(address)?.[1]?.toLowerCase() ?? '';
  const kind = schemes[scheme];
  if (kind !== undefined) {
    const url = address.replace(/^\w+/, kind === 'postgres' ? scheme : kind);
    return { kind, address: url, database: { kind, url: isReference ? from : `env:${VARIABLE}` } };
  }
  const file = address.replace(/^sqlite:(\/\/)?/, '');
  if (scheme !== '' && scheme !== 'sqlite')
    throw new ConfigProblems([
      `--from: ${scheme}:// is not known: use one of ${Object.keys(schemes).join(', ')}, or the path of an SQLite file`,
    ]);
  if (!existsSync(file))
    throw new ConfigProblems([
      `--from: ${file} is neither a file nor an address such as postgres://user:password@host/database`,
    ]);
  return {
    kind: 'sqlite',
    address: '',
    database: { kind: 'sqlite', file: relative(dirname(resolve(path)), resolve(file)) || file },
  };
}

function readReference(reference: string): string {
  try {
    return readSecret(reference, '--from');
  } catch (error) {
    throw toConfigProblems(error);
  }
}

/** A summary of the proposal, for the terminal. */
export interface Proposed {
  readonly guesses: readonly (ThingGuess | MissingThing)[];
  readonly text: string;
  readonly tables: number;
  /** The number of mapped fields. */
  readonly fields: number;
  readonly questions: number;
  /** Things that are complete without an edit. */
  readonly complete: readonly string[];
  /**
   * The known system with these tables, and the folder of its complete mapping file. Undefined for an unknown system.
   */
  readonly known: { readonly name: string; readonly example: string } | undefined;
}

/**
 * Reads the catalog of a database and some rows of its tables, and writes a mapping file at `path`.
 * @throws ConfigProblems if the database cannot be reached or read, or shows no tables.
 */
export async function proposeMapping(path: string, from: string): Promise<Proposed> {
  const origin = readOrigin(from, path);
  const { guesses, unreadable, tables } = await readSystem(origin, path);
  const head: FileHead = { kind: origin.kind, database: origin.database, unreadable };
  const first = writeProposal(guesses, head, new Map());
  createFile(path, first);
  const refused = findRefused(path);
  const text = refused.size > 0 ? writeProposal(guesses, head, refused) : first;
  if (text !== first) {
    rmSync(path);
    createFile(path, text);
  }
  const found = guesses.filter((each): each is ThingGuess => !('why' in each));
  return {
    guesses,
    text,
    tables: tables.length,
    known: findKnown(tables),
    fields: found.reduce((sum, { fields }) => sum + fields.length, 0),
    questions: text.split('\n').filter((line) => / \? /.test(line)).length - 1,
    complete: found.filter((each) => isComplete(each) && !refused.has(each.thing)).map(({ thing }) => thing),
  };
}

function findKnown(tables: readonly SystemTable[]): Proposed['known'] {
  const names = new Set(tables.map(({ name }) => name.toLowerCase()));
  const found = Object.entries(words.systems).find(([, system]) => system.tables.every((name) => names.has(name)));
  return found && { name: found[0], example: found[1].example };
}

/** The problems that `check` reports, by thing. */
function findRefused(path: string): Map<string, string[]> {
  try {
    loadMapping(path);
    return new Map();
  } catch (error) {
    if (!(error instanceof SettingsProblem)) throw error;
    const problems = error.problems.map((problem) => /^\S+ ((\w+)\S*: [\s\S]*)/.exec(problem) ?? []);
    return new Map(
      Object.entries(Object.groupBy(problems, ([, , thing = '']) => thing)).map(([thing, all = []]) => [
        thing,
        all.map(([, what = '']) => what),
      ]),
    );
  }
}

async function readSystem({ kind, address, database }: SystemOrigin, path: string) {
  const settings = databaseSchema.parse({ ...database, timeout: TIMEOUT, records: ROWS });
  const located =
    settings.kind === 'sqlite' ? { ...settings, file: resolve(dirname(resolve(path)), settings.file) } : settings;
  const sources = await openSources({ system: 'his', database: located }, (each) =>
    openDriver(each, undefined, () => address),
  ).catch((error: unknown) => {
    throw toConfigProblems(error);
  });
  const run: RunSql = (sql) =>
    sources.question(sql).ask({}, { requestId: 'mapping', signal: AbortSignal.timeout(TIMEOUT * 2) });
  try {
    return await guessFrom(kind, run);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new ConfigProblems([`--from: ${error.message} (${explainFailure(error, () => '...') ?? error.kind})`]);
  } finally {
    await sources.close();
  }
}

async function guessFrom(
  kind: CatalogueKind,
  run: RunSql,
): Promise<{
  guesses: readonly (ThingGuess | MissingThing)[];
  unreadable: readonly string[];
  tables: readonly SystemTable[];
}> {
  const tables = await readTables(kind, run);
  if (tables.length === 0)
    throw new ConfigProblems([
      '--from: this user sees no tables: name the database (and schema) in the address, and grant the user SELECT',
    ]);
  const unreadable: string[] = [];
  const sample = async (table: SystemTable): Promise<TableSample> => {
    try {
      const rows = await run(sampleStatement(kind, table));
      const [counted] = await run(countStatement(kind, table.name)).catch(() => []);
      return { rows, count: counted === undefined ? undefined : Number(counted.rows_there) };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      unreadable.push(table.name);
      return { rows: [], count: undefined };
    }
  };
  return { guesses: await guessThings(new HospitalSystem(tables, sample)), unreadable, tables };
}

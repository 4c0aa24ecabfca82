import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { Command, Option } from 'commander';
import { commandLine, packageRoot } from '../../../src/toolkit/package.ts';
import { toPlainLines } from '../../../src/toolkit/plain-text.ts';
import { createFile } from '../../../src/toolkit/private-file.ts';
import { ConfigProblems, didYouMean } from '../../../src/toolkit/problems.ts';
import { defaultTimeZone } from '../../../src/toolkit/time-zone.ts';
import { formatYaml } from '../../../src/toolkit/yaml-file.ts';
import type { Program } from '../../command.ts';
import type { Given } from '../examination/entries.ts';
import type { Thing } from '../file/names.ts';
import { createJsonSchema } from '../file/schema.ts';
import { things } from '../file/things.ts';
import { locate } from './open.ts';
import { type PreviewOptions, startPreview } from './preview.ts';
import type { TryOptions } from './trial.ts';
import { tryEntry } from './try.ts';

const server = (kind: string) => ({
  template: 'sql.yaml',
  source: `database:\n  kind: ${kind}\n  url: env:HIS_DATABASE # the variable that has the address: ${kind}://user:password@host/database`,
});
const http = (answers: string, more: string) => ({
  template: 'http.yaml',
  source: `http:\n  url: https://his.example/api\n  answers: ${answers}\n${more}`,
});

/** The kinds of systems, with the beginning of a mapping file for each. */
export const systemKinds = {
  sqlite: { about: 'SQLite', template: 'sql.yaml', source: 'database:\n  kind: sqlite\n  file: his.db' },
  postgres: { about: 'PostgreSQL', ...server('postgres') },
  mysql: { about: 'MySQL or MariaDB', ...server('mysql') },
  sqlserver: { about: 'Microsoft SQL Server', ...server('sqlserver') },
  'http-json': { about: 'HTTP with JSON', ...http('json', '  # root: data # what is around every answer') },
  'http-xml': {
    about: 'HTTP with XML',
    ...http('xml', '  # charset: ISO-8859-1\n  # root: RESPUESTA # the element around every answer'),
  },
} as const;
export type SystemKind = keyof typeof systemKinds;

/**
 * Writes a mapping file, and a configuration beside it that names the file.
 * @returns the path of the configuration. Undefined if one exists, which stays unchanged.
 * @throws ConfigProblems if the mapping file exists. It stays unchanged.
 */
export function writeMapping(path: string, kind: SystemKind): string | undefined {
  requireNew(path);
  const { template, source } = systemKinds[kind];
  const text = readFileSync(join(packageRoot, 'templates/mapping', template), 'utf8');
  createFile(path, text.replace('{{source}}', source));
  return writeConfig(path);
}

function requireNew(path: string): void {
  if (existsSync(path)) throw new ConfigProblems([`${path} exists already: name another file`]);
}

/** The configuration beside a mapping file. Undefined if one exists. */
function writeConfig(path: string): string | undefined {
  const config = join(dirname(path), 'puente.yaml');
  if (existsSync(config)) return undefined;
  const institution = { timeZone: defaultTimeZone };
  const adapter = { name: 'mapping', settings: { file: basename(path) } };
  createFile(config, formatYaml({ institution, adapter }));
  return config;
}

/** @throws ConfigProblems if there is no terminal to ask on. */
async function askKind(): Promise<SystemKind> {
  const kinds = Object.keys(systemKinds) as SystemKind[];
  if (!process.stdin.isTTY) throw new ConfigProblems([`name the kind of system by --kind: ${kinds.join(', ')}`]);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const list = kinds.map((kind, i) => `  ${i + 1}  ${systemKinds[kind].about}\n`).join('');
    for (;;) {
      const kind = kinds[Number(await terminal.question(`What is the system?\n${list}> `)) - 1];
      if (kind) return kind;
    }
  } finally {
    terminal.close();
  }
}

const print = (text: string): void => void process.stdout.write(toPlainLines(text));

interface FileOptions {
  readonly file?: string;
  readonly config?: string;
}

/** Writes a mapping file for a database, and returns a summary. */
async function createFrom(file: string, from: string): Promise<string> {
  requireNew(file);
  const { proposeMapping } = await import('./new-from.ts');
  const { tables, fields, questions, complete, known } = await proposeMapping(file, from);
  writeConfig(file);
  const isReference = /^(env|file):/.test(from) || !from.includes('://');
  return [
    `wrote ${file} from ${tables} tables: ${fields} fields are read, ${questions} questions are behind a # ?`,
    `complete: ${complete.join(', ') || 'nothing yet'}`,
    ...(known ? [`${known.name} has these tables: Puente’s folder ${known.example} has a complete file`] : []),
    ...(isReference ? [] : ['the file names the address as env:HIS_DATABASE: set this variable to it']),
    `Next: answer the questions, then ${commandLine} check, ${commandLine} mapping preview ${file}`,
    '',
  ].join('\n');
}

const create = new Command('new')
  .description('Write a first mapping file; an existing one stays unchanged.')
  .argument('[file]', 'where to write the file', 'his.yaml')
  .addOption(new Option('--kind <kind>', 'kind of the system').choices(Object.keys(systemKinds)))
  .option('--from <address>', 'a database to propose a mapping from: its address, env:NAME, or an SQLite file')
  .action(async (file: string, { kind, from }: { kind?: SystemKind; from?: string }) => {
    if (from !== undefined) return print(await createFrom(file, from));
    const config = writeMapping(file, kind ?? (await askKind()));
    const named = config === 'puente.yaml' ? '' : ` --file ${file}`;
    print(
      [
        `wrote ${file}: replace the names by those of your columns or elements`,
        config === undefined
          ? 'kept the existing puente.yaml: check and serve need adapter: { name: mapping, settings: { file: ... } } in it'
          : `wrote ${config}, the configuration for check and serve`,
        `Next: ${commandLine} mapping try practitioners.all${named}`,
        '',
      ].join('\n'),
    );
  });

const createTry = (program: Program): Command =>
  new Command('try')
    .usage('<question> [--NAME VALUE ...] [options]')
    .argument('[words...]', 'e.g. patients.byId --id 12')
    .option('--file <file>', 'mapping file; default: the one of the configuration')
    .addOption(program.configOption())
    .allowUnknownOption()
    .description('Ask the system one question; print what was sent, the answer, and the value of each field.')
    .option('--show-values', 'show the values of patients')
    .option('--really', 'send the change; without it, the command only prints the request')
    .action(async (words: string[], options: FileOptions & TryOptions) => {
      if (!(await tryEntry(await locate(options, program), readWords(words), options, print))) process.exitCode = 1;
    });

const createPreviewCommand = (program: Program): Command =>
  new Command('preview')
    .argument('[file]', 'mapping file; default: the one of the configuration')
    .addOption(program.configOption())
    .option('--port <number>', 'TCP port of this machine; default: a free port')
    .option('--show-values', 'show the values of patients')
    .description(
      'Serve a page that shows the results of the file: sent, answered, read. It reloads when the file is saved.',
    )
    .action(async (file: string | undefined, { port, showValues, config }: FileOptions & PreviewOptions) => {
      const located = await locate(
        { ...(file !== undefined && { file }), ...(config !== undefined && { config }) },
        program,
      );
      await once(await startPreview(located, { port, showValues }, print), 'close');
    });

const schema = new Command('schema')
  .description('Print the JSON Schema of mapping files, for editors.')
  .action(() => print(`${JSON.stringify(createJsonSchema(), null, 2)}\n`));

export const createMappingCommand = (program: Program): Command =>
  new Command('mapping')
    .description('Write and test a mapping file.')
    .addCommand(create)
    .addCommand(createTry(program))
    .addCommand(createPreviewCommand(program))
    .addCommand(schema);

const names = Object.values(things).flatMap(({ questions, changes }: Thing) =>
  [questions, changes].flatMap((all) => Object.values(all).flatMap(Object.keys)),
);

/** @throws ConfigProblems if the words are not one question with its values. */
export function readWords(words: string[]): { readonly entry: string; readonly given: Given } {
  const { positionals, values } = parseArgs({
    args: words,
    strict: false,
    options: Object.fromEntries(names.map((name) => [name, { type: 'string', multiple: true }] as const)),
  });
  const problems = Object.entries(values).flatMap(([name, value]) => {
    if (!names.includes(name))
      return [
        `--${name} is not known${didYouMean(
          `--${name}`,
          names.map((each) => `--${each}`),
        )}`,
      ];
    return [value].flat().every((each) => typeof each === 'string') ? [] : [`--${name} has no value: add one after it`];
  });
  const [entry, ...more] = positionals;
  if (problems.length === 0 && (entry === undefined || more.length > 0)) {
    problems.push('name exactly one question, e.g. patients.byId --id 12');
  }
  if (entry === undefined || problems.length > 0) throw new ConfigProblems(problems);
  const given = Object.entries(values).map(([name, all]) => [name, readValue([all].flat().map(String))] as const);
  return { entry, given: Object.fromEntries(given) };
}

function readValue([first, ...more]: readonly string[]): unknown {
  if (more.length > 0) return [first, ...more];
  return first === 'true' || first === 'false' ? first === 'true' : first;
}

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';

const here = import.meta.dirname;
const root = join(here, '../..');

/** A program with its arguments. */
export type Command = readonly [program: string, ...args: string[]];

/** What makes a client of the published document in one language, compiles it and does the day's work with it. */
export interface Toolchain {
  readonly generator: string;
  /** The folder of the day's work and of the versions, a copy of which the commands run in, with `openapi.json`. */
  readonly folder: string;
  /** Installs what it needs, in a cache, and throws what keeps it from that. */
  install(): Promise<void>;
  readonly generate: Command;
  compile(folder: string): readonly Command[];
  readonly work: Command;
}

/** Runs the command, and resolves with what it printed; a toolchain of another version is never downloaded. */
export async function run([program, ...args]: Command, cwd: string, environment: object = {}): Promise<string> {
  // Of the programs in a virtual environment one calls another.
  const first = isAbsolute(program) ? [dirname(program)] : [];
  const path = [...first, process.env.PATH].join(delimiter);
  const env = { ...process.env, PATH: path, GOTOOLCHAIN: 'local', ...environment };
  const { stdout, stderr } = await promisify(execFile)(program, args, { cwd, env, timeout: 600_000 });
  return stdout + stderr;
}

/** A folder of the cache that stays as long as the file that names the versions. */
function findCache(versions: string): string {
  const key = createHash('sha256').update(readFileSync(versions)).digest('hex').slice(0, 12);
  return join(root, 'node_modules/.cache/puente/clients', key);
}

/** @throws Error unless the program is there and of that version or later. */
async function requireVersion([program, ...args]: Command, major: number, minor = 0): Promise<void> {
  const printed = await run([program, ...args], root).catch(() => undefined);
  if (printed === undefined) throw new Error(`there is no ${program} here`);
  const [, ...parts] = /(\d+)\.(\d+)/.exec(printed) ?? [];
  const [ownMajor = 0, ownMinor = 0] = parts.map(Number);
  if (ownMajor < major || (ownMajor === major && ownMinor < minor))
    throw new Error(`it needs ${program} ${major}.${minor}, and this is ${ownMajor}.${ownMinor}`);
}

/** Fills a folder of the cache, unless that was done; what an earlier try has left goes. */
async function fill(folder: string, install: () => Promise<unknown>): Promise<void> {
  const filled = join(folder, 'filled');
  if (existsSync(filled)) return;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await install();
  writeFileSync(filled, '');
}

const python = join(here, 'python');
const venv = findCache(join(python, 'requirements.txt'));
const inVenv = (name: string): string => join(venv, 'bin', name);

const pythonOutput = ['--output-path', 'puente', '--meta', 'none'];

const java = join(here, 'java');
const jars = findCache(join(java, 'pom.xml'));
const libraries = ['jackson-annotations', 'jackson-core', 'jackson-databind', 'jackson-datatype-jsr310', 'jsr305'];
const classPath = [
  'classes',
  ...[...libraries, 'jakarta.annotation-api'].map((name) => join(jars, `${name}.jar`)),
].join(':');
const javaParts = 'models,apis,supportingFiles,apiTests=false,modelTests=false,apiDocs=false,modelDocs=false';
const javaGeneration = [
  ...['-i', 'openapi.json', '-g', 'java', '-o', '.', '--global-property', javaParts],
  ...['--additional-properties', 'library=native,openApiNullable=false'],
];
const javaCompilation = ['-proc:none', '-nowarn', '-encoding', 'UTF-8', '-d', 'classes', '-cp', classPath];

export const toolchains: readonly Toolchain[] = [
  {
    generator: 'openapi-python-client',
    folder: python,
    install: async () => {
      await requireVersion(['python3', '--version'], 3, 11);
      await fill(venv, async () => {
        await run(['python3', '-m', 'venv', venv], python);
        await run([inVenv('pip'), 'install', '--quiet', '-r', 'requirements.txt'], python);
      });
    },
    generate: [inVenv('openapi-python-client'), 'generate', '--path', 'openapi.json', ...pythonOutput],
    // Of the generated files alone what is used, for the generator's own client is not strict.
    compile: () => [[inVenv('mypy'), '--strict', '--follow-imports=silent', 'day.py']],
    work: [inVenv('python'), 'day.py'],
  },
  {
    generator: 'oapi-codegen',
    folder: join(here, 'go'),
    install: async () => {
      await requireVersion(['go', 'version'], 1, 25);
      await run(['go', 'mod', 'download'], join(here, 'go'));
    },
    generate: ['go', 'tool', 'oapi-codegen', '-config', 'oapi-codegen.yaml', 'openapi.json'],
    compile: () => [
      ['go', 'vet', './...'],
      ['go', 'build', '-o', 'day', '.'],
    ],
    work: ['./day'],
  },
  {
    generator: 'openapi-generator for Java',
    folder: java,
    install: async () => {
      await requireVersion(['javac', '-version'], 17);
      await requireVersion(['mvn', '--version'], 3);
      const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';
      const options = [`-DoutputDirectory=${jars}`, '-Dmdep.stripVersion=true'];
      await fill(jars, () => run(['mvn', '-B', '-q', goal, ...options], java));
    },
    generate: ['java', '-jar', join(jars, 'openapi-generator-cli.jar'), 'generate', ...javaGeneration],
    compile: (folder) => [['javac', ...javaCompilation, ...globSync('**/*.java', { cwd: folder })]],
    work: ['java', '-cp', classPath, 'Day'],
  },
];

/** Lays out in the folder what the commands of the toolchain expect there. */
export function prepareFolder({ folder }: Toolchain, target: string): void {
  cpSync(folder, target, { recursive: true });
  cpSync(join(root, 'openapi.json'), join(target, 'openapi.json'));
}

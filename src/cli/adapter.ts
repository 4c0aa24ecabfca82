import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { Command } from 'commander';
import { z } from 'zod';
import { packageName, packageRoot, version } from '../toolkit/package.ts';
import { createFile } from '../toolkit/private-file.ts';
import { checkArgument } from './terminal.ts';

interface NewOptions {
  readonly folder?: string;
  readonly puente?: string;
}

const nameOfPackage = z
  .string()
  .max(100)
  .regex(
    /^(@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/,
    'must be the name of a package, e.g. his-adapter or @hospital/his-adapter',
  );

const create = new Command('new')
  .description('Write a working adapter project: TypeScript, one method, a contract test, a configuration.')
  .argument('<name>', 'name of its package, e.g. his-adapter or @hospital/his-adapter', checkArgument(nameOfPackage))
  .option('--folder <path>', 'where to write the project; default: a folder with the name, without its scope')
  .option(
    '--puente <package>',
    'where npm finds Puente: a version, or a packed file; default: the origin of this installation',
  )
  .action((name: string, { folder = basename(name), puente }: NewOptions) => {
    try {
      const files = writeAdapterProject({ name, folder: resolve(folder), ...(puente !== undefined && { puente }) });
      process.stdout.write(
        [
          `wrote ${files.length} files to ${folder}. Now:`,
          '',
          `  cd ${folder}`,
          '  npm install',
          '  npm test',
          '  npm run system   (in a second terminal, instead of your system)',
          '  npm start',
          '',
          '',
        ].join('\n'),
      );
    } catch (error) {
      if (!(error instanceof CannotWriteProject)) throw error;
      process.stderr.write(`${error.message}. Nothing was written.\n`);
      process.exitCode = 1;
    }
  });

export const adapter = new Command('adapter').description('Write your own adapters.').addCommand(create);

interface ScaffoldOptions {
  readonly name: string;
  readonly folder: string;
  /** The npm specifier of Puente: a version, or the path of a packed one. Default: the origin of this installation. */
  readonly puente?: string;
  /** The Node version of the author. Default: that of this process. */
  readonly node?: string;
}

/** The reason why the project cannot be written, and the fix. */
export class CannotWriteProject extends Error {
  override readonly name = 'CannotWriteProject';
}

const template = join(packageRoot, 'templates/adapter');

/**
 * Writes a working adapter project, and returns its files. It also runs on Node 20, which has no `globSync`.
 * @throws CannotWriteProject if the project could not be installed, or something exists already. It then writes
 * nothing.
 */
export function writeAdapterProject(options: ScaffoldOptions): string[] {
  const { name, folder, puente = findOrigin(), node = process.versions.node } = options;
  const manifest = createManifest(name, toSpecifier(puente, folder), node);
  const texts = new Map([['package.json', `${JSON.stringify(manifest, null, 2)}\n`]]);
  for (const file of readdirSync(template, { recursive: true, encoding: 'utf8' })) {
    if (statSync(join(template, file)).isDirectory()) continue;
    const text = readFileSync(join(template, file), 'utf8').replaceAll('{{name}}', name);
    // npm does not pack a .gitignore.
    texts.set(file === 'gitignore' ? '.gitignore' : file, text);
  }
  const isThere = existsSync(folder);
  if (isThere && readdirSync(folder).length > 0) {
    throw new CannotWriteProject(`${folder} is not empty: choose another folder with --folder`);
  }
  let made = folder;
  while (!existsSync(dirname(made))) made = dirname(made);
  try {
    return [...texts].map(([file, text]) => write(join(folder, file), text)).toSorted();
  } catch (error) {
    const left = isThere ? readdirSync(folder).map((each) => join(folder, each)) : [made];
    for (const each of left) rmSync(each, { recursive: true, force: true });
    throw error;
  }
}

function write(file: string, text: string): string {
  makeFolder(dirname(file));
  createFile(file, text);
  return file;
}

/** Not `recursive` of Node, which never ends in a folder that reports a missing path for a new one, as /proc does. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder);
}

/**
 * The packed file that this Puente was installed from, or that `npm pack` made in this clone. Otherwise its version in
 * a registry.
 */
function findOrigin(): string {
  const packed = join(packageRoot, `${packageName.replace('@', '').replace('/', '-')}-${version}.tgz`);
  if (existsSync(packed)) return packed;
  const project = resolve(packageRoot, ...packageName.split('/').map(() => '..'), '..');
  const installed = join(project, 'node_modules/.package-lock.json');
  const lock = existsSync(installed) ? (JSON.parse(readFileSync(installed, 'utf8')) as Lock) : undefined;
  const from = lock?.packages?.[`node_modules/${packageName}`]?.resolved ?? '';
  if (from.startsWith('file:')) return resolve(project, from.slice('file:'.length));
  if (from !== '') return version;
  throw new CannotWriteProject(
    'npm cannot find this Puente: run npm pack in its clone first, or name an available package by --puente',
  );
}

interface Lock {
  readonly packages?: Readonly<Record<string, { readonly resolved?: string } | undefined>>;
}

/** Makes a path relative to the new folder. A version is returned unchanged. */
function toSpecifier(puente: string, folder: string): string {
  if (!/^\.{1,2}[\\/]/.test(puente) && !isAbsolute(puente) && !puente.endsWith('.tgz')) return puente;
  if (!existsSync(puente)) throw new CannotWriteProject(`there is no file ${puente} to install Puente from`);
  return `file:${relative(findRealPath(folder), resolve(puente))}`;
}

/** The path of an existing or a new folder without symbolic links. npm resolves relative paths from there. */
const findRealPath = (folder: string): string =>
  existsSync(folder) ? realpathSync(folder) : join(findRealPath(dirname(folder)), basename(folder));

interface Manifest {
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** The Node version that TypeScript and Puente need. */
const NEEDED_NODE = '24.5';

const isOlder = (version: string): boolean =>
  new Intl.Collator('en', { numeric: true }).compare(version, NEEDED_NODE) < 0;

/** Includes the versions that Puente itself was tested with, and a Node of 190 MB for authors with an older one. */
function createManifest(name: string, puente: string, node: string) {
  const { devDependencies: own } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as Manifest;
  return {
    name,
    version: '0.1.0',
    description: 'An adapter of Puente',
    private: true,
    type: 'module',
    exports: { types: './dist/index.d.ts', default: './dist/index.js' },
    files: ['dist'],
    engines: { node: `>=${NEEDED_NODE}` },
    scripts: {
      // An older Node finds no test in TypeScript and reports success. This command then prints the fix.
      pretest: 'puente --version',
      start: 'puente serve --config puente.yaml',
      check: 'puente check --config puente.yaml',
      // Without a pattern, because options after a pattern are ignored. The runner finds test/ itself.
      test: 'node --test',
      types: 'tsc',
      build: 'tsc -p tsconfig.build.json',
      system: 'node support/system.ts',
    },
    peerDependencies: { [packageName]: `>=${version}` },
    devDependencies: {
      '@types/node': own['@types/node'],
      nock: own.nock,
      ...(isOlder(node) && { node: own.node }),
      [packageName]: puente,
      typescript: own['@typescript/native']?.replace(/^npm:typescript@/, ''),
    },
    allowScripts: { node: true },
  };
}

import { globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { packageRoot } from '../runtime/package.ts';

export interface ScaffoldOptions {
  /** The name of the new package. */
  readonly name: string;
  /** Where it is written. */
  readonly folder: string;
  /** Where npm finds Puente: a version, or the path of a packed one. */
  readonly puente?: string;
}

/** A folder that already has something in it. */
export class FolderNotEmpty extends Error {
  override readonly name = 'FolderNotEmpty';
}

const template = join(packageRoot, 'templates/adapter');

/**
 * Writes the project of an adapter that works, and returns its files.
 * @throws FolderNotEmpty when there is something already; nothing is written then.
 */
export function writeAdapterProject({ name, folder, puente }: ScaffoldOptions): string[] {
  const files = globSync('**/*', { cwd: template, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(template, join(entry.parentPath, entry.name)));
  mkdirSync(folder, { recursive: true });
  if (readdirSync(folder).length > 0) throw new FolderNotEmpty(`${folder} is not empty`);
  const manifest = createManifest(name, puente === undefined ? undefined : toSpecifier(puente, folder));
  const written = [
    write(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`),
    ...files.map((file) => {
      // npm packs no .gitignore.
      const target = basename(file) === 'gitignore' ? join(dirname(file), '.gitignore') : file;
      return write(join(folder, target), readFileSync(join(template, file), 'utf8').replaceAll('{{name}}', name));
    }),
  ];
  return written.toSorted();
}

function write(file: string, text: string): string {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

/** A path becomes one from the new folder; a version stays. */
function toSpecifier(puente: string, folder: string): string {
  if (!/^\.{1,2}[\\/]/.test(puente) && !isAbsolute(puente) && !puente.endsWith('.tgz')) return puente;
  return `file:${relative(folder, resolve(puente))}`;
}

interface Manifest {
  readonly version: string;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** With the versions that Puente itself was tested with. */
function createManifest(name: string, puente?: string) {
  const { version, devDependencies: own } = JSON.parse(
    readFileSync(join(packageRoot, 'package.json'), 'utf8'),
  ) as Manifest;
  return {
    name,
    version: '0.1.0',
    description: 'An adapter of Puente',
    private: true,
    type: 'module',
    exports: { types: './dist/index.d.ts', default: './dist/index.js' },
    files: ['dist'],
    scripts: {
      start: 'puente serve --config puente.yaml',
      check: 'puente check --config puente.yaml',
      test: 'node --test "test/**/*.test.ts"',
      types: 'tsc',
      build: 'tsc -p tsconfig.build.json',
    },
    peerDependencies: { puente: `>=${version}` },
    devDependencies: {
      '@types/node': own['@types/node'],
      node: own.node,
      puente: puente ?? version,
      typescript: own['@typescript/native']?.replace(/^npm:typescript@/, ''),
    },
    allowScripts: { node: true },
  };
}

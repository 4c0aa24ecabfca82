import { basename, resolve } from 'node:path';
import { Command } from 'commander';
import { z } from 'zod';
import { version } from '../runtime/package.ts';
import { checkArgument } from './options.ts';
import { FolderNotEmpty, writeAdapterProject } from './scaffold.ts';

interface NewOptions {
  readonly folder?: string;
  readonly puente?: string;
}

const packageName = z
  .string()
  .max(100)
  .regex(
    /^(@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/,
    'must be the name of a package, e.g. his-adapter or @hospital/his-adapter',
  );

const create = new Command('new')
  .description('Write the project of an adapter that works: TypeScript, one method, a contract test, a configuration.')
  .argument('<name>', 'name of its package, e.g. his-adapter or @hospital/his-adapter', checkArgument(packageName))
  .option('--folder <path>', 'where to write it; default: the name, without its scope, in this folder')
  .option('--puente <package>', 'where npm finds Puente: a version, or a packed one, e.g. ./puente-0.1.0.tgz')
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
          '  npm start',
          ...(puente === undefined ? ['', unpublished] : []),
          '',
          '',
        ].join('\n'),
      );
    } catch (error) {
      if (!(error instanceof FolderNotEmpty)) throw error;
      process.stderr.write(`${error.message}: choose another folder with --folder. Nothing was written.\n`);
      process.exitCode = 1;
    }
  });

const unpublished = `npm install looks for Puente in your registry. From a clone, pack it there (npm pack), remove the folder, and
write it again with --puente and the path of puente-${version}.tgz.`;

export const adapter = new Command('adapter').description('Write adapters of your own.').addCommand(create);

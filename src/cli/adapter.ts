import { basename, resolve } from 'node:path';
import { Command } from 'commander';
import { z } from 'zod';
import { checkArgument } from './options.ts';
import { CannotWriteProject, writeAdapterProject } from './scaffold.ts';

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
  .option('--puente <package>', 'where npm finds Puente: a version, or a packed one; default: where this one came from')
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
          '  npm run system   (in a second terminal, in place of your system)',
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

export const adapter = new Command('adapter').description('Write adapters of your own.').addCommand(create);

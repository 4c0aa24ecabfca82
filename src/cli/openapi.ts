import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { operations } from '../api/index.ts';
import { buildOpenApiDocument } from '../api/openapi.ts';
import { packageRoot, version } from '../toolkit/package.ts';

interface OpenApiCommandOptions {
  readonly write?: true;
  readonly check?: true;
}

export const openapi = new Command('openapi')
  .description('Print the OpenAPI document of all operations, with the default routes of Group B.')
  .option('--write', 'write it to openapi.json')
  .addOption(new Option('--check', 'exit with 1 if openapi.json is out of date').conflicts('write'))
  .action(({ write, check }: OpenApiCommandOptions) => {
    const file = join(packageRoot, 'openapi.json');
    const text = `${JSON.stringify(buildOpenApiDocument(operations, { version }), null, 2)}\n`;
    if (write) {
      writeFileSync(file, text);
      process.stdout.write(`wrote ${file}\n`);
    } else if (!check) {
      process.stdout.write(text);
    } else if (existsSync(file) && readFileSync(file, 'utf8') === text) {
      process.stdout.write('ok  openapi.json is up to date\n');
    } else {
      process.stderr.write('openapi.json is out of date: run npm run openapi\n');
      process.exitCode = 1;
    }
  });

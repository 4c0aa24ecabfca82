import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { z } from 'zod';
import { adapters } from '../../../adapters/index.ts';
import { packageRoot } from '../../toolkit/package.ts';
import { checkArgument, configOption } from '../options.ts';

/** The configuration that comes with Puente for that adapter. */
export const findConfigOf = (adapter: string): string =>
  join(packageRoot, 'config', `${adapter === 'memory' ? 'default' : adapter}.yaml`);

/** A port that a caller names. */
export const checkPort = (text: string): number =>
  Number(checkArgument(z.string().regex(/^\d{1,5}$/, 'must be the number of a port'))(text));

/** The number of an earlier run. */
export const parseSeed = (text: string): number =>
  Number(checkArgument(z.string().regex(/^\d{1,9}$/, 'must be the number that a run printed'))(text));

/** The options that say which institution a command is for. */
export const addInstitutionOptions = (command: Command): Command =>
  command
    .addOption(configOption().conflicts(['adapter', 'url']))
    .addOption(
      new Option('--adapter <name>', 'the adapter with the configuration that comes with Puente')
        .choices(Object.keys(adapters).filter((name) => existsSync(findConfigOf(name))))
        .conflicts('url'),
    )
    .option('--url <url>', 'a server that answers the API below this address; the token is PUENTE_CONTRACT_TOKEN');

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { adapters } from '../../../adapters/index.ts';
import { packageRoot } from '../../runtime/package.ts';
import { configOption } from '../options.ts';

/** The configuration that comes with Puente for that adapter. */
export const findConfigOf = (adapter: string): string =>
  join(packageRoot, 'config', `${adapter === 'memory' ? 'default' : adapter}.yaml`);

/** The options that say which institution a command is for. */
export const addInstitutionOptions = (command: Command): Command =>
  command
    .addOption(configOption().conflicts(['adapter', 'url']))
    .addOption(
      new Option('--adapter <name>', 'the adapter with the configuration that comes with Puente')
        .choices(Object.keys(adapters).filter((name) => existsSync(findConfigOf(name))))
        .conflicts('url'),
    )
    .option('--url <url>', 'a server that answers the API below this address, Puente or another one')
    .option('--token-env <name>', 'environment variable with the token; default: PUENTE_CONTRACT_TOKEN')
    .addOption(new Option('--token-stdin', 'read the token from standard input').conflicts(['token', 'tokenEnv']))
    .addOption(
      new Option('--token <token>', 'the token; other users of this machine can see it here').conflicts('tokenEnv'),
    );

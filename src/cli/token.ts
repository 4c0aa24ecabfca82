import { Command, InvalidArgumentError } from 'commander';
import { allScopes } from '../api/index.ts';
import { didYouMean } from '../config/did-you-mean.ts';
import { tokenEntry, tokenEntryYaml } from '../config/token-entry.ts';
import { createToken, hashToken } from '../runtime/trial-token.ts';
import { checkArgument } from './options.ts';
import { inspect } from './token-inspect.ts';

interface CreateOptions {
  readonly client: string;
  readonly scope: 'all' | string[];
  readonly expires?: string;
}

const create = new Command('create')
  .description('Create a token for a client. It is printed once; the configuration stores only its hash.')
  .requiredOption('--client <name>', 'name of the client, for the log', checkArgument(tokenEntry.shape.client))
  .requiredOption('--scope <list>', `all, or some of: ${allScopes.join(', ')}`, toScopes)
  .option('--expires <day>', 'day on which it expires, e.g. 2027-01-31', checkArgument(tokenEntry.shape.expires))
  .action(({ client, scope, expires }: CreateOptions) => {
    const token = createToken();
    const entry = { client, sha256: hashToken(token), scopes: scope, ...(expires !== undefined && { expires }) };
    process.stdout.write(
      [
        'Give this token to the client. It is not shown again and cannot be recovered from the configuration:',
        '',
        `  ${token}`,
        '',
        'Add this to the configuration and restart the gateway:',
        '',
        ...tokenEntryYaml(entry)
          .trimEnd()
          .split('\n')
          .map((line) => `  ${line}`),
        '',
        '',
      ].join('\n'),
    );
  });

export const token = new Command('token')
  .description('Manage the tokens of clients.')
  .addCommand(create)
  .addCommand(inspect);

function toScopes(list: string): 'all' | string[] {
  if (list === 'all') return list;
  const given = list.split(',').map((scope) => scope.trim());
  const known: readonly string[] = allScopes;
  const unknown = given.find((scope) => !known.includes(scope));
  if (unknown !== undefined) {
    throw new InvalidArgumentError(`Unknown scope '${unknown}'${didYouMean(unknown, allScopes)}`);
  }
  return given;
}

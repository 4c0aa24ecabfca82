import { Command } from 'commander';
import type { z } from 'zod';
import { allScopes } from '../api/index.ts';
import { tokenEntry, tokenEntryYaml } from '../config/token-entry.ts';
import { createToken, hashToken } from '../runtime/trial-token.ts';
import { didYouMean } from '../toolkit/did-you-mean.ts';
import { inspect } from './token-inspect.ts';

interface CreateOptions {
  readonly client?: string;
  readonly scope?: string;
  readonly expires?: string;
}

const create = new Command('create')
  .description('Create a token for a client. It is printed once; the configuration stores only its hash.')
  .option('--client <name>', 'name of the client, for the log')
  .option('--scope <list>', `all, or some of: ${allScopes.join(', ')}`)
  .option('--expires <day>', 'day on which it expires, e.g. 2027-01-31')
  .action((options: CreateOptions, command: Command) => {
    const problems = findProblems(options);
    if (problems.length > 0) command.error(problems.join('\n'));
    const { client = '', scope = '', expires } = options;
    const token = createToken();
    const entry = {
      client,
      sha256: hashToken(token),
      scopes: scope === 'all' ? scope : listScopes(scope),
      ...(expires !== undefined && { expires }),
    };
    process.stdout.write(
      [
        'Give this token to the client. It is not shown again and cannot be recovered from the configuration:',
        '',
        `  ${token}`,
        '',
        'Add this to the configuration, which puente reload (or a restart of the gateway) then takes over:',
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

const listScopes = (list: string): string[] => list.split(',').map((scope) => scope.trim());

/** One line for each option that is missing or wrong. */
function findProblems({ client, scope, expires }: CreateOptions): string[] {
  const unknown = scope === 'all' ? [] : listScopes(scope ?? '').filter((each) => !known.has(each));
  const { shape } = tokenEntry;
  return [
    ...(client === undefined ? ['--client is missing'] : refuse('--client', shape.client, client)),
    ...(scope === undefined
      ? ['--scope is missing']
      : unknown.map((each) => `--scope: unknown scope ${each}${didYouMean(each, allScopes)}`)),
    ...refuse('--expires', shape.expires.refine(isInTheFuture, 'is in the past'), expires),
  ];
}

const known: ReadonlySet<string> = new Set(allScopes);

const isInTheFuture = (expires: string | undefined): boolean =>
  expires === undefined || Date.parse(expires) > Date.now();

const refuse = (option: string, schema: z.ZodType, value: string | undefined): string[] =>
  schema.safeParse(value).error?.issues.map(({ message }) => `${option} ${message}`) ?? [];

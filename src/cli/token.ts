import { text } from 'node:stream/consumers';
import { styleText } from 'node:util';
import { Command } from 'commander';
import type { z } from 'zod';
import { loaders } from '../../adapters/loaders.ts';
import { allScopes } from '../api/index.ts';
import { inspectToken } from '../auth/examine.ts';
import { loadConfig } from '../config/read.ts';
import { tokenEntry, tokenEntryYaml } from '../config/schema.ts';
import { createToken, hashToken } from '../runtime/authentication.ts';
import { openIssuers } from '../runtime/issuers.ts';
import { didYouMean } from '../toolkit/problems.ts';
import { configOption } from './terminal.ts';

const inspect = new Command('inspect')
  .description('Check a token as the gateway does. The command reads it from standard input and does not print it.')
  .addOption(configOption())
  .addHelpText('after', '\nExits with 1 if the gateway would refuse the token, or if it has no scope.')
  .action(async ({ config: file }: { config?: string }) => {
    const loaded = await loadConfig({ file, environment: process.env, adapters: loaders });
    const { config } = loaded;
    const token = (await text(process.stdin)).trim().replace(/^(Authorization: *)?Bearer +/i, '');
    const { says, expected, checks } = await inspectToken(token, {
      tokens: config.auth.tokens,
      issuers: await openIssuers(loaded),
      maxTokenLength: config.auth.maxTokenLength,
      now: Date.now(),
    });
    const given = Object.entries(expected).filter(([, value]) => value !== undefined);
    const lines = [
      'The token says',
      ...Object.entries(says).map(([name, value]) => `  ${name}: ${quote(value)}`),
      'The gateway expects',
      ...given.map(([name, value]) => `  ${name}: ${quote(value)}`),
      'Checks, with the log’s reason for a token that fails them',
      ...checks.map(({ reason, passes, cause }) => `${mark(passes)} ${reason}${cause ? ` (${cause})` : ''}`),
    ];
    process.stdout.write(`${lines.join('\n')}\n`);
    if (checks.every(({ passes }) => passes)) return;
    process.stdout.write('"When a token is refused" in docs/how-to/identity.md explains each reason and what to do.\n');
    process.exitCode = 1;
  });

const mark = (passes: boolean): string => (passes ? styleText('green', 'ok   ') : styleText('red', 'wrong'));

/** As ASCII JSON of limited length: a token may have characters that control a terminal. */
const quote = (value: unknown): string =>
  (JSON.stringify(value) ?? 'missing').replace(/[^\x20-\x7e]/g, '?').slice(0, 300);

interface CreateOptions {
  readonly client?: string;
  readonly scope?: string;
  readonly expires?: string;
}

const create = new Command('create')
  .description('Create a token for a client. It is printed once, and the configuration stores only its hash.')
  .option('--client <name>', 'name of the client, for the log')
  .option('--scope <list>', `all, or a selection of: ${allScopes.join(', ')}`)
  .option('--expires <day>', 'day of its expiry, e.g. 2027-01-31')
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
        'Add this to the configuration, and run puente reload or restart the gateway:',
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

function findProblems({ client, scope, expires }: CreateOptions): string[] {
  const unknown = scope === 'all' ? [] : listScopes(scope ?? '').filter((each) => !known.has(each));
  const { shape } = tokenEntry;
  return [
    ...(client === undefined ? ['--client is missing: add it'] : refuse('--client', shape.client, client)),
    ...(scope === undefined
      ? ['--scope is missing: add it']
      : unknown.map((each) => `--scope: unknown scope ${each}${didYouMean(each, allScopes)}`)),
    ...refuse('--expires', shape.expires.refine(isInTheFuture, 'is in the past'), expires),
  ];
}

const known: ReadonlySet<string> = new Set(allScopes);

const isInTheFuture = (expires: string | undefined): boolean =>
  expires === undefined || Date.parse(expires) > Date.now();

const refuse = (option: string, schema: z.ZodType, value: string | undefined): string[] =>
  schema.safeParse(value).error?.issues.map(({ message }) => `${option} ${message}`) ?? [];

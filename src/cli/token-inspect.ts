import { text } from 'node:stream/consumers';
import { styleText } from 'node:util';
import { Command } from 'commander';
import { adapters } from '../../adapters/index.ts';
import { loadConfig } from '../config/read.ts';
import { inspectToken } from '../http/auth/inspect-token.ts';
import { openIssuers } from '../runtime/issuers.ts';
import { configOption } from './options.ts';

export const inspect = new Command('inspect')
  .description('Check a token as the gateway does. It is read from the standard input and not printed.')
  .addOption(configOption())
  .addHelpText('after', '\nExits with 1 when the gateway would refuse the token, or when it has no scope.')
  .action(async ({ config: file }: { config?: string }) => {
    const loaded = await loadConfig({ file, environment: process.env, adapters });
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
      'Checks, by the reason that the log has for a token that fails them',
      ...checks.map(({ reason, passes, cause }) => `${mark(passes)} ${reason}${cause ? ` (${cause})` : ''}`),
    ];
    process.stdout.write(`${lines.join('\n')}\n`);
    if (checks.every(({ passes }) => passes)) return;
    process.stdout.write('docs/identity.md, "When a token is refused", says what each reason means and what to do.\n');
    process.exitCode = 1;
  });

const mark = (passes: boolean): string => (passes ? styleText('green', 'ok   ') : styleText('red', 'wrong'));

/** As JSON, in ASCII and not endless: a token may hold what controls a terminal. */
const quote = (value: unknown): string =>
  (JSON.stringify(value) ?? 'missing').replace(/[^\x20-\x7e]/g, '?').slice(0, 300);

import { text } from 'node:stream/consumers';
import { styleText } from 'node:util';
import { Command } from 'commander';
import { adapters } from '../../adapters/index.ts';
import { loadConfig } from '../config/read.ts';
import { inspectToken } from '../http/auth/inspect-token.ts';
import { openIssuers } from '../runtime/issuers.ts';
import { configOption } from './options.ts';

export const inspect = new Command('inspect')
  .description('Say what is right and wrong with a token, which is read from the standard input and not printed.')
  .addOption(configOption())
  .addHelpText('after', '\nExits with 1 when the gateway would refuse the token, or when it has no scope.')
  .action(async ({ config: file }: { config?: string }) => {
    const loaded = await loadConfig({ file, environment: process.env, adapters });
    const { config } = loaded;
    const token = (await text(process.stdin)).trim().replace(/^(Authorization: *)?Bearer +/i, '');
    const findings = await inspectToken(token, {
      tokens: config.auth.tokens,
      issuers: await openIssuers(loaded),
      maxTokenLength: config.auth.maxTokenLength,
      now: Date.now(),
    });
    for (const { what, fix } of findings) {
      process.stdout.write(`${fix === undefined ? styleText('green', 'ok   ') : styleText('red', 'wrong')} ${what}\n`);
      if (fix !== undefined) process.stdout.write(`      ${fix}\n`);
    }
    if (findings.some(({ fix }) => fix !== undefined)) process.exitCode = 1;
  });

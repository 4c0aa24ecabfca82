import { Command } from 'commander';
import { loaders } from '../../adapters/loaders.ts';
import { loadConfig } from '../config/read.ts';
import { withState } from '../runtime/open.ts';
import { ConfigProblems } from '../toolkit/problems.ts';
import { configOption } from './terminal.ts';

const rotate = new Command('rotate')
  .description('Encrypt all data under the first key of state.encryptionKey, while gateways run.')
  .addOption(configOption())
  .addHelpText(
    'after',
    `
It can be stopped, and continues with the next run. First start every gateway with the new key in front.
Exits with 1 while data is left under another key.`,
  )
  .action(async ({ config: file }: { config?: string }) => {
    const loaded = await loadConfig({ file, environment: process.env, adapters: loaders });
    const { encryptionKey } = loaded.config.state;
    const refuse = (what: string) => new ConfigProblems([loaded.problem(['state', 'encryptionKey'], what)]);
    if (typeof encryptionKey !== 'object' || encryptionKey.length < 2) {
      throw refuse('must be a list with the new key before the old one');
    }
    await withState(loaded, async (state) => {
      if (!state.rotate) throw refuse('is not used: state.kind is memory');
      const { keyId, renewed, left, unreadable } = await state.rotate(showProgress);
      process.stdout.write(`${renewed} rows were encrypted again, under the key ${keyId}\n`);
      if (unreadable > 0)
        process.stdout.write(`${unreadable} rows cannot be decrypted by any key: run puente audit verify\n`);
      if (left === 0) {
        process.stdout.write('no row is left under another key: remove the others from state.encryptionKey\n');
        return;
      }
      process.stdout.write(
        `${left} rows are left under another key, from running requests or from a gateway without the new key: run it again\n`,
      );
      process.exitCode = 1;
    });
  });

export const state = new Command('state').description('Manage the stored keys and records.').addCommand(rotate);

function showProgress(renewed: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${renewed} rows`);
}

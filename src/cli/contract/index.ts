import { existsSync } from 'node:fs';
import { styleText } from 'node:util';
import { Command, Option } from 'commander';
import { adapters } from '../../../adapters/index.ts';
import { ConfigProblems } from '../../config/problems.ts';
import { configOption } from '../options.ts';
import { CannotRun } from './cannot-run.ts';
import { type ContractOptions, checkContract, exitCodes } from './check-contract.ts';
import { findConfigOf } from './process-target.ts';
import type { Surroundings } from './surroundings.ts';

/** What bad usage exits with. */
export const CANNOT_RUN = exitCodes.cannotRun;

export const contract = new Command('contract')
  .description('Prove on an institution what the API document promises, sentence by sentence.')
  .addOption(configOption().conflicts('adapter'))
  .addOption(
    new Option('--adapter <name>', 'the adapter with the configuration that comes with Puente').choices(
      Object.keys(adapters).filter((name) => existsSync(findConfigOf(name))),
    ),
  )
  .addOption(
    new Option('--level <level>', 'safe reads, write leaves records, destructive also takes slots').choices([
      'safe',
      'write',
      'destructive',
    ]),
  )
  .option('--only <pattern>', 'only cases with this text in their id or title; * is any text')
  .option('--bail', 'stop after the first case that fails')
  .option('--verbose', 'list every case')
  .option('--json <file>', 'write the report as JSON')
  .option('--junit <file>', 'write the report as JUnit XML')
  .option('--html <file>', 'write the report as one HTML file')
  .addHelpText(
    'after',
    `
The default level is safe. It is destructive where all data is in memory, which is gone afterwards.
Exit codes: 0 all that was run passed, 1 a case failed, 2 nothing could be proved.`,
  )
  .action((options: ContractOptions) => exitWith((surroundings) => checkContract(options, surroundings)));

/** Runs a command with what the process gives it, and sets the exit code. The first SIGINT ends it after the current case. */
async function exitWith(run: (surroundings: Surroundings) => Promise<number>): Promise<void> {
  const interruption = new AbortController();
  const interrupt = () => interruption.abort();
  process.once('SIGINT', interrupt);
  try {
    process.exitCode = await run({
      environment: process.env,
      paint: (style, text) => styleText(style, text, { stream: process.stdout }),
      signal: interruption.signal,
      progress: process.stderr,
      print: (text) => process.stdout.write(text),
    });
  } catch (error) {
    if (error instanceof ConfigProblems) process.stderr.write(`${error.problems.join('\n')}\n`);
    else if (error instanceof CannotRun) process.stderr.write(`cannot run: ${error.message}\n`);
    else throw error;
    process.exitCode = CANNOT_RUN;
  } finally {
    process.off('SIGINT', interrupt);
  }
}

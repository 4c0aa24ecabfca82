import { styleText } from 'node:util';
import { Command, Option } from 'commander';
import { toPlainText } from '../../toolkit/plain-text.ts';
import { ConfigProblems } from '../../toolkit/problems.ts';
import { exitCodes, report } from '../terminal.ts';
import type { InitOptions } from './init.ts';
import type { CommandContext } from './options.ts';
import { addInstitutionOptions, CannotRun, checkPort, parseSeed } from './options.ts';
import type { ContractOptions } from './run.ts';

// Loaded on use, because the gateway does not need it.
const loadCheck = () => import('./run.ts');
const loadInit = () => import('./init.ts');

const init = addInstitutionOptions(new Command('init'))
  .description(
    'Write a fixture map to fill in: the records that the contract may use at an institution. An existing map gets the missing parts.',
  )
  .option('--out <file>', 'file to write', 'contract.yaml')
  .option('--force', 'overwrite the file')
  .addHelpText(
    'after',
    `
It only reads the offer and some records of the institution. Exit codes: 0 written, 2 not written.`,
  )
  .action((_options: InitOptions, command: Command) =>
    exitWith(async (context) => (await loadInit()).initMap(command.optsWithGlobals<InitOptions>(), context)),
  );

export const contract = addInstitutionOptions(new Command('contract'))
  .description('Prove every promise of the API document on an institution.')
  .option('--map <file>', 'the records that the cases may use, as contract init writes them')
  .option(
    '--through <url>',
    'with --url: the address of the system behind the gateway, which must use --through-port instead',
  )
  .option('--through-port <port>', 'the port on 127.0.0.1 where the gateway reaches its system', checkPort, 8099)
  .addOption(
    new Option('--level <level>', 'safe only reads, write leaves records, destructive also takes slots').choices([
      'safe',
      'write',
      'destructive',
    ]),
  )
  .option('--only <pattern>', 'only cases with this text in their id or title; * matches any text')
  .addOption(
    new Option('--list', 'print the cases with their fixtures, without running them').conflicts([
      'level',
      'bail',
      'verbose',
      'json',
      'junit',
    ]),
  )
  .option(
    '--skip <file>',
    'known failures, as YAML: the reason by the id of the case; a case that passes fails the run',
  )
  .option('--seed <number>', 'repeats the random choices of the run that printed this number', parseSeed)
  .option('--bail', 'stop after the first failed case')
  .option('--verbose', 'list every case')
  .option('--json <file>', 'write the report as JSON')
  .option('--junit <file>', 'write the report as JUnit XML')
  .addHelpText(
    'after',
    `
Without --url, --config, --adapter and PUENTE_CONFIG it runs over the sandbox, which needs no map.
The default level is safe, and destructive if all data is in memory, which ends
with the run. Booked appointments are canceled and added relatives removed.
Exit codes: 0 every case that ran passed, 1 a case failed, 2 nothing could be proved.`,
  )
  .action((options: ContractOptions) =>
    exitWith(async (context) => (await loadCheck()).checkContract(options, context)),
  )
  .addCommand(init);

/**
 * Runs a command with the context of this process, and sets the exit code. The first SIGINT ends it after the current
 * case.
 */
async function exitWith(run: (context: CommandContext) => Promise<number>): Promise<void> {
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
    if (error instanceof ConfigProblems) report(error);
    else if (error instanceof CannotRun) process.stderr.write(`cannot run: ${toPlainText(error.message)}\n`);
    else throw error;
    process.exitCode = exitCodes.cannotRun;
  } finally {
    process.off('SIGINT', interrupt);
  }
}

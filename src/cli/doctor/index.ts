import { styleText } from 'node:util';
import { Command } from 'commander';
import { configOption, exitCodes, report } from '../terminal.ts';
import type { RunOptions } from './run.ts';

export const doctor = new Command('doctor')
  .description('Find problems of a gateway or the institution’s system, and what to do.')
  .addOption(configOption())
  .option('--patient <id...>', 'patients whose records doctor may read; their values are never printed')
  .option(
    '--rehearse <id>',
    'an invented patient, for whom a database makes each change of a mapping file and rolls it back',
  )
  .option('--json', 'print one JSON document')
  .addHelpText(
    'after',
    `
It leaves the institution's system unchanged, starts no gateway and writes no log.
It prints the ids of records that callers cannot get: run it on your own
terminal.
Exit codes: 0 healthy, 1 something is wrong, 2 it could not run.`,
  )
  .action(async (options: Omit<RunOptions, 'environment'>) => {
    try {
      // Loaded on use, because the gateway does not need it.
      const { run } = await import('./run.ts');
      process.exitCode = await run(
        { ...options, environment: process.env },
        {
          paint: (style, text) => styleText(style, text, { stream: process.stdout }),
          print: (text) => process.stdout.write(text),
        },
      );
    } catch (error) {
      report(error);
      process.exitCode = exitCodes.cannotRun;
    }
  });

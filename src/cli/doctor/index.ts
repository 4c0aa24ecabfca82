import { styleText } from 'node:util';
import { Command } from 'commander';
import { configOption, exitCodes, report } from '../terminal.ts';
import type { RunOptions } from './run.ts';

export const doctor = new Command('doctor')
  .description('Find problems of a gateway or the institution’s system, and their repairs.')
  .addOption(configOption())
  .option('--patient <id...>', 'patients whose records doctor may read; it never shows their values')
  .option(
    '--rehearse <id>',
    'an invented patient, for whom a database makes each change of a mapping file and undoes it',
  )
  .option('--json', 'print one JSON document')
  .addHelpText(
    'after',
    `
It leaves nothing changed in the institution's system, starts no gateway and writes
no log. It shows the ids of records that cannot be shown to callers: run it on a
terminal of your own.
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

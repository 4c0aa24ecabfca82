import { Command } from 'commander';
import { start } from '../runtime/main.ts';
import { configOption } from './terminal.ts';

export const serve = new Command('serve')
  .description('Run the gateway.')
  .addOption(configOption())
  .option('--port <number>', 'TCP port to listen on; overrides the configuration')
  .addHelpText(
    'after',
    `
Without a configuration it serves the sandbox from memory. SIGTERM and SIGINT wait for the requests in flight; a second
signal ends the waiting. SIGHUP reads tokens, issuers and limits of callers again. Exit codes: 0 shut down, 1 cannot
listen or crashed, 78 only another configuration helps.`,
  )
  // npm keeps options that stand before --, and passes on their values.
  .argument('[strays...]')
  .usage('[options]')
  .action(([stray]: readonly string[], { config, port }: { config?: string; port?: string }, command: Command) => {
    if (stray !== undefined)
      command.error(`error: ${stray} is no option; those of npm start stand behind --, as in npm start -- --port 8123`);
    return start({ file: config, port, environment: process.env });
  });

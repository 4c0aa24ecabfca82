import { Command } from 'commander';
import { start } from '../runtime/main.ts';
import { configOption } from './options.ts';

export const serve = new Command('serve')
  .description('Run the gateway until it is told to stop.')
  .addOption(configOption())
  .option('--port <number>', 'TCP port to listen on; comes before the configuration')
  .addHelpText(
    'after',
    `
Without a configuration it serves an invented hospital from memory. SIGTERM and SIGINT let the requests in flight end
first; a second signal ends the waiting. Exit codes: 0 stopped, 1 cannot listen or crashed, 78 misconfigured.`,
  )
  .action(({ config, port }: { config?: string; port?: string }) =>
    start({ file: config, port, environment: process.env }),
  );

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { start } from '../runtime/main.ts';
import { packageRoot } from '../toolkit/package.ts';
import { configOption, writePrivately } from './terminal.ts';

export const serve = new Command('serve')
  .description('Run the gateway.')
  .addOption(configOption())
  .option('--port <number>', 'TCP port to listen on; overrides the configuration')
  .addOption(
    new Option(
      '--sandbox',
      'the sandbox for tests: prints one line of JSON when it listens, and logs errors alone',
    ).conflicts('config'),
  )
  .option('--ready-file <file>', 'file to write that line to: url, token and pid')
  .addHelpText(
    'after',
    `
Without a configuration it serves the sandbox from memory. SIGTERM and SIGINT wait for the requests in flight; a second
signal ends the waiting. SIGHUP reads tokens, issuers and limits of callers again. Exit codes: 0 shut down, 1 cannot
listen, 78 only another configuration helps.`,
  )
  // npm keeps options that stand before --, and passes on their values.
  .argument('[strays...]')
  .usage('[options]')
  .action(([stray]: readonly string[], { sandbox, readyFile, ...options }: Options, command: Command) => {
    if (stray !== undefined)
      command.error(`error: ${stray} is no option; those of npm start stand behind --, as in npm start -- --port 8123`);
    // Nobody is to take an earlier one for this one.
    if (readyFile !== undefined) rmSync(readyFile, { force: true });
    const tell = (gateway: object) => {
      const line = `${JSON.stringify({ ...gateway, pid: process.pid })}\n`;
      if (readyFile !== undefined) writePrivately(readyFile, line);
      if (sandbox) process.stdout.write(line);
    };
    return start({
      file: sandbox ? join(packageRoot, 'config/default.yaml') : options.config,
      port: options.port,
      environment: sandbox ? { PUENTE_LOG_LEVEL: 'error', ...process.env } : process.env,
      onListening: sandbox || readyFile !== undefined ? tell : undefined,
    });
  });

interface Options {
  readonly config?: string;
  readonly port?: string;
  readonly sandbox?: true;
  readonly readyFile?: string;
}

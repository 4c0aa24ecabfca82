import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { start } from '../runtime/main.ts';
import { getErrorCode } from '../toolkit/failures.ts';
import { packageRoot } from '../toolkit/package.ts';
import { writePrivately } from '../toolkit/private-file.ts';
import { ConfigProblems } from '../toolkit/problems.ts';
import { omitUndefined } from '../toolkit/records.ts';
import { configOption } from './terminal.ts';

export const serve = new Command('serve')
  .description('Run the gateway.')
  .addOption(configOption())
  .option('--port <number>', 'TCP port to listen on; overrides the configuration')
  .addOption(
    new Option(
      '--sandbox',
      'the sandbox for tests: prints one line of JSON when it listens, and logs only errors',
    ).conflicts('config'),
  )
  .addOption(
    new Option('--now <time>', 'for a sandbox: freezes its clock at this time, e.g. 2027-03-01T09:00').argParser(
      parseTime,
    ),
  )
  .addOption(
    new Option('--seed <number>', 'for a sandbox: gives the same ids and random results at each start').argParser(
      parseSeed,
    ),
  )
  .addOption(
    new Option(
      '--world <size>',
      'for a sandbox: has 10,000 patients, 60 practitioners and a year of appointments',
    ).choices(['large']),
  )
  .option('--ready-file <file>', 'file for that line: url, token and pid')
  .addHelpText(
    'after',
    `
Without a configuration it serves the sandbox from memory. SIGTERM and SIGINT wait for the requests in flight, and a second
signal ends the wait. SIGHUP reads tokens, issuers and limits of callers again. Exit codes: 0 shut down, 1 cannot
listen, 78 only another configuration helps.`,
  )
  // npm consumes options before --, and passes on their values.
  .argument('[strays...]')
  .usage('[options]')
  .action(
    (
      [stray]: readonly string[],
      { sandbox, readyFile, now, seed, world, ...options }: ServeOptions,
      command: Command,
    ) => {
      if (stray !== undefined)
        command.error(`error: ${stray} is not an option: write options after --, e.g. npm start -- --port 8123`);
      const ready = readyFile === undefined ? undefined : new ReadyFile(readyFile);
      const tell = (gateway: object) => {
        const line = `${JSON.stringify({ ...gateway, pid: process.pid })}\n`;
        ready?.write(line);
        if (sandbox) process.stdout.write(line);
      };
      return start({
        file: sandbox ? join(packageRoot, 'config/default.yaml') : options.config,
        port: options.port,
        sandbox: (now ?? seed ?? world) === undefined ? undefined : omitUndefined({ now, seed, world }),
        environment: { ...(sandbox && { PUENTE_LOG_LEVEL: 'error' }), ...process.env },
        onListening: sandbox || ready ? tell : undefined,
      });
    },
  );

interface ServeOptions {
  readonly config?: string;
  readonly port?: string;
  readonly sandbox?: true;
  readonly readyFile?: string;
  readonly now?: string;
  readonly seed?: number;
  readonly world?: string;
}

function parseTime(text: string): string {
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/.test(text)) return text;
  throw new InvalidArgumentError(
    'write a time such as 2027-03-01T09:00, or with its offset 2027-03-01T09:00:00-03:00.',
  );
}

function parseSeed(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('write a whole number such as 7.');
}

/**
 * A file that exists while this process accepts requests. Only SIGKILL leaves it behind, and the next process removes
 * it.
 */
class ReadyFile {
  readonly #path: string;

  /** Removes the file of an earlier process. @throws ConfigProblems if that fails. */
  constructor(path: string) {
    this.#path = path;
    this.#use(() => rmSync(path, { force: true }));
  }

  /** @throws ConfigProblems if it cannot be written. */
  write(line: string): void {
    this.#use(() => writePrivately(this.#path, line));
    process.on('exit', () => {
      // Another process may have replaced it.
      if (readText(this.#path) === line) rmSync(this.#path, { force: true });
    });
  }

  #use(work: () => void): void {
    try {
      work();
    } catch (error) {
      throw new ConfigProblems([`--ready-file: ${this.#path} cannot be used (${getErrorCode(error)})`]);
    }
  }
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

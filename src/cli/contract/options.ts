import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { styleText } from 'node:util';
import { type Command, Option } from 'commander';
import { z } from 'zod';
import { loaders } from '../../../adapters/loaders.ts';
import type { Environment } from '../../config/keys.ts';
import type { Case } from '../../contract/index.ts';
import { packageRoot } from '../../toolkit/package.ts';
import { checkArgument, configOption } from '../terminal.ts';

/** The configuration in this package for that adapter. */
export const findConfigOf = (adapter: string): string =>
  join(packageRoot, 'config', `${adapter === 'memory' ? 'default' : adapter}.yaml`);

/** Parses a port. */
export const checkPort = (text: string): number =>
  Number(checkArgument(z.string().regex(/^\d{1,5}$/, 'must be the number of a port'))(text));

/** Parses the seed of an earlier run. */
export const parseSeed = (text: string): number =>
  Number(checkArgument(z.string().regex(/^\d{1,9}$/, 'must be the number that a run printed'))(text));

/** Adds the options that select the institution of a command. */
export const addInstitutionOptions = (command: Command): Command =>
  command
    .addOption(configOption().conflicts(['adapter', 'url']))
    .addOption(
      new Option('--adapter <name>', 'the adapter with the configuration that comes with Puente')
        .choices(Object.keys(loaders).filter((name) => existsSync(findConfigOf(name))))
        .conflicts('url'),
    )
    .option('--url <url>', 'a server that answers the API at this address; the token is PUENTE_CONTRACT_TOKEN');

/** The reason why a command cannot start, for the operator. The exit code is 2. */
export class CannotRun extends Error {
  override readonly name = 'CannotRun';
}

/** Colors a text, or returns it unchanged. */
export type Paint = (style: Parameters<typeof styleText>[0], text: string) => string;

/** The parts of the process that the command uses. */
export interface CommandContext {
  readonly environment: Environment;
  readonly paint: Paint;
  /** Aborts when the operator stops the command. */
  readonly signal: AbortSignal;
  readonly progress: ProgressStream;
  print(text: string): void;
}

/** The output for progress. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Shows the current case in one line of a terminal. Shows nothing without a terminal. */
export function createProgress(stream: ProgressStream, { isVerbose = false } = {}) {
  const { isTTY = false, columns = 80 } = stream;
  const note = (line: string): void => {
    if (isTTY) stream.write(`\r\u001b[2K${line.slice(0, columns - 1)}`);
    else if (isVerbose) stream.write(`${line}\n`);
  };
  return {
    note,
    show: ({ id }: Case, index: number, total: number): void =>
      note(`${String(index + 1).padStart(String(total).length)}/${total} ${id}`),
    clear: (): void => {
      if (isTTY) stream.write('\r\u001b[2K');
    },
  };
}

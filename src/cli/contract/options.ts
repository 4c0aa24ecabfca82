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

/** The configuration that comes with Puente for that adapter. */
export const findConfigOf = (adapter: string): string =>
  join(packageRoot, 'config', `${adapter === 'memory' ? 'default' : adapter}.yaml`);

/** A port that a caller names. */
export const checkPort = (text: string): number =>
  Number(checkArgument(z.string().regex(/^\d{1,5}$/, 'must be the number of a port'))(text));

/** The number of an earlier run. */
export const parseSeed = (text: string): number =>
  Number(checkArgument(z.string().regex(/^\d{1,9}$/, 'must be the number that a run printed'))(text));

/** The options that say which institution a command is for. */
export const addInstitutionOptions = (command: Command): Command =>
  command
    .addOption(configOption().conflicts(['adapter', 'url']))
    .addOption(
      new Option('--adapter <name>', 'the adapter with the configuration that comes with Puente')
        .choices(Object.keys(loaders).filter((name) => existsSync(findConfigOf(name))))
        .conflicts('url'),
    )
    .option('--url <url>', 'a server that answers the API below this address; the token is PUENTE_CONTRACT_TOKEN');

/** Why a command cannot begin its work, for the operator; it then exits with 2. */
export class CannotRun extends Error {
  override readonly name = 'CannotRun';
}

/** Colours a text, or leaves it as it is. */
export type Paint = (style: Parameters<typeof styleText>[0], text: string) => string;

/** What the command uses of the process that it runs in. */
export interface CommandContext {
  readonly environment: Environment;
  readonly paint: Paint;
  /** Aborted when the operator wants it to stop. */
  readonly signal: AbortSignal;
  readonly progress: ProgressStream;
  print(text: string): void;
}

/** Where progress is shown. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** One line of a terminal that says which case is being run; nothing where there is no terminal. */
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

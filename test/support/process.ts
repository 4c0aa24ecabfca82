import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { findLeaks } from './leak-detector.ts';

/** The command as `npm start` runs it. */
const source = join(import.meta.dirname, '../../src/cli/launch.cjs');

type Environment = Readonly<Record<string, string>>;

/** Compiling the sources anew would take half of each start. */
const compileCache = join(import.meta.dirname, '../../node_modules/.cache/puente/compiled');

/** Enough of the environment for a process to run, and nothing that configures Puente. */
const isolateEnvironment = (environment: Environment) => ({
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: compileCache,
  ...environment,
});

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A `puente` command in a process of its own. */
export class PuenteProcess {
  readonly #child;
  /** What was printed so far. */
  stdout = '';
  stderr = '';
  /** Rejects when a line of the log gave away a patient, an id or a token. */
  readonly ended: Promise<Ended>;

  constructor(args: readonly string[], environment: Environment = {}, program = source) {
    this.#child = spawn(process.execPath, [program, ...args], {
      env: isolateEnvironment(environment),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
    });
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.ended = once(this.#child, 'close').then(([code]) => {
      const leaks = findLogLines(this.stdout).flatMap(findLeaks);
      if (leaks.length > 0) throw new Error(`the log gave away ${leaks.join(', ')}`);
      return { code: code as number | null, stdout: this.stdout, stderr: this.stderr };
    });
  }

  /** Resolves when the standard output holds the text; rejects when the process ends before. */
  waitForOutput(text: string): Promise<void> {
    return this.#waitFor('stdout', text);
  }

  /** The same of the standard error. */
  waitForError(text: string): Promise<void> {
    return this.#waitFor('stderr', text);
  }

  async #waitFor(stream: 'stdout' | 'stderr', text: string): Promise<void> {
    const over = this.ended.then(({ code, stderr }) => {
      throw new Error(`ended with ${code}: ${stderr}`);
    });
    over.catch(() => undefined);
    while (!this[stream].includes(text)) {
      await Promise.race([once(this.#child[stream], 'data'), over]);
    }
  }

  /** @throws Error when the process could not be started. */
  get pid(): number {
    if (this.#child.pid === undefined) throw new Error('the process did not start');
    return this.#child.pid;
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }
}

const findLogLines = (output: string): string[] => output.split('\n').filter((line) => line.startsWith('{"time":'));

/** Runs a command to its end. */
export const runPuente = (args: readonly string[], environment?: Environment, program?: string): Promise<Ended> =>
  new PuenteProcess(args, environment, program).ended;

/** The token of every gateway that `serve` starts. */
export const token = 'token-for-the-tests-of-the-command-line';

/** A gateway on a free port that listens; its log is JSON on the standard output. */
export async function serve(
  environment?: Environment,
  program?: string,
): Promise<PuenteProcess & { readonly url: string }> {
  const settings = { PUENTE_TOKEN: token, PUENTE_LOG_FORMAT: 'json', ...environment };
  const running = new PuenteProcess(['serve', '--port', '0'], settings, program);
  await running.waitForOutput('"listening"');
  const url = /"address":"([^"]+)"/.exec(running.stdout)?.[1] ?? '';
  return Object.assign(running, { url });
}

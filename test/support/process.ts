import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { Answer } from './answers.ts';
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

export interface ProcessOptions {
  /** Another launcher than that of the sources. */
  readonly program?: string;
  /** Whether its answers are compared with the published document, which costs it a message for each. */
  readonly compares?: boolean;
  /** Its standard input. */
  readonly input?: string;
  /** Its working directory; default: that of the tests. */
  readonly cwd?: string;
}

const reporter = join(import.meta.dirname, 'report-answers.ts');

/** A `puente` command in a process of its own. */
export class PuenteProcess {
  readonly #child;
  /** What was printed so far. */
  stdout = '';
  stderr = '';
  readonly #problems: string[] = [];
  #published: ReturnType<typeof loadPublishedAnswers> | undefined;
  /**
   * Rejects when a line of the log or a problem gave away a patient, an id or a token, and when an answer was not as
   * published.
   */
  readonly ended: Promise<Ended>;

  constructor(
    args: readonly string[],
    environment: Environment = {},
    { program = source, compares = true, input = '', cwd }: ProcessOptions = {},
  ) {
    this.#child = spawn(process.execPath, [...(compares ? ['--import', reporter] : []), program, ...args], {
      cwd,
      env: isolateEnvironment(environment),
      stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
    }) as ChildProcessByStdio<Writable, Readable, Readable>;
    // One that reads nothing may have ended before.
    this.#child.stdin.on('error', () => undefined).end(input);
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
    });
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.#child.on('message', (answer: Answer) => {
      if (answer.status >= 400) this.#problems.push(answer.body);
      this.#published ??= loadPublishedAnswers();
      void this.#published.then(({ hearAnswer }) => hearAnswer(answer));
    });
    this.ended = once(this.#child, 'close').then(async ([code]) => {
      const leaks = [...findLogLines(this.stdout), ...this.#problems].flatMap(findLeaks);
      if (leaks.length > 0) throw new Error(`the log or a problem gave away ${leaks.join(', ')}`);
      (await this.#published)?.expectAsPublished();
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

  /** Reads nothing any more of what is printed, to one stream or to both: writing it fails from now on. */
  stopReading(...streams: readonly ('stdout' | 'stderr')[]): void {
    for (const stream of streams.length > 0 ? streams : (['stdout', 'stderr'] as const)) this.#child[stream].destroy();
  }
}

/** Loaded only where a gateway has answered: most commands do not. */
async function loadPublishedAnswers() {
  const { PublishedAnswers } = await import('./published-answers.ts');
  const { operations } = await import('../../src/api/index.ts');
  return new PublishedAnswers(operations, '');
}

const findLogLines = (output: string): string[] => output.split('\n').filter((line) => line.startsWith('{"time":'));

/** Runs a command to its end. */
export const runPuente = (
  args: readonly string[],
  environment?: Environment,
  options?: ProcessOptions,
): Promise<Ended> => new PuenteProcess(args, environment, options).ended;

/** The token of every gateway that `serve` starts. */
export const token = 'token-for-the-tests-of-the-command-line';

/** A gateway on a free port that listens; its log is JSON on the standard output. */
export async function serve(
  environment?: Environment,
  options?: ProcessOptions,
): Promise<PuenteProcess & { readonly url: string }> {
  const settings = { PUENTE_TOKEN: token, PUENTE_LOG_FORMAT: 'json', ...environment };
  const running = new PuenteProcess(['serve', '--port', '0'], settings, options);
  await running.waitForOutput('"listening"');
  const url = /"address":"([^"]+)"/.exec(running.stdout)?.[1] ?? '';
  return Object.assign(running, { url });
}

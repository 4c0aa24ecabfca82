import type { WriteStream } from 'node:tty';
import { styleText } from 'node:util';
import { Command, InvalidArgumentError } from 'commander';
import { settings as schema } from '../../../adapters/fhir/settings.ts';
import { findBundledWorld, readWorld } from '../../../adapters/memory/world-file.ts';
import { defaultTimeZone, timeZone } from '../../config/schema.ts';
import { Failure } from '../../ports/index.ts';
import { SettingsProblem } from '../../toolkit/problems.ts';
import { checkArgument, toPlainText } from '../terminal.ts';
import { type SeedResult, seed } from './seed.ts';

interface Options {
  readonly baseUrl: string;
  readonly world?: string;
  readonly token?: string;
  readonly tokenUrl?: string;
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly namespace?: string;
  readonly timeZone: string;
  readonly days: number;
  readonly wait: number;
}

/** Milliseconds for one transaction: a server that has just started is slow. */
const TIMEOUT = 60_000;

export const seedFhir = new Command('seed-fhir')
  .description('Create the sandbox hospital in a FHIR R4 server, except for what is already there.')
  .requiredOption('--base-url <url>', 'base URL of the FHIR server')
  .option('--world <file>', 'JSON file with another hospital')
  .option('--token <reference>', 'bearer token: env:NAME or file:/path')
  .option('--token-url <url>', 'OAuth 2 token endpoint, for client credentials')
  .option('--client-id <id>', 'OAuth 2 client id')
  .option('--client-secret <reference>', 'OAuth 2 client secret: env:NAME or file:/path')
  .option('--namespace <url>', 'start of canonical URLs; must equal adapter.settings.namespace of the gateway')
  .option('--time-zone <name>', 'IANA time zone of the hospital', checkArgument(timeZone), defaultTimeZone)
  .option('--days <number>', 'how many days ahead slots are published', parseWholeNumber, 60)
  .option('--wait <seconds>', 'how long to wait for the server to start', parseWholeNumber, 0)
  .addHelpText(
    'after',
    `
What an earlier run created is left as it is. Run it every day to add the slots of the new days.
Exit codes: 0 everything is there, 1 something is missing, and the last line says why and what to do.`,
  )
  .action(run);

async function run(options: Options): Promise<void> {
  const line = new StepLine(process.stderr);
  const interrupt = new AbortController();
  process.once('SIGINT', () => interrupt.abort());
  try {
    const result = await seed(toSettings(options), {
      world: readWorld(options.world ?? findBundledWorld()),
      timeZone: options.timeZone,
      now: new Date().toISOString(),
      days: options.days,
      wait: options.wait,
      signal: interrupt.signal,
      progress: (step, done, of) => line.show(step, done, of),
    });
    line.end();
    process.stdout.write(`${formatSummary(result)}\n`);
  } catch (error) {
    const step = line.end();
    if (!(error instanceof Failure) && !(error instanceof SettingsProblem) && !interrupt.signal.aborted) throw error;
    const why = interrupt.signal.aborted ? `interrupted. ${fixes.again}` : formatReason(error);
    process.stderr.write(
      `${styleText('red', 'failed')}${step === undefined ? '' : ` at ${step}`}: ${toPlainText(why)}\n`,
    );
    process.exitCode = 1;
  }
}

function toSettings({ baseUrl, namespace, ...access }: Options) {
  const { data, error } = schema.safeParse(
    { baseUrl, auth: toAuth(access), timeout: TIMEOUT, ...(namespace !== undefined && { namespace }) },
    { reportInput: false },
  );
  if (data) return data;
  const problems = error.issues.map(({ path, message }) => `--${toFlag(path)} ${message}`);
  throw new SettingsProblem('settings', problems);
}

/** `baseUrl` is `base-url`. */
const toFlag = (path: readonly PropertyKey[]): string =>
  String(path.at(-1)).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

function toAuth({ token, tokenUrl, clientId, clientSecret }: Omit<Options, 'baseUrl' | 'namespace'>) {
  const client = [tokenUrl, clientId, clientSecret];
  if (client.every((part) => part === undefined)) {
    return token === undefined ? { kind: 'none' } : { kind: 'bearer', token };
  }
  if (token !== undefined || client.includes(undefined)) {
    throw new SettingsProblem('auth', ['give either --token, or all of --token-url, --client-id and --client-secret']);
  }
  return { kind: 'oauth2-secret', tokenUrl, clientId, clientSecret };
}

function parseWholeNumber(text: string): number {
  if (!/^\d{1,3}$/.test(text)) throw new InvalidArgumentError('It must be a whole number up to 999.');
  return Number(text);
}

function formatSummary({ created, existing, leftOut }: SeedResult): string {
  const suffix = leftOut === 0 ? '' : `, ${leftOut} appointments left out because their slots are taken`;
  return `${styleText('green', 'ok')}  ${created} created, ${existing} already there${suffix}`;
}

/** What went wrong and what to do about it, without the server's own words. */
function formatReason(error: unknown): string {
  if (error instanceof SettingsProblem) return error.problems.join('; ');
  if (!(error instanceof Failure)) return 'unknown';
  const { code } = (error.cause ?? {}) as { code?: unknown };
  const detail = typeof code === 'string' ? ` (${code})` : '';
  const fix = fixes[error.code ?? ''] ?? fixes[error.kind];
  return `${error.message}${detail}. ${fix ?? fixes.again}`;
}

const fixes: Readonly<Record<string, string>> = {
  backend_auth: 'Check --token, or --token-url, --client-id and --client-secret.',
  forbidden: 'Let the client create and find resources of every type.',
  unavailable: 'Check --base-url and that the server runs; --wait gives it time to start.',
  bad_answer: 'Check that --base-url is the FHIR base URL itself, e.g. http://localhost:8081/fhir.',
  unsupported: 'Choose the base URL of an R4 server.',
  invalid: "The server's log names the rule that was broken; turn off profiles that the sandbox does not follow.",
  again: 'Run it again: it continues where it stopped.',
};

/** Shows the progress of a long task: one line that changes on a terminal, elsewhere one line per finished step. */
export class StepLine {
  readonly #stream: NodeJS.WritableStream & Pick<Partial<WriteStream>, 'isTTY'>;
  #step: string | undefined;
  #text = '';

  constructor(stream: NodeJS.WritableStream & Pick<Partial<WriteStream>, 'isTTY'>) {
    this.#stream = stream;
  }

  show(step: string, done: number, of: number): void {
    if (step !== this.#step) this.#finish();
    this.#step = step;
    this.#text = `${step} ${styleText('dim', `${done}/${of}`)}`;
    if (this.#stream.isTTY) this.#stream.write(`\r\u001b[K${this.#text}`);
  }

  /** Ends the line and returns the last step. */
  end(): string | undefined {
    this.#finish();
    return this.#step;
  }

  #finish(): void {
    if (this.#text === '') return;
    this.#stream.write(this.#stream.isTTY ? '\n' : `${this.#text}\n`);
    this.#text = '';
  }
}

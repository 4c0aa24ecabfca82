import { styleText } from 'node:util';
import { Command, InvalidArgumentError } from 'commander';
import { SettingsProblem } from '../../../adapters/adapter.ts';
import { settings as schema } from '../../../adapters/fhir/settings.ts';
import { findBundledWorld, readWorld } from '../../../adapters/memory/world-file.ts';
import { Failure } from '../../ports/index.ts';
import { StepLine } from '../step-line.ts';
import { type Seeded, seed } from './seed.ts';

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

/** Milliseconds for one transaction: a server that was just started takes its time. */
const TIMEOUT = 60_000;

export const seedFhir = new Command('seed-fhir')
  .description('Put the invented hospital into a FHIR R4 server, as far as it is not there yet.')
  .requiredOption('--base-url <url>', 'address of the FHIR end point')
  .option('--world <file>', 'JSON file with another hospital')
  .option('--token <reference>', 'bearer token: env:NAME or file:/path')
  .option('--token-url <url>', 'OAuth 2 token end point, for client credentials')
  .option('--client-id <id>', 'client id there')
  .option('--client-secret <reference>', 'client secret there: env:NAME or file:/path')
  .option('--namespace <url>', 'where canonical URLs begin; as adapter.settings.namespace of the gateway')
  .option('--time-zone <name>', 'IANA zone of the hospital', 'America/Argentina/Buenos_Aires')
  .option('--days <number>', 'how many days ahead slots are published', parseWholeNumber, 60)
  .option('--wait <seconds>', 'how long to wait for the server to start', parseWholeNumber, 0)
  .addHelpText(
    'after',
    `
What was put there before is found again and left as it is; run it every day, and the slots of the new days are added.
Exit codes: 0 everything is there, 1 it is not, and the last line says why and what to do.`,
  )
  .action(run);

async function run(options: Options): Promise<void> {
  const steps = new StepLine(process.stderr);
  const interrupt = new AbortController();
  process.once('SIGINT', () => interrupt.abort());
  try {
    const seeded = await seed(toSettings(options), {
      hospital: readWorld(options.world ?? findBundledWorld()),
      timeZone: parseZone(options.timeZone),
      now: new Date().toISOString(),
      days: options.days,
      wait: options.wait,
      signal: interrupt.signal,
      progress: (step, done, of) => steps.show(step, done, of),
    });
    steps.end();
    process.stdout.write(`${formatSummary(seeded)}\n`);
  } catch (error) {
    const step = steps.end();
    if (!(error instanceof Failure) && !(error instanceof SettingsProblem) && !interrupt.signal.aborted) throw error;
    const why = interrupt.signal.aborted
      ? 'It was interrupted. Run it again: it goes on from there.'
      : formatReason(error);
    process.stderr.write(`${styleText('red', 'failed')}${step === undefined ? '' : ` at ${step}`}: ${why}\n`);
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

/** The flags of the settings whose names differ. */
const flags: Readonly<Record<string, string>> = {
  baseUrl: 'base-url',
  tokenUrl: 'token-url',
  clientId: 'client-id',
  clientSecret: 'client-secret',
};

function toFlag(path: readonly PropertyKey[]): string {
  const setting = String(path.at(-1));
  return flags[setting] ?? setting;
}

function toAuth({ token, tokenUrl, clientId, clientSecret }: Omit<Options, 'baseUrl' | 'namespace'>) {
  const client = [tokenUrl, clientId, clientSecret];
  if (client.every((part) => part === undefined)) {
    return token === undefined ? { kind: 'none' } : { kind: 'bearer', token };
  }
  if (token !== undefined || client.includes(undefined)) {
    throw new SettingsProblem('auth', ['give either --token, or --token-url with --client-id and --client-secret']);
  }
  return { kind: 'oauth2-secret', tokenUrl, clientId, clientSecret };
}

function parseZone(name: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    throw new SettingsProblem('timeZone', ['--time-zone must be an IANA name, e.g. America/Montevideo']);
  }
}

function parseWholeNumber(text: string): number {
  if (!/^\d{1,3}$/.test(text)) throw new InvalidArgumentError('It must be a whole number up to 999.');
  return Number(text);
}

function formatSummary({ created, there, leftOut }: Seeded): string {
  const left = leftOut === 0 ? '' : `, ${leftOut} appointments left out because somebody else has their slots`;
  return `${styleText('green', 'ok')}  ${created} created, ${there} already there${left}`;
}

/** What to do about a failure, by what went wrong. It never repeats what the server said. */
function formatReason(error: unknown): string {
  if (error instanceof SettingsProblem) return error.problems.join('; ');
  if (!(error instanceof Failure)) return 'unknown';
  const { code } = (error.cause ?? {}) as { code?: unknown };
  const detail = typeof code === 'string' ? ` (${code})` : '';
  const fix = error.code === 'backend_auth' ? fixes.backend_auth : fixes[error.kind];
  return `${error.message}${detail}. ${fix ?? fixes.again}`;
}

const fixes: Readonly<Record<string, string>> = {
  backend_auth: 'Check --token, or --token-url, --client-id and --client-secret, and that they may create resources.',
  unavailable: 'Check --base-url and that the server runs; --wait gives it time to start.',
  bad_answer: 'Check that --base-url is the FHIR end point itself, e.g. http://localhost:8081/fhir.',
  unsupported: 'Choose the R4 end point of the server.',
  invalid: 'Its log says which rule; switch off profiles that the sandbox does not follow.',
  again: 'Run it again: it goes on from there.',
};

/**
 * `npm run test:schemathesis` lets Schemathesis make requests of the published document, valid ones and invalid ones, and
 * checks every answer against it. Then it does so with the document of the contract. Needs Python 3.10 or later with pip, and
 * says so where there is none.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve, token } from '../../support/process.ts';

const VERSION = '4.32.5';
/** Requests of each operation and phase; all of a document together take well under a minute. */
const EXAMPLES = '60';
const SEED = '20261122';

const root = join(import.meta.dirname, '../../..');
const folder = join(root, 'node_modules/.cache/puente', `schemathesis-${VERSION}`);
const program = join(folder, 'bin/schemathesis');

/** Decisions let the gateway take more than the contract's document says, so that only answers are checked against it. */
const answersAlone = [
  '--checks',
  'not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance',
];

const reason = install();
if (reason === undefined) process.exitCode = await run();
else process.stdout.write(`Schemathesis is skipped: ${reason}\n`);

/** Installs it where it is not yet; the reason why that is not possible here, if it is not. */
function install(): string | undefined {
  if (existsSync(program)) return undefined;
  const { status } = spawnSync('python3', ['-c', 'import sys, venv; sys.exit(sys.version_info < (3, 10))']);
  if (status !== 0) return 'there is no python3 of version 3.10 or later that has venv';
  const steps = [
    spawnSync('python3', ['-m', 'venv', folder], { encoding: 'utf8' }),
    spawnSync(join(folder, 'bin/pip'), ['install', '--quiet', `schemathesis==${VERSION}`], {
      encoding: 'utf8',
      timeout: 300_000,
    }),
  ];
  const failed = steps.find((step) => step.status !== 0);
  if (!failed) return undefined;
  rmSync(folder, { recursive: true, force: true });
  return `pip could not install it\n${failed.stderr}`;
}

async function run(): Promise<number> {
  const gateway = await serve({ PUENTE_CONFIG: join(import.meta.dirname, 'puente.yaml') });
  const here = mkdtempSync(join(tmpdir(), 'puente-schemathesis-'));
  const env = { ...process.env, SCHEMATHESIS_HOOKS: join(import.meta.dirname, 'hooks.py') };
  const check = async (...document: string[]): Promise<boolean> => {
    const settings = ['--config-file', join(import.meta.dirname, 'schemathesis.toml')];
    const server = ['--url', gateway.url, '--header', `Authorization: Bearer ${token}`];
    const choice = ['--max-examples', EXAMPLES, '--seed', SEED, '--phases', 'examples,coverage,fuzzing'];
    const args = [...settings, 'run', ...document, ...server, ...choice];
    const [status] = await once(spawn(program, args, { cwd: here, env, stdio: 'inherit' }), 'close');
    return status === 0;
  };
  const isKept = await check(`${gateway.url}/openapi.json`);
  const isShaped = await check(join(root, 'src/contract/document.yaml'), ...answersAlone);
  gateway.signal('SIGTERM');
  const { stdout } = await gateway.ended;
  rmSync(here, { recursive: true });
  const errors = stdout.split('\n').filter((line) => line.includes('"level":"error"'));
  process.stdout.write(errors.map((line) => `${line}\n`).join(''));
  return isKept && isShaped && errors.length === 0 ? 0 : 1;
}

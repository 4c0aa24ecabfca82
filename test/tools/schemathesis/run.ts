/**
 * `npm run test:schemathesis` lets Schemathesis make requests of the published document, valid ones and invalid ones, and
 * checks every answer against it. Needs Python 3.10 or later with pip, and says so where there is none.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve, token } from '../../support/process.ts';

const VERSION = '4.32.5';
/** Requests of each operation and phase; all together take well under a minute. */
const EXAMPLES = '60';
const SEED = '20261122';

const folder = join(import.meta.dirname, '../../../node_modules/.cache/puente', `schemathesis-${VERSION}`);
const program = join(folder, 'bin/schemathesis');

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
  const config = join(import.meta.dirname, 'puente.yaml');
  const gateway = await serve({ PUENTE_CONFIG: config });
  const here = mkdtempSync(join(tmpdir(), 'puente-schemathesis-'));
  const settings = join(import.meta.dirname, 'schemathesis.toml');
  const authorization = `Authorization: Bearer ${token}`;
  const choice = ['--max-examples', EXAMPLES, '--seed', SEED, '--phases', 'examples,coverage,fuzzing'];
  const args = [
    '--config-file',
    settings,
    'run',
    `${gateway.url}/openapi.json`,
    '--url',
    gateway.url,
    '--header',
    authorization,
    ...choice,
  ];
  const env = { ...process.env, SCHEMATHESIS_HOOKS: join(import.meta.dirname, 'hooks.py') };
  const [status] = await once(spawn(program, args, { cwd: here, env, stdio: 'inherit' }), 'close');
  gateway.signal('SIGTERM');
  const { stdout } = await gateway.ended;
  rmSync(here, { recursive: true });
  const errors = stdout.split('\n').filter((line) => line.includes('"level":"error"'));
  process.stdout.write(errors.map((line) => `${line}\n`).join(''));
  return errors.length > 0 ? 1 : (status ?? 1);
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** The test that failed first. */
export interface Killer {
  readonly file: string;
  readonly title: string;
  readonly reason: string;
}

export interface JestRun {
  /** The copy of the checkout. */
  readonly copy: string;
  /** The folder for what the tests write; it is emptied afterwards. */
  readonly scratch: string;
  readonly cache: string;
  readonly tests: readonly string[];
  readonly options: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly seconds: number;
}

export interface JestResult {
  readonly code: number | null;
  readonly killer?: Killer;
  readonly timedOut: boolean;
  readonly output: string;
}

/** How long a file may take to clean up after its first failure. */
const GRACE_MS = 2000;

/** Runs files of tests in one process, and ends whatever they have started. */
export async function runJest({
  copy,
  scratch,
  cache,
  tests,
  options,
  environment,
  seconds,
}: JestRun): Promise<JestResult> {
  mkdirSync(scratch, { recursive: true });
  const flags = ['--experimental-vm-modules', '--no-compilation-cache', '--no-warnings'];
  const config = ['--config', 'test/mutate/jest.config.js', '--cacheDirectory', cache];
  const args = [...flags, 'node_modules/jest/bin/jest.js', ...config, '--runInBand', '--silent', ...options];
  const child = spawn(process.execPath, [...args, '--runTestsByPath', ...tests], {
    cwd: copy,
    // A group of its own, which is ended as a whole.
    detached: true,
    // Colours are as without a terminal, whatever the caller's are: what paints a log is tested too.
    env: { ...process.env, ...environment, TMPDIR: scratch, FORCE_COLOR: undefined },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let killer: Killer | undefined;
  let timedOut = false;
  const endGroup = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // Nothing is left of it.
    }
  };
  const limit = setTimeout(() => {
    timedOut = true;
    endGroup();
  }, seconds * 1000);
  let grace: NodeJS.Timeout | undefined;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    const line = /^\{"killer":.*\}$/m.exec(output)?.[0];
    if (killer || !line) return;
    const found: { readonly killer: Killer } = JSON.parse(line);
    killer = found.killer;
    grace = setTimeout(endGroup, GRACE_MS);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const stop = (): void => {
    endGroup();
    process.exit(130);
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  const [code]: readonly (number | null)[] = await once(child, 'exit');
  clearTimeout(limit);
  clearTimeout(grace);
  process.off('SIGINT', stop).off('SIGTERM', stop);
  endGroup();
  endPostgres(scratch);
  rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });
  return { code: code ?? null, ...(killer && { killer }), timedOut, output };
}

/** A server of PostgreSQL leaves the group of who started it. */
function endPostgres(scratch: string): void {
  for (const file of globSync('puente-postgres-*/data/postmaster.pid', { cwd: scratch })) {
    const pid = Number.parseInt(readFileSync(join(scratch, file), 'utf8'), 10);
    try {
      if (pid > 1) process.kill(pid, 'SIGQUIT');
    } catch {
      // It has ended by itself.
    }
  }
}

import { type ChildProcess, fork, spawn } from 'node:child_process';
import { hash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findFreePort } from '../../support/free-port.ts';
import { addresses, type Environment, type Row, type Target } from './row.ts';
import type { Seen, WatchOptions } from './watch.ts';

const root = join(import.meta.dirname, '../../..');
/** Milliseconds for what was begun to end at SIGTERM. */
const STOP_MS = 15_000;

const tokens = { others: 'token-of-those-who-do-nothing-wrong', attacker: 'token-of-the-client-who-attacks' } as const;

/** A gateway with a small heap and all that it may have to do for a request: an audit trail, a log, a state on a disk. */
const configure = (folder: string, opsPort: number): Environment => ({
  PUENTE_AUTH_TOKENS: JSON.stringify(
    Object.entries(tokens).map(([client, token]) => ({ client, sha256: hash('sha256', token), scopes: 'all' })),
  ),
  PUENTE_HTTP_TRUSTED_PROXIES: JSON.stringify([addresses.proxy]),
  PUENTE_OPS_PORT: String(opsPort),
  PUENTE_LOG_FORMAT: 'json',
  PUENTE_STATE_KIND: 'sqlite',
  PUENTE_STATE_FILE: join(folder, 'state.db'),
  PUENTE_STATE_ENCRYPTION_KEY: 'env:STATE_KEY',
  STATE_KEY: randomBytes(32).toString('hex'),
});

export interface GatewayProcess {
  readonly target: Pick<Target, 'port' | 'opsPort' | 'token' | 'environment'>;
  readonly pid: number;
  readonly logLines: () => number;
  /** How it ended, while it should not have. */
  readonly died: () => string | undefined;
  stop(): Promise<void>;
}

/** @throws Error when it does not come to listen. */
export async function startGateway(
  folder: string,
  changed: Environment,
  ends: AsyncDisposableStack,
): Promise<GatewayProcess> {
  const opsPort = await findFreePort();
  const environment = { ...configure(folder, opsPort), ...changed };
  // The second as in the image.
  const args = [
    '--max-old-space-size=256',
    '--max-semi-space-size=16',
    join(root, 'src/cli/index.ts'),
    'serve',
    '--port',
    '0',
  ];
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const ended = once(child, 'exit') as Promise<[number | null, string | null]>;
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-2_000);
  });
  let logLines = 0;
  const listening = Promise.withResolvers<number>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    logLines += 1;
    const port = /"address":"http:\/\/127\.0\.0\.1:(\d+)"/.exec(line)?.[1];
    if (port !== undefined) listening.resolve(Number(port));
  });
  let death: string | undefined;
  void ended.then(([code, signal]) => {
    death = `ended with ${signal ?? code}: ${/FATAL ERROR.*/.exec(stderr)?.[0] ?? stderr.slice(-300)}`;
    listening.reject(new Error(death));
  });
  const stop = async () => {
    const timer = setTimeout(kill, STOP_MS);
    child.kill('SIGTERM');
    await ended;
    clearTimeout(timer);
    process.off('exit', kill);
  };
  ends.defer(stop);
  const port = await listening.promise;
  return {
    target: { port, opsPort, token: tokens.attacker, environment },
    pid: child.pid ?? 0,
    logLines: () => logLines,
    died: () => death,
    stop,
  };
}

/** Asks what was seen since it was last asked. */
export interface Watcher {
  look(): Promise<Seen>;
  stop(): void;
}

export function startWatcher(
  { target, pid }: GatewayProcess,
  { others = [{ path: '/patients/ana' }] }: Row,
  ends: AsyncDisposableStack,
): Watcher {
  const options: WatchOptions = { ...target, pid, wanted: others, token: tokens.others };
  const child = start(ends, 'watch.ts', JSON.stringify(options));
  return { look: () => ask<Seen>(child, 'look'), stop: () => void child.kill('SIGKILL') };
}

/** Starts the process that is the hospital of a row, and resolves to what configures the gateway for it. */
export const startHospital = (name: string, ends: AsyncDisposableStack): Promise<Environment> =>
  hear(start(ends, 'act.ts', name, 'hospital'));

/** Starts the process of an attacker, whose start would count as a part of the attack, and returns what makes the attack. */
export async function startAttacker(
  name: string,
  index: number,
  ends: AsyncDisposableStack,
): Promise<(target: Target) => Promise<string>> {
  const child = start(ends, 'act.ts', name, 'attacker', String(index));
  await hear(child);
  return (target) => ask(child, target);
}

/** What it waits for may never come, and whoever started a process waits for its end: the stack ends it. */
function start(ends: AsyncDisposableStack, file: string, ...args: readonly string[]): ChildProcess {
  const child = fork(join(import.meta.dirname, file), args);
  const ended = once(child, 'exit');
  ends.defer(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return child;
}

/** @throws Error when the process ends without a word. */
async function hear<T>(child: ChildProcess): Promise<T> {
  const heard = new AbortController();
  const { signal } = heard;
  const ended = once(child, 'exit', { signal }).then(() =>
    Promise.reject(new Error('a process beside the gateway ended')),
  );
  try {
    const [said] = await Promise.race([once(child, 'message', { signal }), ended]);
    return said;
  } finally {
    heard.abort();
  }
}

function ask<T>(child: ChildProcess, what: string | object): Promise<T> {
  const answer = hear<T>(child);
  child.send(what);
  return answer;
}

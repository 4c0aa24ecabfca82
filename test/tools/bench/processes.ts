import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ServerSide } from './server-side.ts';

/** A server in a process of its own. */
export interface ServerProcess {
  readonly port: number;
  readonly pid: number;
  /** The CPU that it used since it was last asked, and how late its event loop was; `profile` profiles it until the next time. */
  ask(what?: 'profile'): Promise<ServerSide>;
  stop(): void;
}

const root = join(import.meta.dirname, '../../..');
const measured = ['--import', join(import.meta.dirname, 'server-side.ts')];
const environment = { PATH: process.env.PATH, NODE_ENV: 'production' };

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143));

/** Starts `servers/<file>` with one argument, and waits until it says where it listens. */
export async function startServer(file: string, argument: string): Promise<ServerProcess> {
  const [server] = await startServers(file, argument);
  if (!server) throw new Error(`${file} listens nowhere`);
  return server;
}

/** The same with a process that listens on several ports: one server for each, which share what they tell when asked. */
export async function startServers(file: string, argument: string): Promise<ServerProcess[]> {
  const child = fork(join(import.meta.dirname, 'servers', file), [argument], {
    env: environment,
    execArgv: [...measured, '--max-old-space-size=8192'],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  // Whoever writes log lines writes them into a pipe that somebody reads.
  child.stdout?.resume();
  running.add(child);
  const ended = watchExit(child);
  const [{ ports }] = (await Promise.race([once(child, 'message'), ended])) as [{ ports: number[] }];
  return ports.map((port) => toServerProcess(child, port, ended));
}

/** Starts the gateway as `npm start` does, with a configuration file and variables; its log is a pipe that is read here. */
export async function startGateway(file: string, variables: NodeJS.ProcessEnv = {}): Promise<ServerProcess> {
  const child = spawn(process.execPath, [...measured, join(root, 'src/cli/launch.cjs'), 'serve', '--config', file], {
    cwd: root,
    env: { ...environment, ...variables },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  if (!child.stdout) throw new Error('the gateway has no standard output');
  running.add(child);
  const ended = watchExit(child);
  const port = await readPort(child.stdout, ended);
  child.stdout.resume();
  return toServerProcess(child, port, ended);
}

async function readPort(output: NodeJS.ReadableStream, ended: Promise<never>): Promise<number> {
  let text = '';
  for (;;) {
    const [chunk] = (await Promise.race([once(output, 'data'), ended])) as [Buffer];
    text += chunk.toString();
    const port = /"address":"http:\/\/127\.0\.0\.1:(\d+)"/.exec(text)?.[1];
    if (port !== undefined) return Number(port);
  }
}

/** Rejects when the process ends. */
function watchExit(child: ChildProcess): Promise<never> {
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${child.spawnargs.slice(-3).join(' ')} ended with ${code}`);
  });
  ended.catch(() => undefined);
  return ended;
}

function toServerProcess(child: ChildProcess, port: number, ended: Promise<never>): ServerProcess {
  return {
    port,
    pid: child.pid ?? 0,
    ask: async (what) => {
      const answer = Promise.race([once(child, 'message'), ended]) as Promise<[ServerSide]>;
      child.send(what ?? 'ask');
      return (await answer)[0];
    },
    stop: () => {
      running.delete(child);
      child.kill('SIGKILL');
    },
  };
}

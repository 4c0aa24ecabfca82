import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { NS, terms } from '../hospital-in-fhir/terms.ts';
import { token } from '../support/process.ts';
import type { Attacked, attacks } from './attacks.ts';
import type { Backend } from './backend.ts';
import type { ServerSide } from './server-side.ts';
import type { Seen, WatchOptions } from './watch.ts';

export interface Target {
  readonly port: number;
  readonly opsPort: number;
  readonly pid: number;
  /** How the process fared since it was last asked. */
  ask(): Promise<ServerSide>;
  stop(): void;
}

const root = join(import.meta.dirname, '../..');
const measured = ['--import', join(import.meta.dirname, 'server-side.ts')];

const createAsk = (child: ChildProcess) => async (): Promise<ServerSide> => {
  const answer = once(child, 'message') as Promise<[ServerSide]>;
  child.send('ask');
  return (await answer)[0];
};

/** A server of Node alone in a process of its own, which does as little as a server can. */
export async function startBareTarget(): Promise<Target> {
  const child = fork(join(import.meta.dirname, 'bare.ts'), { execArgv: measured });
  const [ports] = (await once(child, 'message')) as [Pick<Target, 'port' | 'opsPort'>];
  return { ...ports, pid: child.pid ?? 0, ask: createAsk(child), stop: () => child.kill('SIGKILL') };
}

/** A gateway in a process of its own, with a listener for the probes, whose log is read and dropped. */
export async function startTarget(environment: Readonly<Record<string, string>> = {}): Promise<Target> {
  const opsPort = 20_000 + (process.pid % 10_000);
  const settings = { PUENTE_TOKEN: token, PUENTE_LOG_FORMAT: 'json', PUENTE_OPS_PORT: String(opsPort), ...environment };
  const child = spawn(process.execPath, [...measured, join(root, 'src/cli/index.ts'), 'serve', '--port', '0'], {
    cwd: root,
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
  });
  if (!child.stdout) throw new Error('the gateway has no standard output');
  const [first] = (await once(child.stdout, 'data')) as [Buffer];
  child.stdout.resume();
  process.once('exit', () => child.kill('SIGKILL'));
  const port = Number(/"address":"http:\/\/127\.0\.0\.1:(\d+)"/.exec(first.toString())?.[1]);
  return { port, opsPort, pid: child.pid ?? 0, ask: createAsk(child), stop: () => child.kill('SIGKILL') };
}

/** A gateway in front of a FHIR server that hangs for one patient. */
export async function startTargetOverFhir(
  environment: Readonly<Record<string, string>> = {},
): Promise<Target & { readonly backend: Backend }> {
  const child = fork(join(import.meta.dirname, 'backend.ts'));
  const [backend] = (await once(child, 'message')) as [Backend];
  const target = await startTarget({
    PUENTE_CONFIG: join(root, 'config/fhir.yaml'),
    PUENTE_ADAPTER_SETTINGS_BASE_URL: backend.url,
    PUENTE_ADAPTER_SETTINGS_NAMESPACE: NS,
    PUENTE_ADAPTER_SETTINGS_SYSTEMS_MRN: JSON.stringify([terms.mrn]),
    PUENTE_ADAPTER_SETTINGS_TICKET_FILES_ORIGINS: JSON.stringify([backend.fileOrigin]),
    ...environment,
  });
  const stop = () => {
    target.stop();
    child.kill();
  };
  return { ...target, backend, stop };
}

/** Watches a gateway from another process until what it resolves to is called. */
export async function watch({ port, opsPort, pid }: Target, path: string): Promise<() => Promise<Seen>> {
  const options: WatchOptions = { port, opsPort, pid, path, token };
  const child: ChildProcess = fork(join(import.meta.dirname, 'watch.ts'), [JSON.stringify(options)]);
  await once(child, 'message');
  return async () => {
    const seen = once(child, 'message') as Promise<[Seen]>;
    child.send('stop');
    return (await seen)[0];
  };
}

/** Starts the process of an attacker, whose start would count as a part of the attack, and returns what makes the attack. */
export async function startAttacker(name: keyof typeof attacks): Promise<(attacked: Attacked) => Promise<string>> {
  const child = fork(join(import.meta.dirname, 'attacker.ts'), [name]);
  await once(child, 'message');
  return async (attacked) => {
    const outcome = once(child, 'message') as Promise<[string]>;
    child.send(attacked);
    return (await outcome)[0];
  };
}

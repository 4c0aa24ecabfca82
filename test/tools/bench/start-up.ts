import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { token } from '../../support/process.ts';
import type { GatewayConfigs } from './gateway-config.ts';
import { startGateway, startServer } from './processes.ts';
import { computeQuantile } from './statistics.ts';

export interface StartUp {
  /** Seconds from `npm start` to its first answer, the median of some starts after the first one ever. */
  readonly seconds: number;
  /** Megabytes of resident memory three seconds after that. */
  readonly early: number;
  /** The same half a minute after it, when V8 has given back the room for young objects that the start took. */
  readonly megabytes: number;
  /** Milliseconds of the first list of 450 services, beyond what the server takes for it. */
  readonly coldCatalogue: number;
}

/** What a gateway needs before it has done anything. */
export async function measureStartUp(configs: GatewayConfigs, starts: number): Promise<StartUp> {
  const seconds: number[] = [];
  const colds: number[] = [];
  await timeStart();
  for (let i = 0; i < starts; i++) {
    seconds.push(await timeStart());
    colds.push(await timeColdCatalogue(configs));
  }
  return {
    seconds: computeQuantile(seconds, 0.5),
    ...(await readIdleMemory()),
    coldCatalogue: computeQuantile(colds, 0.5),
  };
}

async function timeStart(): Promise<number> {
  const begun = performance.now();
  const { stop } = await startPlainly('npm', 'start', '--silent', '--');
  const seconds = (performance.now() - begun) / 1_000;
  await stop();
  return seconds;
}

async function readIdleMemory(): Promise<Pick<StartUp, 'early' | 'megabytes'>> {
  const { pid, stop } = await startPlainly(process.execPath, 'src/cli/launch.cjs', 'serve');
  const read = async (ms: number) => {
    await sleep(ms);
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;
  };
  const memory = { early: await read(3_000), megabytes: await read(27_000) };
  await stop();
  return memory;
}

/** Starts the gateway as users do, with nothing of the benchmark in it, and waits for its first answer. */
async function startPlainly(command: string, ...args: readonly string[]) {
  const child = spawn(command, [...args, '--port', '0'], {
    cwd: join(import.meta.dirname, '../../..'),
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PUENTE_LOG_FORMAT: 'json', PUENTE_TOKEN: token },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  const { pid = 0 } = child;
  const ended = once(child, 'exit');
  // With a signal that lets it finish: it keeps then what it compiled, for the next start.
  const stop = async () => {
    process.kill(-pid, 'SIGTERM');
    await ended;
  };
  let port: string | undefined;
  for (let text = ''; port === undefined; port = /"address":"http:\/\/127\.0\.0\.1:(\d+)"/.exec(text)?.[1]) {
    const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
    text += chunk.toString();
  }
  child.stdout.resume();
  await fetchText(`http://127.0.0.1:${port}/patients/ana`, token);
  return { pid, stop };
}

async function timeColdCatalogue(configs: GatewayConfigs): Promise<number> {
  const backend = await startServer('backend.ts', '0');
  const gateway = await startGateway(configs.writeFhir(backend.port));
  const { opaque } = configs.tokens;
  try {
    const catalogue = `http://127.0.0.1:${backend.port}/fhir/HealthcareService`;
    await fetchText(catalogue, opaque);
    await fetchText(`http://127.0.0.1:${gateway.port}/patients/ana`, opaque);
    const direct = await time(() => fetchText(catalogue, opaque));
    const first = await time(() => fetchText(`http://127.0.0.1:${gateway.port}/health-care-services/search`, opaque));
    return first - direct;
  } finally {
    gateway.stop();
    backend.stop();
  }
}

async function time(act: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await act();
  return performance.now() - begun;
}

async function fetchText(url: string, bearer: string): Promise<string> {
  const response = await fetch(url, { headers: { Authorization: `Bearer ${bearer}` } });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text.slice(0, 200)}`);
  return text;
}

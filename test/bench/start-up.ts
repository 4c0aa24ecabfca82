import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { token } from '../support/process.ts';
import type { GatewayConfigs } from './gateway-config.ts';
import { startGateway, startServer } from './processes.ts';
import { computeQuantile } from './statistics.ts';

export interface StartUp {
  /** Seconds from `npm start` to its first answer, the median of some starts. */
  readonly seconds: number;
  /** Megabytes of resident memory three seconds after that. */
  readonly megabytes: number;
  /** Milliseconds of the first list of 450 services, beyond what the server takes for it. */
  readonly coldCatalogue: number;
}

/** What a gateway needs before it has done anything. */
export async function measureStartUp(configs: GatewayConfigs, starts: number): Promise<StartUp> {
  const seconds: number[] = [];
  const colds: number[] = [];
  for (let i = 0; i < starts; i++) {
    seconds.push(await timeStart());
    colds.push(await timeColdCatalogue(configs));
  }
  return {
    seconds: computeQuantile(seconds, 0.5),
    megabytes: await readIdleMemory(),
    coldCatalogue: computeQuantile(colds, 0.5),
  };
}

async function timeStart(): Promise<number> {
  const begun = performance.now();
  const child = spawn('npm', ['start', '--silent', '--', '--port', '0'], {
    cwd: join(import.meta.dirname, '../..'),
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PUENTE_LOG_FORMAT: 'json', PUENTE_TOKEN: token },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  try {
    let port: string | undefined;
    for (let text = ''; port === undefined; port = /"address":"http:\/\/127\.0\.0\.1:(\d+)"/.exec(text)?.[1]) {
      const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
      text += chunk.toString();
    }
    await fetchText(`http://127.0.0.1:${port}/patients/ana`, token);
    return (performance.now() - begun) / 1_000;
  } finally {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }
}

async function readIdleMemory(): Promise<number> {
  // In production no token of the environment is accepted.
  const gateway = await startGateway('config/default.yaml', { NODE_ENV: '', PUENTE_PORT: '0', PUENTE_TOKEN: token });
  await fetchText(`http://127.0.0.1:${gateway.port}/patients/ana`, token);
  await sleep(3_000);
  const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${gateway.pid}/status`, 'utf8'))?.[1]);
  gateway.stop();
  return kilobytes / 1_024;
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

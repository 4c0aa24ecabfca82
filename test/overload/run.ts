/**
 * `npm run test:overload` says what callers notice of an overload that others cause: of each line the figures before and
 * during it, in the same run. `npm run test:overload -- burst tickets` measures some of them.
 */
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Attack,
  callAtOnce,
  fileTickets,
  findPercentile,
  pipeline,
  readNothing,
  searchByBirthDate,
} from './attacks.ts';
import { startTarget, startTargetOverFhir, type Target, watch } from './processes.ts';
import type { Seen } from './watch.ts';

const QUIET_MS = 5_000;

async function measure(name: string, target: Target, path: string, attack: Attack): Promise<void> {
  const quiet = async () => {
    const stop = await watch(target, path);
    await sleep(QUIET_MS);
    return stop();
  };
  await quiet();
  const before = await quiet();
  const stop = await watch(target, path);
  const came = await attack(target);
  // The first second after it is a part of it: what was begun has to end.
  await sleep(1_000);
  const during = await stop();
  process.stdout.write(`${name}: ${came}\n${report(before, during)}   load ${loadavg()[0]?.toFixed(1)}\n`);
}

function report(before: Seen, during: Seen): string {
  const lines = (['others', 'livez', 'ops'] as const).flatMap((who) =>
    ([0.5, 0.99, 1] as const).map((share) => {
      const [a, b] = [before, during].map((seen) => findPercentile(seen[who], share)) as [number, number];
      const figure = share === 1 ? 'longest' : `p${100 * share}`;
      return `   ${who.padEnd(6)} ${figure.padEnd(7)} ${a.toFixed(1)} -> ${b.toFixed(1)} ms, ${(b / a).toFixed(1)} times\n`;
    }),
  );
  const grown = Math.round((during.largestMemory - before.largestMemory) / 1e6);
  return `${lines.join('')}   memory  +${grown} MB\n   failed  ${during.failed} of ${during.others.length}\n`;
}

/** The guard refuses, and not a limit of this one client; what hangs does so longer than it is watched. */
const unlimited = {
  PUENTE_HTTP_READ_DEADLINE: '60000',
  PUENTE_LIMITS_CLIENTS_READ_CONCURRENT: '2000',
  PUENTE_LIMITS_CLIENTS_READ_REQUESTS: '1000000',
  PUENTE_HTTP_MAX_CONNECTIONS_PER_ADDRESS: '1000',
};

const ana = '/patients/ana';
const onMemory = (name: string, attack: Attack) => async () => {
  const target = await startTarget();
  await measure(name, target, ana, attack);
  target.stop();
};

const lines: Readonly<Record<string, () => Promise<void>>> = {
  burst: async () => {
    const target = await startTargetOverFhir(unlimited);
    const attack = callAtOnce(`/patients/${target.backend.ana}`, 500, 5);
    await measure('500 callers of a read that hangs', target, '/practitioner/', attack);
    target.stop();
  },
  tickets: onMemory('60 tickets of 9.8 MB at once', fileTickets(60)),
  silent: onMemory('1000 connections with 50 requests each that read nothing', readNothing(1_000, 50, 35)),
  pipelining: onMemory('20 connections with 59 kB of requests each', pipeline(20, 1_400)),
  searches: onMemory('20,000 searches by birth date with one token', searchByBirthDate(20_000)),
};

const wanted = process.argv.slice(2);
for (const [name, run] of Object.entries(lines)) if (wanted.length === 0 || wanted.includes(name)) await run();

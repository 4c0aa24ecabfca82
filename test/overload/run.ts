/**
 * `npm run test:overload` says what callers notice of an overload that others cause: of each line the figures before and
 * during it, in the same run, the lateness of the gateway's own event loop, and what a bare server of Node makes of the same
 * load on this machine. `npm run test:overload -- burst tickets` measures some of them.
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
import { startBareTarget, startTarget, startTargetOverFhir, type Target, watch } from './processes.ts';
import type { ServerSide } from './server-side.ts';
import type { Seen } from './watch.ts';

const QUIET_MS = 5_000;

/** What was seen of a target from outside and inside, before and during an attack. */
interface Measured {
  readonly name: string;
  readonly before: Seen & ServerSide;
  readonly during: Seen & ServerSide;
}

const measured: Measured[] = [];

async function measure(name: string, target: Target, path: string, attack: Attack): Promise<void> {
  const see = async (act: () => Promise<unknown>): Promise<Seen & ServerSide> => {
    const stop = await watch(target, path);
    await target.ask();
    await act();
    const serverSide = await target.ask();
    return { ...(await stop()), ...serverSide };
  };
  await see(() => sleep(QUIET_MS));
  const before = await see(() => sleep(QUIET_MS));
  const during = await see(async () => {
    process.stdout.write(`${name}: ${await attack(target)}; load ${loadavg()[0]?.toFixed(1)}\n`);
    // The first second after it is a part of it: what was begun has to end.
    await sleep(1_000);
  });
  measured.push({ name, before, during });
  target.stop();
}

/** Measures the attack on a gateway, and on a server of Node alone: what that one shows is the machine's. */
async function compare(name: string, target: Target, path: string, attack: Attack): Promise<void> {
  await measure(name, target, path, attack);
  await measure(`${name}, bare`, await startBareTarget(), path, attack);
}

const columns: readonly (readonly [title: string, width: number, (of: Measured) => string])[] = [
  ['milliseconds', 20, ({ name }) => name],
  [
    'others p50',
    17,
    ({ before, during }) => describe([before, during].map(({ others }) => findPercentile(others, 0.5))),
  ],
  ['p99', 22, ({ before, during }) => describe([before, during].map(({ others }) => findPercentile(others, 0.99)))],
  ['longest', 8, ({ during }) => findPercentile(during.others, 1).toFixed(0)],
  ['failed', 7, ({ during }) => String(during.failed)],
  ['livez longest', 14, ({ during }) => findPercentile(during.livez, 1).toFixed(0)],
  ['ops longest', 12, ({ during }) => findPercentile(during.ops, 1).toFixed(0)],
  ['loop late p99', 22, ({ before, during }) => describe([before.loopP99, during.loopP99])],
  ['longest', 8, ({ during }) => during.loopLongest.toFixed(0)],
  ['CPU', 7, ({ during }) => during.cpu.toFixed(0)],
  ['memory', 8, ({ before, during }) => `+${Math.round((during.largestMemory - before.largestMemory) / 1e6)} MB`],
];

const describe = ([before = 0, during = 0]: readonly number[]): string =>
  `${before.toFixed(1)} > ${during.toFixed(1)} (${(during / before).toFixed(1)}x)`;

function formatTable(): string {
  const rows = [columns.map(([title]) => title), ...measured.map((each) => columns.map(([, , show]) => show(each)))];
  return rows.map((row) => `${row.map((cell, i) => cell.padEnd(columns[i]?.[1] ?? 0)).join(' ')}\n`).join('');
}

/** The guard refuses, and not a limit of this one client; what hangs does so longer than it is watched. */
const unlimited = {
  PUENTE_HTTP_READ_DEADLINE: '60000',
  PUENTE_LIMITS_CLIENTS_READ_CONCURRENT: '2000',
  PUENTE_LIMITS_CLIENTS_READ_REQUESTS: '1000000',
  PUENTE_HTTP_MAX_CONNECTIONS_PER_ADDRESS: '1000',
};

const ana = '/patients/ana';
const onMemory = (attack: Attack) => async (name: string) => compare(name, await startTarget(), ana, attack);

const lines: Readonly<Record<string, (name: string) => Promise<void>>> = {
  /** 500 callers of a read that hangs. */
  burst: async (name) => {
    const target = await startTargetOverFhir(unlimited);
    await compare(name, target, '/practitioner/', callAtOnce(`/patients/${target.backend.ana}`, 500, 5));
  },
  /** 60 tickets of 9.8 MB at once. */
  tickets: onMemory(fileTickets(60)),
  /** 1000 connections with 50 requests each that read nothing. */
  silent: onMemory(readNothing(1_000, 50, 35)),
  /** 20 connections with 59 kB of requests each. */
  pipelining: onMemory(pipeline(20, 1_400)),
  /** 20,000 searches by birth date with one token. */
  searches: onMemory(searchByBirthDate(20_000)),
};

const wanted = process.argv.slice(2);
for (const [name, run] of Object.entries(lines)) if (wanted.length === 0 || wanted.includes(name)) await run(name);
process.stdout.write(`\n${formatTable()}`);

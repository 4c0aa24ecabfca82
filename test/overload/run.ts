/**
 * `npm run test:overload` says what callers notice of an overload that others cause: of each line the figures before and
 * during it, in the same run, the lateness of the gateway's own event loop, and what a bare server of Node makes of the same
 * load on this machine. `npm run test:overload -- callers tickets` measures some of them.
 */
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { attacks } from './attacks.ts';
import { findPercentile } from './percentile.ts';
import { startAttacker, startBareTarget, startTarget, startTargetOverFhir, type Target, watch } from './processes.ts';
import type { ServerSide } from './server-side.ts';
import type { Seen } from './watch.ts';

const WARM_UP_MS = 5_000;
/** About as long as an attack: of fewer requests the slowest hundredth says less. */
const QUIET_MS = 10_000;

/** What was seen of a target from outside and inside, before and during an attack. */
interface Measured {
  readonly name: string;
  readonly before: Seen & ServerSide;
  readonly during: Seen & ServerSide;
}

const measured: Measured[] = [];

/** What is attacked, and what others ask of it meanwhile. */
interface Scene {
  readonly target: Target;
  readonly path: string;
  readonly hangs?: string;
}

async function measure(name: keyof typeof attacks, label: string, { target, path, hangs }: Scene): Promise<void> {
  const see = async (act: () => Promise<unknown>): Promise<Seen & ServerSide> => {
    const stop = await watch(target, path);
    await target.ask();
    await act();
    const serverSide = await target.ask();
    return { ...(await stop()), ...serverSide };
  };
  await see(() => sleep(WARM_UP_MS));
  const before = await see(() => sleep(QUIET_MS));
  const attack = await startAttacker(name);
  const during = await see(async () => {
    const outcome = await attack({ port: target.port, ...(hangs !== undefined && { hangs }) });
    process.stdout.write(`${label}: ${outcome}; load ${loadavg()[0]?.toFixed(1)}\n`);
    // The first second after it is a part of it: what was begun has to end.
    await sleep(1_000);
  });
  measured.push({ name: label, before, during });
  target.stop();
}

const signed = new Intl.NumberFormat('en', { maximumFractionDigits: 0, signDisplay: 'exceptZero' });

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
  ['memory', 8, ({ before, during }) => `${signed.format((during.largestMemory - before.largestMemory) / 1e6)} MB`],
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

const onMemory = async (): Promise<Scene> => ({ target: await startTarget(), path: '/patients/ana' });

const overFhir = async (): Promise<Scene> => {
  const target = await startTargetOverFhir(unlimited);
  return { target, path: '/practitioner/', hangs: `/patients/${target.backend.ana}` };
};

/** What is attacked; the first two by 500 callers of a read that hangs. */
const scenes: Readonly<Record<keyof typeof attacks, () => Promise<Scene>>> = {
  burst: overFhir,
  callers: overFhir,
  tickets: onMemory,
  silent: onMemory,
  pipelining: onMemory,
  searches: onMemory,
};

const wanted = process.argv.slice(2);
for (const name of Object.keys(attacks) as (keyof typeof attacks)[]) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const scene = await scenes[name]();
  await measure(name, name, scene);
  // What the same does to a server of Node alone is the machine's.
  await measure(name, `${name}, bare`, { ...scene, target: await startBareTarget() });
}
process.stdout.write(`\n${formatTable()}`);

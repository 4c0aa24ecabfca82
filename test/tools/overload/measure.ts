import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startAttacker, startGateway, startHospital, startWatcher } from './processes.ts';
import type { Row } from './row.ts';
import type { Seen } from './watch.ts';

/** Milliseconds: the code of gateway and watcher is slow at first; what others notice is looked at for so long, */
const WARM_UP = 2_000;
const QUIET = 1_000;
/** and so long after the end of an attack all is to be as before. */
const RECOVERY = 2_000;

/** One run of a row. */
export interface Measured {
  readonly outcomes: readonly string[];
  readonly before: Seen;
  readonly during: Seen;
  readonly after: Seen;
  /** What does not hold, whatever the machine. */
  readonly broken: readonly string[];
}

/** Runs the row of this name once, for so many seconds of attack, on a gateway of its own. */
export async function measure(name: string, row: Row, seconds: number): Promise<Measured> {
  const ends = new AsyncDisposableStack();
  try {
    const folder = await mkdtemp(join(tmpdir(), 'puente-overload-'));
    ends.defer(() => rm(folder, { recursive: true, force: true }));
    const hospital = row.hospital && (await startHospital(name, ends));
    const gateway = await startGateway(folder, { ...hospital, ...row.environment }, ends);
    const attackers = await Promise.all(row.attackers.map((_, index) => startAttacker(name, index, ends)));
    const watcher = startWatcher(gateway, row, ends);
    const see = async (act: () => Promise<unknown>) => {
      await watcher.look();
      await act();
      return watcher.look();
    };
    await sleep(WARM_UP);
    const before = await see(() => sleep(QUIET));
    let outcomes: readonly string[] = [];
    const during = await see(async () => {
      outcomes = await Promise.all(attackers.map((attack, index) => attack({ ...gateway.target, seconds, index })));
    });
    await sleep(RECOVERY);
    const after = await see(() => sleep(QUIET));
    const death = gateway.died();
    watcher.stop();
    await gateway.stop();
    const { environment } = gateway.target;
    const examined = await row.examine?.({ environment, folder, outcomes, logLines: gateway.logLines() });
    const broken = [...(death === undefined ? [] : [death]), ...(examined ?? [])];
    return { outcomes, before, during, after, broken };
  } finally {
    await ends.disposeAsync();
  }
}

/** What is promised, in milliseconds and bytes. */
export interface Promised {
  /** Milliseconds that a probe, or another request after the attack, may take. */
  readonly probes: number;
  /** Milliseconds that `/livez` of the callers' port may take; default: as `probes`. */
  readonly livez?: number | undefined;
  /** Bytes by which memory may grow; default: 150 MB. */
  readonly memory?: number | undefined;
}

const longest = (times: readonly number[]): number => Math.max(0, ...times);

/** The one in the middle of an odd number. */
const findMedian = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Figures of several runs of a row; times are the longest of a run, in the run in the middle. */
export const summarize = (runs: readonly Measured[]) => {
  const middle = (pick: (run: Measured) => number) => findMedian(runs.map(pick));
  return {
    livez: middle(({ during }) => longest(during.livez)),
    ops: middle(({ during }) => longest(during.ops)),
    others: middle(({ during }) => longest(during.others)),
    othersBefore: middle(({ before }) => longest(before.others)),
    othersAfter: middle(({ after }) => longest(after.others)),
    memory: Math.max(...runs.map(({ before, during, after }) => Math.max(during.memory, after.memory) - before.memory)),
    served: runs.reduce((sum, { during }) => sum + during.others.length, 0),
  };
};

/** What of the promise these runs of a row do not keep, each in a sentence. */
export function listProblems(
  runs: readonly Measured[],
  { probes, livez: mostLivez = probes, memory: most = 150e6 }: Promised,
): readonly string[] {
  const { livez, ops, othersAfter, memory, served } = summarize(runs);
  const listFailed = (when: 'before' | 'during' | 'after') =>
    runs.flatMap((run) => Object.entries(run[when].failed)).map(([what, count]) => `${when}: ${count} x ${what}`);
  return [
    ...runs.flatMap(({ broken }) => broken),
    ...(['before', 'during', 'after'] as const).flatMap(listFailed),
    ...(served > 0 ? [] : ['nobody else was served']),
    ...(livez <= mostLivez ? [] : [`/livez took ${Math.round(livez)} ms`]),
    ...(ops <= probes ? [] : [`ops.port took ${Math.round(ops)} ms`]),
    ...(othersAfter <= probes ? [] : [`2 s after it others waited ${Math.round(othersAfter)} ms`]),
    ...(memory <= most ? [] : [`memory grew by ${Math.round(memory / 1e6)} MB`]),
  ];
}

import { runClosedLoop, runOpenLoop } from './load/load.ts';
import { computeQuantile } from './statistics.ts';
import { type Comparison, listServers, type Result, type Round, type Variant } from './variant.ts';

export interface Plan {
  readonly rounds: number;
  /** Of each round. */
  readonly seconds: number;
  /** For each variant, before the rounds that count. */
  readonly warmUpSeconds: number;
}

/** Lets the variants warm up, and then run in turn, round by round. */
export async function runComparison({ load, variants }: Comparison, plan: Plan): Promise<Result[]> {
  for (const variant of variants) await runRound(variant, load, plan.warmUpSeconds);
  const rounds = new Map<Variant, Round[]>(variants.map((variant) => [variant, []]));
  // A p99 wants some hundreds of requests.
  const longer = 'rate' in load ? 4 : 1;
  for (let turn = 0; turn < plan.rounds / longer; turn++) {
    for (const [variant, seen] of rounds) seen.push(await runRound(variant, load, plan.seconds * longer));
  }
  return [...rounds].map(([{ name, own }, seen]) => ({ name, own, rounds: seen }));
}

async function runRound(variant: Variant, load: Comparison['load'], seconds: number): Promise<Round> {
  const servers = listServers(variant);
  const { name, requests } = variant;
  await Promise.all(servers.map((server) => server.ask()));
  const loads = await Promise.all(
    servers.map(({ port }) =>
      'rate' in load
        ? runOpenLoop(port, requests, { ...load, seconds })
        : runClosedLoop(port, requests, { ...load, seconds }),
    ),
  ).catch((cause: unknown) => {
    throw new Error(`${name}: ${String(cause)}`, { cause });
  });
  const used = await Promise.all(servers.map((server) => server.ask()));
  const completed = addUp(loads.map((seen) => seen.completed));
  const latencies = loads.flatMap((seen) => seen.latencies);
  return {
    rate: completed / Math.max(...loads.map((seen) => seen.seconds)),
    cpu: (1_000 * addUp(used.map(({ cpu }) => cpu))) / completed,
    p50: computeQuantile(latencies, 0.5),
    p99: computeQuantile(latencies, 0.99),
  };
}

const addUp = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

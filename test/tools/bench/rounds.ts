import { runClosedLoop, runOpenLoop } from './load/load.ts';
import { computeQuantile } from './statistics.ts';
import { type Comparison, listServers, type Result, type Round, type Variant } from './variant.ts';

export interface Plan {
  /** How often every server is started anew. */
  readonly passes: number;
  /** Of each variant in each pass, before those that count. */
  readonly warmUpRounds: number;
  /** Of each variant in each pass. */
  readonly rounds: number;
  /** Of each round. */
  readonly seconds: number;
}

/** Lets the variants run in turn, round by round, for one pass. */
export async function runPass({ load, variants }: Comparison, plan: Plan): Promise<Result[]> {
  // A p99 wants some hundreds of requests.
  const longer = 'rate' in load ? 4 : 1;
  const runInTurn = async (turns: number): Promise<Round[][]> => {
    const seen: Round[][] = variants.map(() => []);
    for (let turn = 0; turn < turns / longer; turn++) {
      for (const [i, variant] of variants.entries())
        seen[i]?.push(await runRound(variant, load, plan.seconds * longer));
    }
    return seen;
  };
  // In turn too: a server that warmed up and then waited for the others would forget what it had compiled.
  await runInTurn(plan.warmUpRounds);
  const rounds = await runInTurn(plan.rounds);
  return variants.map(({ name, own }, i) => ({ name, own, rounds: rounds[i] ?? [] }));
}

/** The same variants with the rounds of both passes. */
export const joinPasses = (earlier: readonly Result[], later: readonly Result[]): Result[] =>
  later.map((result, i) => ({ ...result, rounds: [...(earlier[i]?.rounds ?? []), ...result.rounds] }));

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

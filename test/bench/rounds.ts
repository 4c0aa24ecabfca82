import { runClosedLoop, runOpenLoop } from './load/load.ts';
import { computeQuantile } from './statistics.ts';
import type { Comparison, Result, Round, Variant } from './variant.ts';

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
  for (let turn = 0; turn < plan.rounds; turn++) {
    for (const [variant, seen] of rounds) seen.push(await runRound(variant, load, plan.seconds));
  }
  return [...rounds].map(([{ name, own }, seen]) => ({ name, own, rounds: seen }));
}

async function runRound(
  { name, server, requests }: Variant,
  load: Comparison['load'],
  seconds: number,
): Promise<Round> {
  await server.ask();
  const running =
    'rate' in load
      ? runOpenLoop(server.port, requests, { ...load, seconds })
      : runClosedLoop(server.port, requests, { ...load, seconds });
  const {
    completed,
    seconds: taken,
    latencies,
  } = await running.catch((cause: unknown) => {
    throw new Error(`${name}: ${String(cause)}`, { cause });
  });
  const { cpu } = await server.ask();
  return {
    rate: completed / taken,
    cpu: (1_000 * cpu) / completed,
    p50: computeQuantile(latencies, 0.5),
    p99: computeQuantile(latencies, 0.99),
  };
}

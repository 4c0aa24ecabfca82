import fc from 'fast-check';
import type { Hospitals } from './hospitals.ts';
import type { KnownDisagreement } from './known/known.ts';
import { anyStep } from './steps/index.ts';
import { Disagreement, type Exchange, Twin } from './twin.ts';

export interface Plan {
  readonly seed: number;
  /** How many sequences. */
  readonly runs: number;
  /** How many steps a sequence has on average. */
  readonly length: number;
}

/** What became of the sequences. */
export interface RunResult {
  /** Everything that was asked, shrinking aside. */
  readonly exchanges: readonly Exchange[];
  /** The shortest sequence that was found to end in a disagreement, which is its last exchange. */
  readonly failure?: readonly Exchange[];
}

/** Plays random sequences of steps over both hospitals, each from the start, until the two disagree. */
export async function runSequences(
  hospitals: Hospitals,
  plan: Plan,
  known: readonly KnownDisagreement[],
): Promise<RunResult> {
  const exchanges: Exchange[] = [];
  let failure: readonly Exchange[] | undefined;
  const sequences = fc.commands([anyStep], { maxCommands: 2 * plan.length, size: 'max' });
  const property = fc.asyncProperty(sequences, async (steps) => {
    const twin = new Twin(hospitals, known);
    try {
      await fc.asyncModelRun(() => ({ model: hospitals.known.copy(), real: twin }), steps);
    } catch (error) {
      failure = twin.exchanges;
      throw error;
    } finally {
      if (!failure) exchanges.push(...twin.exchanges);
    }
  });
  const details = await fc.check(property, { seed: plan.seed, numRuns: plan.runs });
  if (details.failed && !(details.errorInstance instanceof Disagreement)) throw details.errorInstance;
  return { exchanges, ...(failure && { failure }) };
}

import { type ExploreOptions, explore, formatExploration, type Level } from '../../contract/index.ts';
import { CannotRun } from './cannot-run.ts';
import { openTarget, type TargetOptions } from './open-target.ts';
import type { Surroundings } from './surroundings.ts';

export interface ExploreCommandOptions extends TargetOptions {
  /** How many sequences. */
  readonly explore: number;
  /** Default: of the moment. */
  readonly seed?: number;
  readonly level?: Level;
}

/**
 * Plays random sequences on patients of its own, and prints what came of it.
 * @returns whether no promise was found broken.
 * @throws CannotRun or ConfigProblems when nothing can be explored.
 */
export async function exploreTarget(options: ExploreCommandOptions, surroundings: Surroundings): Promise<boolean> {
  const { signal, progress, print } = surroundings;
  const target = await openTarget(options, surroundings);
  try {
    const level = options.level ?? (target.forgets ? 'destructive' : 'safe');
    if (level === 'safe') throw new CannotRun('exploring registers patients: it needs --level write or destructive');
    const settings: ExploreOptions = {
      sequences: options.explore,
      seed: options.seed ?? Date.now() % 1_000_000,
      level,
      signal,
      onSequence: ({ played, sequences, requests }) => {
        if (progress.isTTY) progress.write(`\r\u001b[2K${played}/${sequences} sequences, ${requests} requests`);
      },
    };
    // What the map does not name is left out; a case would be skipped.
    const subject = { ...(await target.start({ level })), fixtures: target.fixtures };
    const result = await explore(subject, settings);
    if (progress.isTTY) progress.write('\r\u001b[2K');
    print(formatExploration(result));
    if (result.findings.length > 0) return false;
    if (result.stopped !== undefined) throw new CannotRun(result.stopped);
    return true;
  } finally {
    await target.close();
  }
}

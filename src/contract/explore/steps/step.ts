import type { Capability } from '../../../ports/index.ts';
import type { Level } from '../../case.ts';
import type { World } from '../world.ts';

/** What a step is told by chance. It takes of it what it needs. */
export interface Choice {
  /** The number of a patient, and of another who may be the same. */
  readonly who: number;
  readonly other: number;
  /** The place in a list, however long that is. */
  readonly which: number;
  /** How many are sent at once. */
  readonly times: number;
}

/** Something that a sequence does, with the checks of what it may have changed. */
export interface Step {
  readonly name: string;
  readonly level: Level;
  readonly needs: readonly Capability[];
  /** How often it is chosen, among the others. */
  readonly weight: number;
  readonly run: (world: World, choice: Choice) => Promise<void>;
}

/** The one at that place, counted around the end. */
export const pick = <T>(all: readonly T[], which: number): T | undefined => all[which % all.length];

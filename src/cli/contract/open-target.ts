import type { Case, Fixtures, Subject } from '../../contract/index.ts';
import type { Capability } from '../../ports/index.ts';
import { CannotRun } from './cannot-run.ts';
import type { CurlTarget } from './curl.ts';
import { findConfigOf, openProcessTarget } from './process-target.ts';
import type { Surroundings } from './surroundings.ts';

/** Which institution the contract is run over. */
export interface TargetOptions {
  readonly config?: string;
  readonly adapter?: string;
}

/** What the contract is run over, with its fixtures. */
export interface Target {
  readonly name: string;
  readonly how: string;
  /** Where the fixtures came from. */
  readonly source: string;
  readonly fixtures: Fixtures;
  readonly supports: ReadonlySet<Capability>;
  /** Whether every case has an institution of its own, which is gone afterwards. */
  readonly forgets: boolean;
  readonly curl: CurlTarget;
  /** Begins a subject for that case. */
  start(testCase: Case): Promise<Subject>;
  close(): Promise<void>;
}

/** @throws CannotRun or ConfigProblems when there is nothing to run the contract over. */
export async function openTarget({ config, adapter }: TargetOptions, { environment }: Surroundings): Promise<Target> {
  const file = adapter === undefined ? config : findConfigOf(adapter);
  const found = await openProcessTarget(file, environment);
  const { builtIn, supports } = found;
  if (!builtIn) throw new CannotRun(`${found.name} needs fixtures`);
  return { ...found, fixtures: builtIn, source: 'built in', ...found.open(builtIn, supports) };
}

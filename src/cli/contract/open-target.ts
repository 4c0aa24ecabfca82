import { defaultTimeZone } from '../../config/schema.ts';
import { type Case, openLine, type PartialFixtures, type Subject } from '../../contract/index.ts';
import type { Capability } from '../../ports/index.ts';
import { commandLine } from '../../toolkit/package.ts';
import { CannotRun } from './cannot-run.ts';
import type { CommandContext } from './command-context.ts';
import { openHttpTarget } from './http-target.ts';
import { readMap } from './map/read.ts';
import type { FixtureMap } from './map/schema.ts';
import { findConfigOf } from './options.ts';
import { openProcessTarget } from './process-target.ts';
import type { FoundTarget } from './target.ts';

/** Which institution a command is for. */
export interface InstitutionOptions {
  readonly config?: string;
  readonly adapter?: string;
  readonly url?: string;
  /** Address of the system behind the server of `url`. */
  readonly through?: string;
  /** Where that server finds the line to it. */
  readonly throughPort?: number;
}

/** Which institution the contract is run over, and what is there. */
export interface TargetOptions extends InstitutionOptions {
  readonly map?: string;
}

/** What the contract is run over, with its fixtures. */
export interface Target extends Pick<FoundTarget, 'name' | 'how' | 'forgets' | 'curl' | 'close'> {
  /** Where the fixtures came from. */
  readonly source: string;
  readonly fixtures: PartialFixtures;
  readonly supports: ReadonlySet<Capability>;
  /** Begins a subject for that case. */
  start(testCase: Pick<Case, 'level'>): Promise<Subject>;
}

/** @throws CannotRun or ConfigProblems when the institution cannot be reached, or its adapters not be composed. */
export async function findTarget(
  { config, adapter, url, through, throughPort = 0 }: InstitutionOptions,
  { environment }: CommandContext,
): Promise<FoundTarget> {
  if (url !== undefined) {
    const line = through === undefined ? undefined : await openLine(through, { port: throughPort }).catch(refuseLine);
    return openHttpTarget(url, environment.PUENTE_CONTRACT_TOKEN || undefined, line);
  }
  return openProcessTarget(adapter === undefined ? config : findConfigOf(adapter), environment);
}

const refuseLine = (error: NodeJS.ErrnoException): never => {
  throw new CannotRun(`there can be no line to the system of --through (${error.code})`);
};

/** @throws CannotRun or ConfigProblems when there is nothing to run the contract over. */
export async function openTarget(options: TargetOptions, context: CommandContext): Promise<Target> {
  const map = options.map === undefined ? undefined : readMap(options.map);
  const found = await findTarget(options, context);
  try {
    const supports = map?.offers ? new Set(map.offers) : found.supports;
    if (!supports) {
      const where = map ? `${options.map} has to say under offers` : 'a map has to say';
      throw new CannotRun(
        `${found.name} has no /capabilities, so ${where} what it offers: see ${commandLine} contract init`,
      );
    }
    const fixtures = map ? toFixtures(map, found) : (found.builtIn ?? toFixtures({}, found));
    const source =
      options.map ?? (found.builtIn ? 'built in' : `none; ${commandLine} contract init writes a map of them`);
    const start = (testCase: Pick<Case, 'level'>) => found.start(testCase, fixtures, supports);
    return { ...found, supports, fixtures, source, start };
  } catch (error) {
    await found.close();
    throw error;
  }
}

/** The fixtures of a map, with what the configuration of the institution says already. */
export function toFixtures(
  { offers: _, timeZone, locale, unknown, ...rest }: FixtureMap,
  { institution }: Pick<FoundTarget, 'institution'>,
): PartialFixtures {
  return {
    ...institution,
    ...rest,
    timeZone: timeZone ?? institution.timeZone ?? defaultTimeZone,
    locale: locale ?? institution.locale ?? 'es-AR',
    unknown: unknown ?? 'puente-contract-unknown',
  };
}

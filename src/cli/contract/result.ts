import type { Case, CaseResult, Level } from '../../contract/index.ts';
import type { Capability } from '../../ports/index.ts';
import type { CleanUp } from './clean-up.ts';

/** A case and what came of it, with no value of a patient. */
export interface ReportedCase extends Pick<Case, 'id' | 'section' | 'needs' | 'level'> {
  readonly title: string;
  readonly outcome: CaseResult['outcome'];
  /** Why it failed or was skipped; lines that begin with + are of the answer, and with - of what was expected. */
  readonly reason?: string;
  /** The system was slow or away: what was to be proved is open. */
  readonly unanswered?: true;
  readonly ms: number;
  readonly requests: readonly ReportedRequest[];
}

/** A request that a case sent. */
export interface ReportedRequest {
  readonly route: string;
  /** Undefined when no answer came. */
  readonly status: number | undefined;
  readonly ms: number;
  /** A command of a POSIX shell that sends it again; the token and patients of the map stand in variables. */
  readonly curl: string;
}

/** What the contract was run over. */
export interface Target {
  /** As the reader knows it, e.g. a URL or a configuration file. */
  readonly name: string;
  /** How it was reached, e.g. `over HTTP`. */
  readonly how: string;
  /** Where the fixtures came from. */
  readonly fixtures: string;
}

/** A run of the contract from its start to its end. */
export interface Report {
  readonly version: string;
  readonly target: Target;
  readonly level: Level;
  /** By which the cases picked at random. */
  readonly seed: number;
  readonly offered: readonly Capability[];
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly ms: number;
  readonly cases: readonly ReportedCase[];
  /** Undefined when the institution ended with the run. */
  readonly cleanUp: CleanUp | undefined;
  /** Why not all cases were run. */
  readonly stopped?: string;
}

/** How many cases came to that. */
export const count = (cases: readonly ReportedCase[], outcome: CaseResult['outcome']): number =>
  cases.filter((each) => each.outcome === outcome).length;

/** The cases of each port, in the order of their first case. */
export const groupByPort = (cases: readonly ReportedCase[]): ReadonlyMap<string, readonly ReportedCase[]> =>
  Map.groupBy(cases, ({ needs }) => needs.split('.')[0] ?? '');

/** The sections of the API document that make promises, with their headings. */
const sections: readonly (readonly [Case['section'], string])[] = [
  ['2', 'Resources and their fields'],
  ['3', 'States and transitions'],
  ['4.A', 'Endpoints, Group A'],
  ['4.B', 'Endpoints, Group B'],
  ['8', 'Limits'],
];

/** Number, heading and cases of each section; a selection may have none of one. */
export const groupBySection = (
  cases: readonly ReportedCase[],
): (readonly [string, string, readonly ReportedCase[]])[] =>
  sections.map(([section, heading]) => [section, heading, cases.filter((each) => each.section === section)]);

/** What the run left at the institution, e.g. `12 patients`. */
export const listRemaining = ({ remaining }: CleanUp): string[] =>
  Object.entries(remaining).flatMap(([kind, number]) =>
    number === 0 ? [] : [`${number} ${number === 1 ? kind.replace(/s$/, '') : kind}`],
  );

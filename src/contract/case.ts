import type { Capability } from '../ports/index.ts';
import type { Subject } from './subject.ts';

/**
 * What a case does to the institution. `safe` reads. `write` leaves behind records of invented patients. `destructive`
 * also takes appointment slots that somebody else could have had.
 */
export type Level = 'safe' | 'write' | 'destructive';

/** One promise of the API, proved on a subject. `S` is the kind of subject that the proof needs. */
export interface Case<S extends Subject = Subject> {
  /** Stable, e.g. `patients.register.twice`. */
  readonly id: string;
  /** A sentence of the specification. */
  readonly title: string;
  readonly level: Level;
  /** The capability that it proves. */
  readonly needs: Capability;
  /** The other capabilities that it uses; without one of them the case is skipped. */
  readonly requires?: readonly Capability[];
  /** Of the API document. */
  readonly section: '2' | '3' | '4.A' | '4.B' | '8';
  /**
   * @param start begins another subject, as fresh as the first.
   * @throws AssertionError when the promise is broken.
   */
  readonly run: (subject: S, start: () => Promise<S>) => Promise<void>;
  /** What must hold instead where `needs` is not offered. */
  readonly whenUnsupported?: (subject: S) => Promise<void>;
}

/** What the cases of one capability have in common. */
export type CaseBase = Pick<Case, 'level' | 'needs' | 'requires' | 'section'>;

/** What one case says for itself: besides its title and proof, what it does not have in common with the others. */
type OwnCase<S extends Subject> = Omit<Case<S>, 'id' | keyof CaseBase> & Partial<CaseBase>;

/** The cases of one capability, by their ids. */
export const defineCases = <S extends Subject = Subject>(
  base: CaseBase,
  cases: Readonly<Record<string, OwnCase<S>>>,
): readonly Case<S>[] => Object.entries(cases).map(([id, own]) => ({ ...base, ...own, id }));

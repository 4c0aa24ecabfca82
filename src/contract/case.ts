import type { Capability } from '../ports/index.ts';
import { isPortsSubject, type PortsSubject } from './ports-subject.ts';
import type { Subject } from './subject.ts';

/**
 * What a case does to the institution. `safe` reads. `write` leaves behind records of invented patients. `destructive`
 * also takes appointment slots that somebody else could have had.
 */
export type Level = 'safe' | 'write' | 'destructive';

/** One promise of the API, proved on a subject. */
export interface Case {
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
  readonly run: (subject: Subject, start: () => Promise<Subject>) => Promise<void>;
  /** It calls the ports themselves; where only requests can be sent it is skipped. */
  readonly inProcess?: true;
  /** The promise that holds instead where `needs` is not offered. */
  readonly whenUnsupported?: Pick<Case, 'title' | 'run'>;
}

/** A promise that only a caller in the same process can check. */
export interface PortCase extends Omit<Case, 'run' | 'inProcess' | 'whenUnsupported'> {
  readonly run: (subject: PortsSubject) => Promise<void>;
}

/** The promise as a case among the others. */
export const toCase = ({ run, ...rest }: PortCase): Case => ({
  ...rest,
  inProcess: true,
  run: async (subject) => {
    if (!isPortsSubject(subject)) throw new Error('the subject has no ports in this process');
    await run(subject);
  },
});

/** What the cases of one capability have in common. */
export type CaseBase = Pick<Case, 'level' | 'needs' | 'requires' | 'section'>;

/** What one case says for itself: besides its title and proof, what it does not have in common with the others. */
type OwnCase = Omit<Case, 'id' | keyof CaseBase> & Partial<CaseBase>;

/** The cases of one capability, by their ids. */
export const defineCases = (base: CaseBase, cases: Readonly<Record<string, OwnCase>>): readonly Case[] =>
  Object.entries(cases).map(([id, own]) => ({ ...base, ...own, id }));

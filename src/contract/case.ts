import type { Capability } from '../ports/index.ts';
import type { FixtureName, Rule } from './fixtures.ts';
import type { OutageKind } from './line.ts';
import type { Subject } from './subject.ts';
import { isPortsSubject, type PortsSubject } from './subject.ts';

/**
 * What a case does to the institution. `safe` reads. `write` leaves behind records of invented patients, or of
 * `patients.spare`. `destructive` also takes appointment slots that somebody else could have had.
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
  /**
   * The other capabilities that it uses, or whose fixtures; without one of them the case is skipped. Of what it does without
   * it asks `Subject.supports`.
   */
  readonly requires: readonly Capability[];
  /** The fixtures that it needs besides those which the capabilities promise; without one of them it is skipped. */
  readonly fixtures: readonly FixtureName[];
  /** Of the API document. A case that says none is of 4.A. */
  readonly section: '2' | '3' | '4.A' | '4.B' | '8';
  /**
   * @param start begins another subject, as fresh as the first.
   * @throws AssertionError when the promise is broken.
   */
  readonly run: (subject: Subject, start: () => Promise<Subject>) => Promise<void>;
  /** The rule by which a system may refuse it, in its fixtures or by a 501: it is skipped then. */
  readonly rule?: Rule | readonly Rule[];
  /** It is skipped where `Offer.retryableWrites` does not name what it proves. */
  readonly needsRetry?: true;
  /** It calls the ports themselves; where only requests can be sent it is skipped. */
  readonly inProcess?: true;
  /** It lets the system behind the adapter fail in this way; without `Fail` for it the case is skipped. */
  readonly outage?: OutageKind;
  /** It looks at what passes between the adapter and its system; without a line the case is skipped. */
  readonly watchesLine?: true;
  /** The promise that holds instead where `needs` is not offered. */
  readonly whenUnsupported?: Pick<Case, 'title' | 'run'>;
}

/** The properties that cases have in common. */
type CaseBase = Partial<Pick<Case, 'level' | 'needs' | 'requires' | 'section' | 'rule'>>;

/** What one case says for itself: what its base lacks or has otherwise; its `requires` are added to those of the base. */
type OwnCase<B extends CaseBase, S extends Subject> = CaseBase &
  Omit<Pick<Case, 'level' | 'needs'>, keyof B> &
  Pick<Case, 'title' | 'whenUnsupported' | 'outage' | 'watchesLine'> & {
    readonly fixtures?: readonly FixtureName[];
    readonly run: (subject: S, start: () => Promise<Subject>) => Promise<unknown>;
  };

/** A case with what its base has in common. */
export function defineCase<B extends CaseBase>(base: B, id: string, own: OwnCase<B, Subject>): Case {
  const { level, needs, section = '4.A' } = { ...base, ...own } as Pick<Case, 'level' | 'needs'> & CaseBase;
  const requires = [...(base.requires ?? []), ...(own.requires ?? [])];
  return {
    ...base,
    ...own,
    id,
    level,
    needs,
    section,
    requires,
    fixtures: own.fixtures ?? [],
    run: async (subject, start) => void (await own.run(subject, start)),
  };
}

/** As `defineCase`, of a promise that only a caller in the same process can check. */
export const definePortCase = <B extends CaseBase>(base: B, id: string, own: OwnCase<B, PortsSubject>): Case => ({
  ...defineCase(base, id, {
    ...own,
    run: async (subject, start) => {
      if (!isPortsSubject(subject)) throw new Error('the subject has no ports in this process');
      await own.run(subject, start);
    },
  }),
  inProcess: true,
});

import type { Capability } from '../ports/index.ts';
import type { FixtureName, Rule } from './fixtures.ts';
import type { OutageKind } from './line.ts';
import type { Subject } from './subject.ts';
import { isPortsSubject, type PortsSubject } from './subject.ts';

/**
 * The effect of a case on the institution. `safe` only reads. `write` leaves records of invented patients, or of
 * `patients.spare`. `destructive` also takes appointment slots that other people could have booked.
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
   * The other capabilities that it uses, or whose fixtures it uses. If one is not offered, the contract skips the case.
   * For an optional capability, the case calls `Subject.supports`.
   */
  readonly requires: readonly Capability[];
  /**
   * The fixtures that it needs in addition to those that the capabilities promise. If one is missing, the contract
   * skips the case.
   */
  readonly fixtures: readonly FixtureName[];
  /** The section of the API document. Defaults to 4.A. */
  readonly section: '2' | '3' | '4.A' | '4.B' | '8';
  /**
   * @param start starts another new subject.
   * @throws AssertionError if the subject breaks the promise.
   */
  readonly run: (subject: Subject, start: () => Promise<Subject>) => Promise<void>;
  /**
   * A rule by which a system may refuse the request, named in its fixtures or shown by a 501. The contract then skips
   * the case.
   */
  readonly rule?: Rule | readonly Rule[];
  /** The contract skips the case if `Offer.retryableWrites` does not name the capability. */
  readonly needsRetry?: true;
  /** It calls the ports directly. The contract skips it if only requests can be sent. */
  readonly inProcess?: true;
  /** It makes the system behind the adapter fail in this way. Without `Fail` for it, the contract skips the case. */
  readonly outage?: OutageKind;
  /** It examines the requests between the adapter and its system. Without a line, the contract skips the case. */
  readonly watchesLine?: true;
  /** The promise that applies instead if `needs` is not offered. */
  readonly whenUnsupported?: Pick<Case, 'title' | 'run'>;
}

/** The properties that cases have in common. */
type CaseBase = Partial<Pick<Case, 'level' | 'needs' | 'requires' | 'section' | 'rule'>>;

/** The properties of one case, which replace those of its base. Its `requires` are added to those of the base. */
type OwnCase<B extends CaseBase, S extends Subject> = CaseBase &
  Omit<Pick<Case, 'level' | 'needs'>, keyof B> &
  Pick<Case, 'title' | 'whenUnsupported' | 'outage' | 'watchesLine'> & {
    readonly fixtures?: readonly FixtureName[];
    readonly run: (subject: S, start: () => Promise<Subject>) => Promise<unknown>;
  };

/** Defines a case with the properties of its base. */
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

/** Like `defineCase`, for a promise that only a caller in the same process can check. */
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

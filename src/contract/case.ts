import type { Capability } from '../ports/index.ts';
import { isPortsSubject, type Outage, type PortsSubject } from './ports-subject.ts';
import type { FixtureName } from './promised-fixtures.ts';
import type { Rule } from './rules.ts';
import { requireOffer, type Subject, type SubjectWith } from './subject.ts';

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
  /** The other capabilities that it uses, or whose fixtures; without one of them the case is skipped. */
  readonly requires: readonly Capability[];
  /** What it uses where it is offered, and does without where it is not. */
  readonly prefers: readonly Capability[];
  /** The fixtures that it needs besides those which the capabilities promise; without one of them it is skipped. */
  readonly fixtures: readonly FixtureName[];
  /** Of the API document. */
  readonly section: '2' | '3' | '4.A' | '4.B' | '8';
  /**
   * @param start begins another subject, as fresh as the first.
   * @throws AssertionError when the promise is broken.
   */
  readonly run: (subject: Subject, start: () => Promise<Subject>) => Promise<void>;
  /** The rule by which a system may refuse it, in its fixtures or by a 501: it is skipped then. */
  readonly rule?: Rule;
  /** It is skipped where `Offer.resumes` does not name what it proves. */
  readonly resumes?: true;
  /** It calls the ports themselves; where only requests can be sent it is skipped. */
  readonly inProcess?: true;
  /** It lets the system behind the adapter fail so; where nobody can bring that about it is skipped. */
  readonly outage?: Outage;
  /** The promise that holds instead where `needs` is not offered. */
  readonly whenUnsupported?: Pick<Case, 'title' | 'run'>;
}

/** What cases have in common. */
export interface CaseBase<C extends Capability = Capability> extends Pick<Case, 'level' | 'section'> {
  readonly needs: C;
  readonly requires?: readonly C[];
  readonly prefers?: readonly Capability[];
}

/** What one case says for itself: `requires`, `prefers` and `fixtures` are added to those of the base. */
interface OwnCase<C extends Capability, R extends Capability, F extends FixtureName, S extends Subject>
  extends Pick<Case, 'title' | 'whenUnsupported' | 'outage' | 'rule'>,
    Partial<Pick<Case, 'level' | 'section' | 'prefers'>> {
  readonly requires?: readonly R[];
  readonly fixtures?: readonly F[];
  readonly run: (subject: SubjectWith<C | R, F, S>, start: () => Promise<Subject>) => Promise<void>;
}

/** A case, whose proof gets the fixtures that its capabilities promise. */
export const defineCase = <C extends Capability, R extends Capability = never, F extends FixtureName = never>(
  base: CaseBase<C>,
  id: string,
  own: OwnCase<C, R, F, Subject>,
): Case => ({
  ...addBase(base, id, own),
  run: async (subject, start) => own.run(requireOffer(subject, listClaimed(base, own), own.fixtures), start),
});

/** As `defineCase`, of a promise that only a caller in the same process can check. */
export const definePortCase = <C extends Capability, R extends Capability = never, F extends FixtureName = never>(
  base: CaseBase<C>,
  id: string,
  own: OwnCase<C, R, F, PortsSubject>,
): Case => ({
  ...addBase(base, id, own),
  inProcess: true,
  run: async (subject, start) => {
    if (!isPortsSubject(subject)) throw new Error('the subject has no ports in this process');
    await own.run(requireOffer(subject, listClaimed(base, own), own.fixtures), start);
  },
});

const listClaimed = <C extends Capability, R extends Capability>(
  { needs, requires = [] }: CaseBase<C>,
  own: { readonly requires?: readonly R[] },
): readonly (C | R)[] => [needs, ...requires, ...(own.requires ?? [])];

type Claim<R extends Capability, F extends FixtureName> = Omit<OwnCase<never, R, F, Subject>, 'run'>;

function addBase(base: CaseBase, id: string, own: Claim<Capability, FixtureName>): Omit<Case, 'run'> {
  const { title, level = base.level, section = base.section, whenUnsupported, outage, rule } = own;
  const requires = [...(base.requires ?? []), ...(own.requires ?? [])];
  const prefers = [...(base.prefers ?? []), ...(own.prefers ?? [])];
  return {
    id,
    title,
    level,
    section,
    needs: base.needs,
    requires,
    prefers: prefers.filter((capability) => !requires.includes(capability)),
    fixtures: own.fixtures ?? [],
    ...(whenUnsupported && { whenUnsupported }),
    ...(outage && { outage }),
    ...(rule && { rule }),
  };
}

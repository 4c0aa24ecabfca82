import type { Gender, PatientRegistration } from '../../src/ports/index.ts';

/** The facts about a person with the document of a registration. */
export interface DocumentHolder {
  /** As far as known: `YYYY-MM-DD`, `YYYY-MM`, `YYYY` or empty. */
  readonly birthDate: string;
  /** Undefined if unknown. */
  readonly gender: Gender | undefined;
}

/**
 * Picks the holder who is the person to register. A document number may belong to two people. If a holder's gender or
 * full birth date is unknown, the known part must match, and no other holder may match better. The birth date counts
 * first.
 * @returns undefined if none of the holders is the person.
 */
export function pickSamePerson<T>(
  holders: readonly T[],
  person: Pick<PatientRegistration, 'birthDate' | 'gender'>,
  read: (holder: T) => DocumentHolder,
): T | undefined {
  const known = holders.map((holder) => ({ holder, ...read(holder) }));
  const same = known.filter(
    ({ birthDate, gender = person.gender }) => person.birthDate.startsWith(birthDate) && gender === person.gender,
  );
  const count = ({ birthDate, gender }: DocumentHolder) => birthDate.length + Number(gender !== undefined);
  return same.toSorted((a, b) => count(b) - count(a))[0]?.holder;
}

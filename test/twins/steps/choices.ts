import fc from 'fast-check';
import type { Knowledge } from '../knowledge.ts';

/** The place in a list, however long that is by then; or an id that nothing has. */
export type Choice = number | string;

/** That the API lets through, and of which servers and adapters may make something else. */
const strange = fc.constantFrom('no-such-id', 'ñandú', 'a_b', 'a,b', 'a|b', '$everything', 'x'.repeat(128));

const often = { weight: 12, arbitrary: fc.nat(80) };

/** Anything that there is, and now and then something that is not. */
export const anyChoice: fc.Arbitrary<Choice> = fc.oneof(often, { weight: 1, arbitrary: strange });

/** As `anyChoice`, a few of them most times: something has to happen to one and the same patient. */
export const anyPatient: fc.Arbitrary<Choice> = fc.oneof(
  { weight: 14, arbitrary: fc.nat(2) },
  { weight: 10, arbitrary: fc.nat(30) },
  { weight: 1, arbitrary: strange },
);

/** The one that was chosen; an id that nothing has when there is none to choose from. */
export const choose = (list: readonly string[], choice: Choice): string =>
  typeof choice === 'string' ? choice : (list[choice % list.length] ?? 'no-such-id');

export const choosePatient = ({ people }: Knowledge, choice: Choice): string => choose([...people.keys()], choice);

export interface InsuranceChoice {
  readonly of: 'nobody' | 'patient' | 'anybody';
  readonly which: Choice;
}

/** None, one of the patient's own most times, and seldom that of anybody. */
export const anyInsurance: fc.Arbitrary<InsuranceChoice> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<InsuranceChoice>({ of: 'nobody', which: 0 }) },
  { weight: 8, arbitrary: fc.nat(5).map((which): InsuranceChoice => ({ of: 'patient', which })) },
  { weight: 1, arbitrary: anyChoice.map((which): InsuranceChoice => ({ of: 'anybody', which })) },
);

/** The id of the coverage; undefined when there is none to choose. */
export function chooseInsurance(
  known: Knowledge,
  patientId: string,
  { of, which }: InsuranceChoice,
): string | undefined {
  if (of === 'nobody') return undefined;
  const all = [...known.coverages.values()];
  const fitting = of === 'anybody' ? all : all.filter((coverage) => coverage.patientId === patientId);
  if (fitting.length === 0) return undefined;
  return choose(
    fitting.map(({ id }) => id),
    which,
  );
}

/** Null most times. */
export const seldom = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });

/** The field, when there is something to put into it. */
export const optional = <K extends string>(name: K, value: string | undefined): { readonly [key: string]: string } =>
  value === undefined ? {} : { [name]: value };

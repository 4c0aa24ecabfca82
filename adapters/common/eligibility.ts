import {
  type CareService,
  type Coverage,
  type Day,
  type Eligibility,
  Failure,
  type Patient,
} from '../../src/ports/index.ts';
import { computeAge } from '../../src/toolkit/zone.ts';
import { requireFound } from './require-found.ts';

/** For whom a service is, and who pays for it. */
export interface ServiceLimits extends Pick<CareService, 'minAge' | 'maxAge'> {
  /** Null when it is for everybody. */
  readonly sex: 'Female' | 'Male' | null;
  /** Ids or codes of the plans that pay for it; null when every plan does. */
  readonly plans: ReadonlySet<string> | null;
}

/** Who wants a service. */
export interface Person extends Pick<Patient, 'gender'> {
  /** As much as is known of it: `YYYY-MM-DD`, `YYYY-MM`, `YYYY` or nothing. */
  readonly birthDate: string;
  /** False when the record is closed: the person died, or it is not in use; absent is open. */
  readonly active?: boolean;
}

/** What would pay for a service. */
export interface Payer extends Pick<Coverage, 'active' | 'planId'> {
  /** Other ids and codes by which a service may name the plan. */
  readonly otherPlanIds?: readonly string[];
}

/** Whether the service is for this person, and paid by this coverage; what is undefined excludes no service. */
export const isEligible = (
  service: ServiceLimits,
  { patient, coverage }: { readonly patient?: Person | undefined; readonly coverage?: Payer | undefined },
  today: Day,
): boolean =>
  (patient === undefined || (patient.active !== false && meetsAgeAndSex(service, patient, today))) &&
  (coverage === undefined || isPaidBy(service, coverage));

/** Whether the service is for this age and sex; gender `Other`, and an age that is not known exactly, exclude no one who may fit. */
export function meetsAgeAndSex(
  { minAge, maxAge, sex }: ServiceLimits,
  { gender, birthDate }: Person,
  today: Day,
): boolean {
  if (sex !== null && gender !== 'Other' && gender !== sex) return false;
  if (birthDate === '') return true;
  // Of a year or a month alone, the first day makes the oldest and the last day the youngest.
  const computeAgeIfBornBy = (end: string) => computeAge(today, birthDate + end.slice(birthDate.length - 4));
  return (
    (minAge === null || computeAgeIfBornBy('-01-01') >= minAge) &&
    (maxAge === null || computeAgeIfBornBy('-12-31') <= maxAge)
  );
}

/** Whether the coverage is active and its plan pays for the service. */
export const isPaidBy = ({ plans }: ServiceLimits, { active, planId, otherPlanIds = [] }: Payer): boolean =>
  active && (plans === null || [planId, ...otherPlanIds].some((id) => plans.has(id)));

/**
 * What every write checks that arranges something for a patient.
 * @throws Failure invalid when the record is closed.
 */
export function checkOpenRecord({ active }: Pick<Person, 'active'>, at: string): void {
  if (active === false) throw new Failure('invalid', 'the record of this patient is closed', { at });
}

/** Whom and what a time is with, as far as that is known. */
export interface Attendance {
  /** Whether the practitioner works here, in this role, and the place is open; absent is yes. */
  readonly practitionerActive?: boolean | undefined;
  readonly roleActive?: boolean | undefined;
  readonly placeOpen?: boolean | undefined;
}

/** Whether such a time can be offered and booked. */
export const isBookable = ({ practitionerActive, roleActive, placeOpen }: Attendance): boolean =>
  ![practitionerActive, roleActive, placeOpen].includes(false);

/** The kinds of appointments (HL7 v2, table 0276) that nobody books ahead. */
const unbookableTypes: readonly string[] = ['EMERGENCY', 'WALKIN'];

/** Whether a time that is kept for this kind of appointment can be offered and booked; undefined is any kind. */
export const isBookableType = (code: string | undefined): boolean => !unbookableTypes.includes(code ?? '');

/** What was found of the patient and the coverage that a request names. */
interface FoundApplicant {
  readonly patient: object | undefined;
  readonly coverage: Pick<Coverage, 'patientId'> | undefined;
}

/** @throws Failure invalid at `patientId` or `coverageId` when it was not found, and at `coverageId` when it is not the patient's. */
export function checkApplicant({ patientId, coverageId }: Eligibility, { patient, coverage }: FoundApplicant): void {
  if (patientId !== undefined) requireFound(patient, 'patient', 'patientId');
  if (coverageId === undefined) return;
  const { patientId: owner } = requireFound(coverage, 'coverage', 'coverageId');
  if (patientId === undefined || owner === patientId) return;
  throw new Failure('invalid', 'this is not a coverage of the patient', { at: 'coverageId' });
}

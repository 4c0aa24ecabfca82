import {
  type Call,
  type CareService,
  type Coverage,
  type Day,
  type Eligibility,
  Failure,
  type Instant,
  type Patient,
} from '../../src/ports/index.ts';
import { addMonths, computeAge, type Zone } from '../../src/toolkit/zone.ts';
import { requireFound } from './failures.ts';

/** For whom a service is, and who pays for it. */
export interface ServiceLimits extends Pick<CareService, 'minAge' | 'maxAge'> {
  /** Null when it is for everybody. */
  readonly sex: 'Female' | 'Male' | null;
  /** Ids or codes of the plans that pay for it; null when every plan does. */
  readonly plans: ReadonlySet<string> | null;
}

/** A service, and what decides who is eligible for it. */
export interface ServiceWithLimits extends ServiceLimits {
  readonly careService: CareService;
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

/** True if the service is for this person, and paid by this coverage; what is undefined excludes no service. */
export const isEligible = (
  service: ServiceLimits,
  { patient, coverage }: { readonly patient?: Person | undefined; readonly coverage?: Payer | undefined },
  today: Day,
): boolean =>
  (patient === undefined || (patient.active !== false && meetsAgeAndSex(service, patient, today))) &&
  (coverage === undefined || isPaidBy(service, coverage));

/** True if the service is for this age and sex; gender `Other`, and an age that is not known exactly, exclude no one who may fit. */
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

/** True if the coverage is active and its plan pays for the service. */
export const isPaidBy = ({ plans }: ServiceLimits, { active, planId, otherPlanIds = [] }: Payer): boolean =>
  active && (plans === null || [planId, ...otherPlanIds].some((id) => plans.has(id)));

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

/** The first moment of which appointments count for `CareServices.frequent`. */
export const computeFrequentSince = (zone: Zone, { now }: Pick<Call, 'now'>): Instant =>
  zone.toStartOfDay(addMonths(zone.toLocalDay(now), -24));

/** One appointment for a service, in milliseconds since 1970 (UTC). */
export interface Use {
  readonly serviceId: string | undefined;
  readonly begins: number;
}

/** Those of the services that were used: the most frequent first, of equally frequent ones the latest, else as they stand. */
export function rankByUse<T extends { readonly id: string }>(services: readonly T[], uses: readonly Use[]): T[] {
  const usesById = Map.groupBy(uses, ({ serviceId }) => serviceId);
  return services
    .map((service) => ({ service, moments: (usesById.get(service.id) ?? []).map(({ begins }) => begins) }))
    .filter(({ moments }) => moments.length > 0)
    .toSorted((a, b) => b.moments.length - a.moments.length || Math.max(...b.moments) - Math.max(...a.moments))
    .map(({ service }) => service);
}

const fold = (credential: string): string => credential.replaceAll(/\s/g, '').toUpperCase();

/** True if two credential numbers are those of one card: blanks and case tell none apart. */
export const isSameCredential = (one: string, other: string): boolean => fold(one) === fold(other);

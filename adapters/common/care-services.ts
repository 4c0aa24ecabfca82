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

/** The patients of a service, and the plans that pay for it. */
export interface ServiceLimits extends Pick<CareService, 'minAge' | 'maxAge'> {
  /** Null if the service is for everybody. */
  readonly sex: 'Female' | 'Male' | null;
  /** Ids or codes of the plans that pay for it. Null if every plan pays. */
  readonly plans: ReadonlySet<string> | null;
}

/** A service with its eligibility rules. */
export interface ServiceWithLimits extends ServiceLimits {
  readonly careService: CareService;
}

/** A person, as far as eligibility depends on it. */
export interface Person extends Pick<Patient, 'gender'> {
  /** As far as known: `YYYY-MM-DD`, `YYYY-MM`, `YYYY` or empty. */
  readonly birthDate: string;
  /** False if the record is closed: the person died, or it is not in use. Absent: open. */
  readonly active?: boolean;
}

/** A coverage, as far as eligibility depends on it. */
export interface Payer extends Pick<Coverage, 'active' | 'planId'> {
  /** Other ids and codes of the plan that a service may use. */
  readonly otherPlanIds?: readonly string[];
}

/** True if the service is for this person, and this coverage pays for it. An undefined argument excludes no service. */
export const isEligible = (
  service: ServiceLimits,
  { patient, coverage }: { readonly patient?: Person | undefined; readonly coverage?: Payer | undefined },
  today: Day,
): boolean =>
  (patient === undefined || (patient.active !== false && meetsAgeAndSex(service, patient, today))) &&
  (coverage === undefined || isPaidBy(service, coverage));

/**
 * True if the service is for this age and sex. Gender `Other` passes. An age that is only partly known passes if it may
 * fit.
 */
export function meetsAgeAndSex(
  { minAge, maxAge, sex }: ServiceLimits,
  { gender, birthDate }: Person,
  today: Day,
): boolean {
  if (sex !== null && gender !== 'Other' && gender !== sex) return false;
  if (birthDate === '') return true;
  // For a year or a month, its first day gives the highest age and its last day the lowest.
  const computeAgeIfBornBy = (end: string) => computeAge(today, birthDate + end.slice(birthDate.length - 4));
  return (
    (minAge === null || computeAgeIfBornBy('-01-01') >= minAge) &&
    (maxAge === null || computeAgeIfBornBy('-12-31') <= maxAge)
  );
}

/** True if the coverage is active and its plan pays for the service. */
export const isPaidBy = ({ plans }: ServiceLimits, { active, planId, otherPlanIds = [] }: Payer): boolean =>
  active && (plans === null || [planId, ...otherPlanIds].some((id) => plans.has(id)));

/** The patient and the coverage of a request, as far as they were found. */
interface FoundApplicant {
  readonly patient: object | undefined;
  readonly coverage: Pick<Coverage, 'patientId'> | undefined;
}

/**
 * @throws Failure invalid at `patientId` or `coverageId` when it was not found.
 * @throws Failure invalid at `coverageId` when it is not the patient's.
 */
export function checkApplicant({ patientId, coverageId }: Eligibility, { patient, coverage }: FoundApplicant): void {
  if (patientId !== undefined) requireFound(patient, 'patient', 'patientId');
  if (coverageId === undefined) return;
  const { patientId: owner } = requireFound(coverage, 'coverage', 'coverageId');
  if (patientId === undefined || owner === patientId) return;
  throw new Failure('invalid', 'this is not a coverage of the patient', { at: 'coverageId' });
}

/** The start of the period whose appointments count for `CareServices.frequent`. */
export const computeFrequentSince = (zone: Zone, { now }: Pick<Call, 'now'>): Instant =>
  zone.toStartOfDay(addMonths(zone.toLocalDay(now), -24));

/** An appointment for a service. Times are milliseconds since 1970 (UTC). */
export interface Use {
  readonly serviceId: string | undefined;
  readonly begins: number;
}

/** Returns the services that were used: by frequency, then by latest use, then in the given order. */
export function rankByUse<T extends { readonly id: string }>(services: readonly T[], uses: readonly Use[]): T[] {
  const usesById = Map.groupBy(uses, ({ serviceId }) => serviceId);
  return services
    .map((service) => ({ service, moments: (usesById.get(service.id) ?? []).map(({ begins }) => begins) }))
    .filter(({ moments }) => moments.length > 0)
    .toSorted((a, b) => b.moments.length - a.moments.length || Math.max(...b.moments) - Math.max(...a.moments))
    .map(({ service }) => service);
}

const fold = (credential: string): string => credential.replaceAll(/\s/g, '').toUpperCase();

/** True if two credential numbers belong to the same card. Blanks and case do not count. */
export const isSameCredential = (one: string, other: string): boolean => fold(one) === fold(other);

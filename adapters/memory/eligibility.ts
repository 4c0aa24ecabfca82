import { type Coverage, type Day, type Eligibility, Failure, type Patient } from '../../src/ports/index.ts';
import { computeAge } from '../zone.ts';
import type { OfferedService, World } from './world.ts';

/** For whom a service is sought. What is absent excludes no service. */
export interface Applicant {
  readonly patient?: Patient | undefined;
  readonly coverage?: Coverage | undefined;
}

/** Whether the service is active, open to this patient, and paid by this coverage. */
export const isEligible = (service: OfferedService, { patient, coverage }: Applicant, today: Day): boolean =>
  service.careService.active &&
  (patient === undefined || meetsAgeAndSex(service, patient, today)) &&
  (coverage === undefined || isPaidBy(service, coverage));

/** Whether the service is for patients of this age and sex; a patient with gender `Other` is accepted for either sex. */
export function meetsAgeAndSex(
  { careService: { minAge, maxAge }, sex }: OfferedService,
  patient: Patient,
  today: Day,
): boolean {
  const age = computeAge(today, patient.birthDate);
  const isOtherSex = sex !== null && patient.gender !== 'Other' && patient.gender !== sex;
  return !isOtherSex && age >= (minAge ?? 0) && age <= (maxAge ?? Number.POSITIVE_INFINITY);
}

/** Whether the coverage is active and its plan pays for the service. */
export const isPaidBy = ({ plans }: OfferedService, { active, planId }: Coverage): boolean =>
  active && (plans === null || plans.has(planId));

/**
 * The patient and the coverage with these ids.
 * @throws Failure invalid at `patientId` or `coverageId` when it does not exist, and at `coverageId` when it is not the patient's.
 */
export function findApplicant(world: World, { patientId, coverageId }: Eligibility): Applicant {
  const patient = patientId === undefined ? undefined : world.patients.find(patientId);
  if (patientId !== undefined && !patient) {
    throw new Failure('invalid', 'there is no such patient', { at: 'patientId' });
  }
  return { patient, coverage: findCoverage(world, coverageId, patientId) };
}

/**
 * The coverage with this id, of this patient if one is given.
 * @throws Failure invalid at `coverageId`.
 */
export function findCoverage(world: World, coverageId: string | undefined, patientId?: string): Coverage | undefined {
  if (coverageId === undefined) return undefined;
  const coverage = world.coverages.get(coverageId);
  if (!coverage) throw new Failure('invalid', 'there is no such coverage', { at: 'coverageId' });
  if (patientId !== undefined && coverage.patientId !== patientId) {
    throw new Failure('invalid', 'this is not a coverage of the patient', { at: 'coverageId' });
  }
  return coverage;
}

import { type Call, type Eligibility, Failure } from '../../../src/ports/index.ts';
import { computeAge } from '../../zone.ts';
import type { FhirContext } from '../context.ts';
import { findPlanClass, findPlanId, isActive } from '../insurance/read.ts';
import { findCode, isId, parseReferenceId } from '../schema/datatypes.ts';
import type { Resource } from '../schema/resources.ts';
import { toGender } from '../schema/terminology.ts';
import { readEligibilityLimits } from './read.ts';

type FhirService = Resource<'HealthcareService'>;

/** The patient who wants a service and the coverage that would pay for it; undefined when not named. */
export interface Applicant {
  readonly patient: Resource<'Patient'> | undefined;
  readonly coverage: Resource<'Coverage'> | undefined;
}

/** The patient and the coverage that a request names, as far as they exist. */
interface FoundApplicant extends Applicant {
  /** Whether the coverage is the patient's; true where no patient is named. */
  readonly owns: boolean;
}

/**
 * Finds the patient and the coverage with these ids.
 * @throws Failure invalid at `patientId` or `coverageId` when there is none, and at `coverageId` when it is somebody else's.
 */
export async function findApplicant(context: FhirContext, who: Eligibility, call: Call): Promise<Applicant> {
  const found = await readApplicant(context, who, call);
  if (who.patientId !== undefined && !found.patient) {
    throw new Failure('invalid', 'there is no such patient', { at: 'patientId' });
  }
  return { patient: found.patient, coverage: requireCoverage(found, who) };
}

/** Reads both in one call to the server where both are named. What is missing is the caller's to tell. */
export async function readApplicant(
  { client }: FhirContext,
  { patientId, coverageId }: Eligibility,
  call: Call,
): Promise<FoundApplicant> {
  const query = { _id: coverageId, _include: 'Coverage:beneficiary' };
  const found = coverageId && isId(coverageId) ? await client.search('Coverage', query, call) : undefined;
  const coverage = found?.matches.find(({ id, status }) => id === coverageId && status !== 'entered-in-error');
  const owns = patientId === undefined || parseReferenceId(coverage?.beneficiary, 'Patient') === patientId;
  const included = owns ? found?.resolve(coverage?.beneficiary, 'Patient') : undefined;
  const patient = patientId === undefined ? undefined : (included ?? (await client.read('Patient', patientId, call)));
  return { patient, coverage, owns };
}

/**
 * The coverage that was found; undefined when none is named.
 * @throws Failure invalid at `coverageId`.
 */
export function requireCoverage({ coverage, owns }: FoundApplicant, { coverageId }: Eligibility) {
  if (coverageId === undefined) return undefined;
  if (!coverage) throw new Failure('invalid', 'there is no such coverage', { at: 'coverageId' });
  if (!owns) throw new Failure('invalid', 'this is not a coverage of the patient', { at: 'coverageId' });
  return coverage;
}

/** Whether the service is for patients of this age and sex; gender `Other`, and an age that is not known exactly, exclude no one who may fit. */
export function meetsAgeAndSex(
  patient: Resource<'Patient'>,
  service: FhirService,
  context: FhirContext,
  call: Call,
): boolean {
  const { minAge, maxAge, sexId } = readEligibilityLimits(service, context);
  const gender = toGender(patient.gender);
  if (sexId !== null && gender !== 'Other' && context.settings.sexIds[gender] !== sexId) return false;
  if (minAge === null && maxAge === null) return true;
  const { birthDate } = patient;
  if (birthDate === undefined) return true;
  // Of a year or a month alone, the first day makes the oldest and the last day the youngest.
  const today = context.zone.toLocalDay(call.now);
  const computeAgeIfBornBy = (end: string) => computeAge(today, birthDate + end.slice(birthDate.length - 4));
  return (
    (minAge === null || computeAgeIfBornBy('-01-01') >= minAge) &&
    (maxAge === null || computeAgeIfBornBy('-12-31') <= maxAge)
  );
}

/** The codes of the plans that the service accepts; undefined when it accepts every plan. */
function listAcceptedPlans({ program }: FhirService, { codes, settings }: FhirContext): readonly string[] | undefined {
  if (settings.planFilter === 'none') return undefined;
  const system = codes.system('plan');
  const accepted = (program ?? []).flatMap((concept) => findCode(concept, system) ?? []);
  return accepted.length > 0 ? accepted : undefined;
}

/** Creates the check whether the coverage pays for a service: it is in force, and the service accepts its plan. */
export async function createPaymentCheck(
  coverage: Resource<'Coverage'>,
  services: readonly FhirService[],
  context: FhirContext,
  call: Call,
): Promise<(service: FhirService) => boolean> {
  if (!isActive(coverage, call.now, context.zone)) return () => false;
  const named = findPlanClass(coverage)?.value;
  const own = new Set([named]);
  const used = new Set(services.flatMap((service) => listAcceptedPlans(service, context) ?? []));
  // A coverage may name its plan by a code that no service uses; then services use the id or an identifier of the plan.
  if (used.size > 0 && (named === undefined || !used.has(named))) {
    const planId = findPlanId(coverage, context.codes);
    const { matches } = await context.catalogue.plans.get(call);
    const plan = matches.find(({ id, identifier = [] }) =>
      planId === undefined ? identifier.some(({ value }) => value === named) || id === named : id === planId,
    );
    for (const code of [plan?.id, ...(plan?.identifier ?? []).map(({ value }) => value)]) own.add(code);
  }
  return (service) => {
    const accepted = listAcceptedPlans(service, context);
    return accepted === undefined || accepted.some((code) => own.has(code));
  };
}

import type { Carrier, Coverage, Instant, Plan } from '../../../src/ports/index.ts';
import type { Zone } from '../../../src/toolkit/zone.ts';
import type { FhirContext } from '../context.ts';
import { isWithin } from '../datatypes/dates.ts';
import { findCode, findExtension, formatConcept, parseReferenceId } from '../schema/datatypes.ts';
import { findContained, type Resource } from '../schema/resources.ts';
import { type Codes, hl7 } from '../schema/terminology.ts';

type FhirCoverage = Resource<'Coverage'>;

/** The carrier of a patient who pays without one. */
const SELF_PAID = 'PARTICULAR';

export const toCarrier = ({ id, name = '', active }: Resource<'Organization'>): Carrier => ({
  id,
  name,
  active: active !== false,
});

export const toPlan = ({ id, name = '', status }: Resource<'InsurancePlan'>): Plan => ({
  id,
  name,
  active: (status ?? 'active') === 'active',
});

/** @param payor the organization that pays; undefined when it is not known. */
export function toCoverage(
  coverage: FhirCoverage,
  payor: Resource<'Organization'> | undefined,
  now: Instant,
  { codes, zone }: Pick<FhirContext, 'codes' | 'zone'>,
): Coverage {
  const [first] = coverage.payor ?? [];
  const self = first?.reference !== undefined && first.reference === coverage.beneficiary.reference;
  const plan = findPlanClass(coverage);
  return {
    id: coverage.id,
    patientId: parseReferenceId(coverage.beneficiary, 'Patient') ?? '',
    planId: findPlanId(coverage, codes) ?? plan?.value ?? '',
    carrier:
      (payor ?? findContained(coverage, first, 'Organization'))?.name ?? first?.display ?? (self ? SELF_PAID : ''),
    plan: plan?.name ?? plan?.value ?? formatConcept(coverage.type),
    credentialNumber: getCredential(coverage),
    active: isActive(coverage, now, zone),
  };
}

export const isActive = ({ status, period }: FhirCoverage, now: Instant, zone: Zone): boolean =>
  status === 'active' && isWithin(period, now, zone);

/** The number of the credential: the member number, else the subscriber id; empty when there is none. */
export function getCredential({ identifier = [], subscriberId }: FhirCoverage): string {
  const member = identifier.find(({ type, value }) => value && findCode(type, hl7.identifierType) === 'MB');
  return member?.value ?? subscriberId ?? '';
}

/** The id of the `InsurancePlan`, where the coverage refers to one. */
export function findPlanId(coverage: FhirCoverage, codes: Codes): string | undefined {
  const extension = findExtension(coverage, codes.extension('coverage-plan'));
  return parseReferenceId((extension ?? findExtension(coverage, hl7.oldCoveragePlan))?.valueReference, 'InsurancePlan');
}

/** The class that names the plan. */
export const findPlanClass = (coverage: FhirCoverage) =>
  coverage.class?.find(({ type }) => findCode(type, hl7.coverageClass) === 'plan');

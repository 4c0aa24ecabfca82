import type { Coverage, Instant } from '../../src/ports/index.ts';
import type { Zone } from '../zone.ts';
import { hl7 } from './codes.ts';
import { codeIn, extensionIn, idOf, wordsOf } from './elements.ts';
import { isWithin } from './moments.ts';
import type { Resource } from './resources.ts';

type FhirCoverage = Resource<'Coverage'>;

/** What stands on a credential of somebody who pays without a carrier. */
const SELF_PAID = 'PARTICULAR';

/** @param payor the organization that pays, as far as it is known. */
export function toCoverage(
  coverage: FhirCoverage,
  payor: Resource<'Organization'> | undefined,
  now: Instant,
  zone: Zone,
): Coverage {
  const [first] = coverage.payor ?? [];
  const self = first?.reference !== undefined && first.reference === coverage.beneficiary.reference;
  const plan = planClassOf(coverage);
  return {
    id: coverage.id,
    patientId: idOf(coverage.beneficiary, 'Patient') ?? '',
    planId: planIdOf(coverage) ?? plan?.value ?? '',
    carrier: payor?.name ?? first?.display ?? (self ? SELF_PAID : ''),
    plan: plan?.name ?? plan?.value ?? wordsOf(coverage.type),
    credentialNumber: credentialOf(coverage),
    active: isActive(coverage, now, zone),
  };
}

export const isActive = ({ status, period }: FhirCoverage, now: Instant, zone: Zone): boolean =>
  status === 'active' && isWithin(period, now, zone);

/** The number on the credential, whichever of its two places a system uses. */
export function credentialOf({ identifier = [], subscriberId }: FhirCoverage): string {
  const member = identifier.find(({ type, value }) => value && codeIn(type && [type], hl7.identifierType) === 'MB');
  return member?.value ?? subscriberId ?? '';
}

/** The id of the `InsurancePlan`, where the coverage refers to one. */
export const planIdOf = (coverage: FhirCoverage): string | undefined =>
  idOf(extensionIn(coverage, hl7.coveragePlan)?.valueReference, 'InsurancePlan');

/** The class that names the plan. */
export const planClassOf = (coverage: FhirCoverage) =>
  coverage.class?.find(({ type }) => codeIn(type && [type], hl7.coverageClass) === 'plan');

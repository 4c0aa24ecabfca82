import type { Call, Carrier, Coverage, Instant, Plan } from '../../../src/ports/index.ts';
import type { Zone } from '../../../src/toolkit/zone.ts';
import type { FhirContext } from '../context.ts';
import type { SearchResult } from '../rest/search-result.ts';
import {
  type FhirIdentifier,
  findCode,
  findExtension,
  findIdentifierValue,
  formatConcept,
  getReferenceType,
  type Party,
  parseReferenceId,
} from '../schema/datatypes.ts';
import { createIsInForce, type IsInForce, isWithin } from '../schema/read.ts';
import { type FhirCoverage, findContained, type Resource, type ResourceType } from '../schema/resources.ts';
import { type Codes, hl7 } from '../schema/terminology.ts';

/** The carrier's name if the patient or a relative pays. */
const SELF_PAID = 'PARTICULAR';

export const toCarrier = ({ id, name = '', active }: Resource<'Organization'>): Carrier => ({
  id,
  name,
  active: active !== false,
});

export const toPlan = (plan: Resource<'InsurancePlan'>, isInForce: IsInForce): Plan => ({
  id: plan.id,
  name: plan.name ?? '',
  active: isSold(plan, isInForce),
});

/** True if patients can get the plan now. */
export const isSold = ({ status = 'active', period }: Resource<'InsurancePlan'>, isInForce: IsInForce): boolean =>
  status === 'active' && isInForce(period);

type Payment = Pick<FhirCoverage, 'payor' | 'contained'>;

/** The payer: the insurer, even if persons pay a part. Undefined if nobody is named. */
export function pickPayor(coverage: Payment): Party | undefined {
  const payors = coverage.payor ?? [];
  return payors.find((each) => !isPerson(coverage, each)) ?? payors[0];
}

const isPerson = (coverage: Payment, payor: Party): boolean =>
  ['Patient', 'RelatedPerson'].includes(getReferenceType(coverage, payor) ?? '');

/**
 * Fetches the payers of the coverages. Returns a function that finds the paying organization of a coverage, if known.
 */
export async function fetchPayors(
  found: SearchResult<ResourceType>,
  coverages: readonly (FhirCoverage | undefined)[],
  { client, catalogue }: Pick<FhirContext, 'client' | 'catalogue'>,
  call: Call,
): Promise<(coverage: FhirCoverage) => Resource<'Organization'> | undefined> {
  const payors = coverages.flatMap((each) => (each && pickPayor(each)) ?? []);
  await client.fetchMissing(found, 'Organization', payors, call);
  const isNumbered = payors.some((each) => each.reference === undefined && !each.display && each.identifier?.value);
  const carriers = isNumbered ? (await catalogue.carriers.get(call)).matches : [];
  return (coverage) => {
    const payor = pickPayor(coverage);
    const { system, value } = payor?.identifier ?? {};
    return (
      found.resolve(payor, 'Organization') ??
      findContained(coverage, payor, 'Organization') ??
      carriers.find(({ identifier }) => value && system && findIdentifierValue(identifier, [system]) === value)
    );
  };
}

/** @param organization the payer; undefined if unknown. */
export function toCoverage(
  coverage: FhirCoverage,
  organization: Resource<'Organization'> | undefined,
  now: Instant,
  { codes, zone }: Pick<FhirContext, 'codes' | 'zone'>,
): Coverage {
  const payor = pickPayor(coverage);
  const words = payor?.display ?? payor?.identifier?.value ?? '';
  const plan = findPlanClass(coverage);
  return {
    id: coverage.id,
    patientId: parseReferenceId(coverage.beneficiary, 'Patient') ?? '',
    planId: findPlanId(coverage, codes) ?? plan?.value ?? '',
    carrier: payor && isPerson(coverage, payor) ? SELF_PAID : (organization?.name ?? words),
    plan: plan?.name ?? plan?.value ?? formatConcept(coverage.type),
    credentialNumber: getCredential(coverage, createIsInForce({ now }, zone)),
    active: isActive(coverage, now, zone),
  };
}

export const isActive = ({ status, period }: FhirCoverage, now: Instant, zone: Zone): boolean =>
  status === 'active' && isWithin(period, now, zone);

/** The member numbers, those in force first. */
const listMemberNumbers = (identifiers: readonly FhirIdentifier[], isInForce: IsInForce) =>
  identifiers
    .filter(({ type }) => findCode(type, hl7.identifierType) === 'MB')
    .map((entry) => ({ entry, isCurrent: entry.use !== 'old' && isInForce(entry.period) }))
    .toSorted((a, b) => Number(b.isCurrent) - Number(a.isCurrent));

/** The entry of the member number in force. Undefined if there is none. */
export const findMemberNumber = (
  identifiers: readonly FhirIdentifier[] = [],
  isInForce: IsInForce,
): FhirIdentifier | undefined => listMemberNumbers(identifiers, isInForce).find(({ isCurrent }) => isCurrent)?.entry;

/**
 * The credential number: the member number in force, the subscriber id, or a former member number. Empty if there is
 * none.
 */
export function getCredential({ identifier = [], subscriberId }: FhirCoverage, isInForce: IsInForce): string {
  const numbers = listMemberNumbers(identifier, isInForce).filter(({ entry }) => entry.value);
  const [first] = numbers;
  const former = first?.entry.value;
  return (first?.isCurrent ? former : (subscriberId ?? former)) ?? '';
}

/** The id of the coverage's `InsurancePlan`, if it refers to one. */
export function findPlanId(coverage: FhirCoverage, codes: Codes): string | undefined {
  const extension = findExtension(coverage, codes.extension('coverage-plan'));
  return parseReferenceId((extension ?? findExtension(coverage, hl7.oldCoveragePlan))?.valueReference, 'InsurancePlan');
}

/** The class with the plan. */
export const findPlanClass = (coverage: FhirCoverage) =>
  coverage.class?.find(({ type }) => findCode(type, hl7.coverageClass) === 'plan');

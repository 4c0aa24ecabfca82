import { type Call, type CoverageChanges, Failure, type NewCoverage } from '../../../src/ports/index.ts';
import { badAnswer } from '../../http-client/failures.ts';
import type { FhirContext } from '../context.ts';
import { assertBelongsTo, searchPatientCompartment } from '../patients/compartment.ts';
import { formatToken } from '../rest/url.ts';
import { type Extension, type FhirIdentifier, findCode, parseReferenceId, toReference } from '../schema/datatypes.ts';
import type { Draft, Resource } from '../schema/resources.ts';
import { hl7 } from '../schema/terminology.ts';
import { retryOnConflict } from '../writes/retry-on-conflict.ts';
import { getCredential, isActive } from './read.ts';

type FhirCoverage = Resource<'Coverage'>;
type FhirPlan = Resource<'InsurancePlan'>;

/** The contract is that of `Insurance.create`. A coverage with this credential that has ended is reactivated. */
export async function createCoverage(
  context: FhirContext,
  wanted: NewCoverage,
  call: Call,
): Promise<{ readonly id: string }> {
  const { client, zone } = context;
  const { beneficiaryId, credentialNumber } = wanted;
  const { matches: known } = await searchPatientCompartment(client, 'Coverage', beneficiaryId, { _count: '100' }, call);
  const plan = await findPlan(context, wanted.planId, call);
  const same = known.filter((each) => getCredential(each) === credentialNumber);
  if (same.some((each) => isActive(each, call.now, zone))) throw coverageExists();
  const rewritten = (coverage: FhirCoverage) =>
    withPlan(withCredential(coverage, credentialNumber, plan, context), plan, context);
  const draft = rewritten(createEmptyCoverage(beneficiaryId, zone.toLocalDay(call.now)));
  const system = getCredentialSystem(plan, context);
  const ended = same.find(({ identifier = [] }) => identifier.some((each) => each.system === system));
  if (ended) return reactivate(rewritten(ended), context, call);
  const { id: _, ...body } = draft;
  const criterion = { beneficiary: `Patient/${beneficiaryId}`, identifier: formatToken(system, credentialNumber) };
  try {
    const { resource, created } = await client.create<'Coverage'>(body as Draft<'Coverage'>, call, criterion);
    if (created) return { id: resource.id };
    assertBelongsTo(beneficiaryId, 'Coverage', [resource]);
    const isWanted = ({ system: of, value }: FhirIdentifier) => of === system && value === credentialNumber;
    if (!resource.identifier?.some(isWanted)) throw badAnswer('another_coverage');
    if (isActive(resource, call.now, zone)) throw coverageExists();
    return await reactivate(rewritten(resource), context, call);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'version_conflict') throw error;
    throw coverageExists();
  }
}

/** Changes the plan or the credential; the contract is that of `Insurance.edit`. */
export async function editCoverage(
  context: FhirContext,
  id: string,
  changes: CoverageChanges,
  call: Call,
): Promise<void> {
  const { client, catalogue } = context;
  await retryOnConflict(async () => {
    const coverage = await client.read('Coverage', id, call);
    if (!coverage || coverage.status === 'entered-in-error') {
      throw new Failure('not_found', 'there is no such coverage');
    }
    const plan = changes.planId === undefined ? undefined : await findPlan(context, changes.planId, call);
    const { matches: plans } = plan ? { matches: [plan] } : await catalogue.plans.get(call);
    const owner = plan ?? plans.find(({ ownedBy }) => ownedBy?.reference === coverage.payor?.[0]?.reference);
    const credential = changes.credentialNumber ?? getCredential(coverage);
    const renumbered = withCredential(coverage, credential, owner, context);
    await client.update(plan ? withPlan(renumbered, plan, context) : renumbered, call);
  }, call);
}

async function reactivate(
  coverage: FhirCoverage,
  { client, zone }: FhirContext,
  call: Call,
): Promise<{ readonly id: string }> {
  const period = { start: zone.toLocalDay(call.now) };
  await client.update({ ...coverage, status: 'active', period }, call);
  return { id: coverage.id };
}

/** @throws Failure not_found when there is no such plan, invalid at `planId` when it is no longer sold. */
async function findPlan({ catalogue }: FhirContext, id: string, call: Call): Promise<FhirPlan> {
  const { matches } = await catalogue.plans.get(call);
  const plan = matches.find((each) => each.id === id);
  if (!plan) throw new Failure('not_found', 'there is no such plan');
  if ((plan.status ?? 'active') === 'active') return plan;
  throw new Failure('invalid', 'the plan is no longer sold', { at: 'planId' });
}

const coverageExists = () =>
  new Failure('conflict', 'the beneficiary has an active coverage with this credential', { code: 'coverage_exists' });

const getCredentialSystem = (plan: FhirPlan | undefined, { codes }: FhirContext): string =>
  codes.sid(`credential/${parseReferenceId(plan?.ownedBy, 'Organization') ?? 'unknown'}`);

const createEmptyCoverage = (patientId: string, today: string): FhirCoverage => ({
  resourceType: 'Coverage',
  id: '',
  status: 'active',
  beneficiary: toReference('Patient', patientId),
  period: { start: today },
});

function withCredential(
  coverage: FhirCoverage,
  value: string,
  plan: FhirPlan | undefined,
  context: FhirContext,
): FhirCoverage {
  const isMember = ({ type }: FhirIdentifier) => findCode(type && [type], hl7.identifierType) === 'MB';
  const old = coverage.identifier?.find(isMember);
  const system = plan ? getCredentialSystem(plan, context) : (old?.system ?? getCredentialSystem(plan, context));
  const member = { ...old, type: { coding: [{ system: hl7.identifierType, code: 'MB' }] }, system, value };
  const others = coverage.identifier?.filter((each) => each !== old) ?? [];
  return { ...coverage, identifier: [member, ...others], subscriberId: value };
}

function withPlan(coverage: FhirCoverage, plan: FhirPlan, { codes }: FhirContext): FhirCoverage {
  const extension: Extension = { url: hl7.coveragePlan, valueReference: toReference('InsurancePlan', plan.id) };
  const code =
    plan.identifier?.find(({ system }) => system === codes.sid('plan'))?.value ??
    plan.identifier?.[0]?.value ??
    plan.id;
  const planClass = {
    type: { coding: [{ system: hl7.coverageClass, code: 'plan' }] },
    value: code,
    ...(plan.name !== undefined && { name: plan.name }),
  };
  const otherClasses =
    coverage.class?.filter(({ type }) => findCode(type && [type], hl7.coverageClass) !== 'plan') ?? [];
  return {
    ...coverage,
    extension: [extension, ...(coverage.extension?.filter(({ url }) => url !== hl7.coveragePlan) ?? [])],
    class: [planClass, ...otherClasses],
    payor: plan.ownedBy ? [plan.ownedBy] : (coverage.payor ?? []),
  };
}

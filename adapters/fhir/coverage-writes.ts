import { type Call, type CoverageChanges, Failure, type NewCoverage } from '../../src/ports/index.ts';
import type { Backend } from './backend.ts';
import { hl7 } from './codes.ts';
import { credentialOf, isActive } from './coverage.ts';
import { codeIn, type Extension, type FhirIdentifier, idOf, referTo } from './elements.ts';
import { expectOwn } from './ownership.ts';
import type { Draft, Resource } from './resources.ts';
import { isId, token } from './url.ts';

type FhirCoverage = Resource<'Coverage'>;
type FhirPlan = Resource<'InsurancePlan'>;

/** How often an edit is tried again after somebody else changed the same coverage. */
const FRESH_STARTS = 2;

/** The contract is that of `Insurance.create`. A coverage that had ended is taken up again. */
export async function createCoverage(
  backend: Backend,
  wanted: NewCoverage,
  call: Call,
): Promise<{ readonly id: string }> {
  const { client, zone } = backend;
  const { beneficiaryId, credentialNumber } = wanted;
  const known = await coveragesOf(backend, beneficiaryId, call);
  const plan = await planWith(backend, wanted.planId, call);
  const same = known.filter((each) => credentialOf(each) === credentialNumber);
  if (same.some((each) => isActive(each, call.now, zone))) throw coverageExists();
  const rewritten = (coverage: FhirCoverage) =>
    withPlan(withCredential(coverage, credentialNumber, plan, backend), plan, backend);
  const draft = rewritten(emptyCoverage(beneficiaryId, zone.dayOf(call.now)));
  const system = credentialSystem(plan, backend);
  const ended = same.find(({ identifier = [] }) => identifier.some((each) => each.system === system));
  if (ended) return revive(rewritten(ended), backend, call);
  const { id: _, ...body } = draft;
  const criterion = { beneficiary: `Patient/${beneficiaryId}`, identifier: token(system, credentialNumber) };
  try {
    const { resource, created } = await client.create<'Coverage'>(body as Draft<'Coverage'>, call, criterion);
    if (created) return { id: resource.id };
    if (isActive(resource, call.now, zone)) throw coverageExists();
    return await revive(rewritten(resource), backend, call);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'version_conflict') throw error;
    throw coverageExists();
  }
}

/** The contract is that of `Insurance.edit`. */
export async function editCoverage(backend: Backend, id: string, changes: CoverageChanges, call: Call): Promise<void> {
  const { client, catalogue } = backend;
  for (let starts = 0; ; starts++) {
    const coverage = await client.read('Coverage', id, call);
    if (!coverage || coverage.status === 'entered-in-error')
      throw new Failure('not_found', 'there is no such coverage');
    const plan = changes.planId === undefined ? undefined : await planWith(backend, changes.planId, call);
    const { matches: plans } = plan ? { matches: [plan] } : await catalogue.plans.get(call);
    const owner = plan ?? plans.find(({ ownedBy }) => ownedBy?.reference === coverage.payor?.[0]?.reference);
    const credential = changes.credentialNumber ?? credentialOf(coverage);
    const renumbered = withCredential(coverage, credential, owner, backend);
    try {
      return await client.update(plan ? withPlan(renumbered, plan, backend) : renumbered, call);
    } catch (error) {
      const again = error instanceof Failure && error.kind === 'conflict' && starts < FRESH_STARTS;
      if (!again) throw error;
    }
  }
}

async function revive(coverage: FhirCoverage, { client, zone }: Backend, call: Call): Promise<{ readonly id: string }> {
  const period = { start: zone.dayOf(call.now) };
  await client.update({ ...coverage, status: 'active', period }, call);
  return { id: coverage.id };
}

/** @throws Failure not_found when there is no such patient. */
async function coveragesOf({ client }: Backend, patientId: string, call: Call): Promise<readonly FhirCoverage[]> {
  const query = { beneficiary: `Patient/${patientId}`, _include: 'Coverage:beneficiary', _count: '100' };
  const found = isId(patientId) ? await client.search('Coverage', query, call) : undefined;
  const isKnown = found?.has(`Patient/${patientId}`) || (await client.read('Patient', patientId, call));
  if (!found || !isKnown) throw new Failure('not_found', 'there is no such patient');
  expectOwn(patientId, found.matches, ({ beneficiary }) => [beneficiary]);
  return found.matches;
}

/** @throws Failure not_found when there is no such plan, invalid at `planId` when it is no longer sold. */
async function planWith({ catalogue }: Backend, id: string, call: Call): Promise<FhirPlan> {
  const { matches } = await catalogue.plans.get(call);
  const plan = matches.find((each) => each.id === id);
  if (!plan) throw new Failure('not_found', 'there is no such plan');
  if ((plan.status ?? 'active') === 'active') return plan;
  throw new Failure('invalid', 'the plan is no longer sold', { at: 'planId' });
}

const coverageExists = () =>
  new Failure('conflict', 'the beneficiary has an active coverage with this credential', { code: 'coverage_exists' });

const credentialSystem = (plan: FhirPlan | undefined, { codes }: Backend): string =>
  codes.sid(`credential/${idOf(plan?.ownedBy, 'Organization') ?? 'unknown'}`);

const emptyCoverage = (patientId: string, today: string): FhirCoverage => ({
  resourceType: 'Coverage',
  id: '',
  status: 'active',
  beneficiary: referTo('Patient', patientId),
  period: { start: today },
});

function withCredential(
  coverage: FhirCoverage,
  value: string,
  plan: FhirPlan | undefined,
  backend: Backend,
): FhirCoverage {
  const isMember = ({ type }: FhirIdentifier) => codeIn(type && [type], hl7.identifierType) === 'MB';
  const old = coverage.identifier?.find(isMember);
  const system = plan ? credentialSystem(plan, backend) : (old?.system ?? credentialSystem(plan, backend));
  const member = { ...old, type: { coding: [{ system: hl7.identifierType, code: 'MB' }] }, system, value };
  const others = coverage.identifier?.filter((each) => each !== old) ?? [];
  return { ...coverage, identifier: [member, ...others], subscriberId: value };
}

function withPlan(coverage: FhirCoverage, plan: FhirPlan, { codes }: Backend): FhirCoverage {
  const extension: Extension = { url: hl7.coveragePlan, valueReference: referTo('InsurancePlan', plan.id) };
  const code =
    plan.identifier?.find(({ system }) => system === codes.sid('plan'))?.value ??
    plan.identifier?.[0]?.value ??
    plan.id;
  const planClass = {
    type: { coding: [{ system: hl7.coverageClass, code: 'plan' }] },
    value: code,
    ...(plan.name !== undefined && { name: plan.name }),
  };
  const otherClasses = coverage.class?.filter(({ type }) => codeIn(type && [type], hl7.coverageClass) !== 'plan') ?? [];
  return {
    ...coverage,
    extension: [extension, ...(coverage.extension?.filter(({ url }) => url !== hl7.coveragePlan) ?? [])],
    class: [planClass, ...otherClasses],
    payor: plan.ownedBy ? [plan.ownedBy] : (coverage.payor ?? []),
  };
}

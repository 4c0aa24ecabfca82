import type { CoverageClass } from '@medplum/fhirtypes';
import { badAnswer } from '../../../src/http-client/failures.ts';
import {
  type Call,
  type CoverageChanges,
  Failure,
  type Insurance,
  type NewCoverage,
} from '../../../src/ports/index.ts';
import { isSameCredential } from '../../common/care-services.ts';
import { checkOpenRecord, createPromisedFailure } from '../../common/failures.ts';
import type { FhirContext } from '../context.ts';
import {
  assertBelongsTo,
  formatPatients,
  isOfHidden,
  type MergedPerson,
  requireReadable,
  searchPatientCompartment,
} from '../patients/person.ts';
import { isOpenRecord } from '../patients/read.ts';
import type { FhirClient } from '../rest/client.ts';
import { escapeValue, formatToken } from '../rest/query.ts';
import { toRows } from '../rest/search-result.ts';
import { keepDecimals, type ServerCall } from '../rest/transport.ts';
import {
  type FhirIdentifier,
  findCode,
  isId,
  parseReferenceId,
  type Reference,
  toReference,
} from '../schema/datatypes.ts';
import { createIsInForce, type IsInForce } from '../schema/read.ts';
import type { FhirCoverage, NewResource, Resource } from '../schema/resources.ts';
import { hl7 } from '../schema/terminology.ts';
import {
  computeRepetitionKey,
  confirmUpdate,
  createOnce,
  findByWriteKey,
  retryOnConflict,
  toKeyIdentifiers,
  type Unique,
} from '../writes.ts';
import {
  fetchPayors,
  findMemberNumber,
  getCredential,
  isActive,
  isSold,
  pickPayor,
  toCarrier,
  toCoverage,
  toPlan,
} from './read.ts';

/** Carriers are `Organization`s of type `ins`, plans are `InsurancePlan`s, and coverages are `Coverage`s. */
export function createInsurance(context: FhirContext): Insurance {
  const { client, catalogue, compareNames, zone } = context;
  return {
    async carriers({ ownerId }, call) {
      const { matches } = await catalogue.carriers.get(call);
      const all = matches.map(toCarrier).toSorted(compareNames);
      if (ownerId === undefined) return all;
      const contracts = await findContracts(ownerId, matches, call);
      return all.filter(({ id }) => contracts.has(id));
    },

    async plans(carrier, call) {
      const carriers = await catalogue.carriers.get(call);
      const found =
        carriers.find(carrier) ??
        carriers.matches.find(({ name }) => name === carrier) ??
        carriers.matches.find(({ identifier = [] }) => identifier.some(({ value }) => value === carrier));
      if (!found) throw new Failure('not_found', 'there is no such carrier');
      const { matches } = await catalogue.plans.get(call);
      return matches
        .filter(({ ownedBy }) => parseReferenceId(ownedBy, 'Organization') === found.id)
        .map((plan) => toPlan(plan, createIsInForce(call, zone)));
    },

    async coverages(patientId, call) {
      const query = { _include: 'Coverage:payor', _count: '100' };
      const search = { who: patientId, query, lenient: true } as const;
      const { found, person } = await searchPatientCompartment(client, 'Coverage', search, call);
      const findPayor = await fetchPayors(found, found.matches, context, call);
      const valid = found.matches.filter(({ status }) => status !== 'entered-in-error');
      const toRow = (each: Resource<'Coverage'>) => ({
        ...toCoverage(each, findPayor(each), call.now, context),
        patientId: person.ids[0],
      });
      return toRows(found, valid, toRow, call);
    },

    create: (wanted, call) => retryOnConflict(() => createOrReactivate(context, wanted, call), call, 2),
    edit: (coverageId, changes, call) => editCoverage(context, coverageId, changes, call),
  };

  /** The ids of the carriers with a contract with the institution, and of its own parts. */
  async function findContracts(ownerId: string, carriers: readonly Resource<'Organization'>[], call: Call) {
    const { matches } = await catalogue.affiliations.get(call);
    const own = matches.filter(({ organization }) => parseReferenceId(organization, 'Organization') === ownerId);
    const parts = carriers.filter(({ partOf }) => parseReferenceId(partOf, 'Organization') === ownerId);
    const isKnown = own.length > 0 || parts.length > 0;
    const isCarrier = carriers.some(({ id }) => id === ownerId);
    if (!isKnown && (isCarrier || !(await client.read('Organization', ownerId, call)))) {
      throw new Failure('invalid', 'there is no such institution', { at: 'ownerId' });
    }
    const isInForce = createIsInForce(call, zone);
    const current = own.filter(({ active, period }) => active !== false && isInForce(period));
    const affiliated = current.map((each) => each.participatingOrganization);
    return new Set([...affiliated.map((each) => parseReferenceId(each, 'Organization')), ...parts.map(({ id }) => id)]);
  }
}

type FhirPlan = Resource<'InsurancePlan'>;
type ClassAsRead = NonNullable<FhirCoverage['class']>[number];
interface CoverageElements<C = ClassAsRead> extends Partial<Pick<FhirCoverage, 'identifier' | 'extension' | 'payor'>> {
  readonly class?: C[];
}

/** As `Insurance.create` specifies. Reactivates an ended coverage with this credential. */
async function createOrReactivate(context: FhirContext, wanted: NewCoverage, call: Call) {
  const { client, codes, zone } = context;
  const { beneficiaryId, credentialNumber } = wanted;
  const list = (call: Call, who: string | MergedPerson) =>
    searchPatientCompartment(client, 'Coverage', { who, query: { _count: '100' } }, keepDecimals(call));
  const { found, person } = await list(call, beneficiaryId);
  const known = found.matches;
  const key = await computeRepetitionKey(call, 'coverage', wanted);
  const keySystem = codes.sid('request');
  const own = findByWriteKey(key, keySystem, known);
  if (own) return { id: own.id };
  checkOpenRecord({ active: isOpenRecord(requireReadable(person)) }, 'beneficiaryId');
  const plan = await findPlan(context, wanted.planId, call);
  const isInForce = createIsInForce(call, zone);
  const same = known.filter((each) => isSameCredential(getCredential(each, isInForce), credentialNumber));
  if (same.some((each) => isActive(each, call.now, zone))) throw createPromisedFailure('coverage_exists');
  const period = { start: zone.toLocalDay(call.now) };
  const system = getCredentialSystem(plan.ownedBy, context);
  const toElements = <C extends ClassAsRead = never>({ identifier = [], ...before }: CoverageElements<C>) => {
    const others = identifier.filter(({ system }) => system !== keySystem);
    const credential = toCredentialElements(others, { value: credentialNumber, system }, isInForce);
    return {
      ...credential,
      ...toPlanElements(before, plan, context),
      identifier: [...credential.identifier, ...toKeyIdentifiers(key, keySystem)],
      status: 'active' as const,
      period,
    };
  };
  const beneficiary = toReference('Patient', requireReadable(person).id);
  const reactivate = async (coverage: FhirCoverage) => {
    await confirmUpdate(client, coverage, { ...toElements(coverage), beneficiary }, call);
    return { id: coverage.id };
  };
  const ended = same.find(({ identifier = [] }) => identifier.some((each) => each.system === system));
  if (ended) return reactivate(ended);
  const draft: NewResource<'Coverage'> = { resourceType: 'Coverage', beneficiary, ...toElements({}) };
  const holds = ({ identifier = [] }: FhirCoverage, of?: string) =>
    identifier.some((each) => each.value === credentialNumber && (of === undefined || each.system === of));
  // A parallel create may add this credential under another carrier. Existing ones may not count.
  const under = known.some((each) => holds(each)) ? system : undefined;
  const token = under === undefined ? escapeValue(credentialNumber) : formatToken(under, credentialNumber);
  const unique: Unique<'Coverage'> = {
    token: ['identifier', token],
    others: { beneficiary: formatPatients(person.ids) },
    find: async (call) => (await list(call, person)).found.matches.filter((each) => holds(each, under)),
    fits: (each) => holds(each, under),
    isOwn: (each) => findByWriteKey(key, keySystem, [each]) !== undefined,
  };
  const { resource, isOwn } = await createOnce(client, draft, unique, keepDecimals(call));
  if (isOwn) return { id: resource.id };
  assertBelongsTo(person.ids, 'Coverage', [resource]);
  if (!holds(resource, under)) throw badAnswer('condition_ignored');
  if (isActive(resource, call.now, zone)) throw createPromisedFailure('coverage_exists');
  return reactivate(resource);
}

/** Changes the plan or the credential, as `Insurance.edit` specifies. */
async function editCoverage(context: FhirContext, id: string, changes: CoverageChanges, call: Call): Promise<void> {
  const { client, zone } = context;
  const isInForce = createIsInForce(call, zone);
  await retryOnConflict(async () => {
    const coverage = await readCoverage(client, id, keepDecimals(call));
    if (!coverage || coverage.status === 'entered-in-error') {
      throw new Failure('not_found', 'there is no such coverage');
    }
    const plan = changes.planId === undefined ? undefined : await findPlan(context, changes.planId, call);
    const payor = pickPayor(coverage);
    const carrier = plan?.ownedBy ?? payor;
    const moves = getCarrierId(carrier) !== getCarrierId(payor);
    // The number is unknown to another carrier under the old carrier's system.
    const number = changes.credentialNumber ?? (moves ? getCredential(coverage, isInForce) : '');
    const own = findMemberNumber(coverage.identifier, isInForce)?.system;
    const system = (moves ? undefined : own) ?? getCredentialSystem(carrier, context);
    const elements = {
      ...(number !== '' && toCredentialElements(coverage.identifier, { value: number, system }, isInForce)),
      ...(plan && toPlanElements(coverage, plan, context)),
    };
    await confirmUpdate(client, coverage, elements, call);
  }, call);
}

/** Undefined if there is no such coverage, or if its patient is hidden. */
async function readCoverage(client: FhirClient, id: string, call: ServerCall): Promise<FhirCoverage | undefined> {
  if (!isId(id)) return undefined;
  const found = await client.search('Coverage', { _id: id, _include: 'Coverage:beneficiary' }, call);
  const coverage = found.find(id);
  return coverage && !(await isOfHidden(client, found, coverage.beneficiary, call)) ? coverage : undefined;
}

/** @throws Failure not_found when there is no such plan; invalid at `planId` when it is no longer sold. */
async function findPlan({ catalogue, zone }: FhirContext, id: string, call: Call): Promise<FhirPlan> {
  const plan = (await catalogue.plans.get(call)).find(id);
  if (!plan) throw new Failure('not_found', 'there is no such plan');
  if (isSold(plan, createIsInForce(call, zone))) return plan;
  throw new Failure('invalid', 'the plan is no longer sold', { at: 'planId' });
}

const getCarrierId = (carrier: Reference | undefined) => parseReferenceId(carrier, 'Organization');

const getCredentialSystem = (carrier: Reference | undefined, { codes }: FhirContext): string =>
  codes.sid(`credential/${getCarrierId(carrier) ?? 'unknown'}`);

/** Replaces the member number in force. Former ones stay. */
function toCredentialElements(
  identifiers: readonly FhirIdentifier[] = [],
  { value, system }: { readonly value: string; readonly system: string },
  isInForce: IsInForce,
) {
  const old = findMemberNumber(identifiers, isInForce);
  const member = { type: { coding: [{ system: hl7.identifierType, code: 'MB' }] }, ...old, system, value };
  return { identifier: [member, ...identifiers.filter((each) => each !== old)], subscriberId: value };
}

function toPlanElements<C extends ClassAsRead>(before: CoverageElements<C>, plan: FhirPlan, { codes }: FhirContext) {
  const { identifier = [], name, ownedBy } = plan;
  const payors = before.payor ?? [];
  const payor = pickPayor(before);
  const own = identifier.find(({ system }) => system === codes.sid('plan'));
  const planClass: CoverageClass = {
    type: { coding: [{ system: hl7.coverageClass, code: 'plan' }] },
    value: own?.value ?? identifier[0]?.value ?? plan.id,
    ...(name !== undefined && { name }),
  };
  const others = before.class?.filter(({ type }) => findCode(type, hl7.coverageClass) !== 'plan') ?? [];
  const url = codes.extension('coverage-plan');
  const extension = { url, valueReference: toReference('InsurancePlan', plan.id) };
  return {
    extension: [
      extension,
      ...(before.extension?.filter((each) => each.url !== url && each.url !== hl7.oldCoveragePlan) ?? []),
    ],
    class: [planClass, ...others],
    payor:
      ownedBy && getCarrierId(ownedBy) !== getCarrierId(payor)
        ? [ownedBy, ...payors.filter((each) => each !== payor)]
        : payors,
  };
}

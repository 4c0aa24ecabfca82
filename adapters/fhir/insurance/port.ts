import { type Call, Failure, type Insurance } from '../../../src/ports/index.ts';
import type { FhirContext } from '../context.ts';
import { createIsInForce } from '../datatypes/dates.ts';
import { searchPatientCompartment } from '../patients/compartment.ts';
import { toRows } from '../rest/search-result.ts';
import { parseReferenceId } from '../schema/datatypes.ts';
import type { Resource } from '../schema/resources.ts';
import { fetchPayors, toCarrier, toCoverage, toPlan } from './read.ts';
import { createCoverage, editCoverage } from './write.ts';

/** Carriers as `Organization`s of type `ins`, plans as `InsurancePlan`s, coverages as `Coverage`s. */
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
      const options = { lenient: true } as const;
      const { found, person } = await searchPatientCompartment(client, 'Coverage', patientId, query, call, options);
      const findPayor = await fetchPayors(found, found.matches, context, call);
      const valid = found.matches.filter(({ status }) => status !== 'entered-in-error');
      const toRow = (each: Resource<'Coverage'>) => ({
        ...toCoverage(each, findPayor(each), call.now, context),
        patientId: person.ids[0],
      });
      return toRows(found, valid, toRow, call);
    },

    create: (coverage, call) => createCoverage(context, coverage, call),
    edit: (coverageId, changes, call) => editCoverage(context, coverageId, changes, call),
  };

  /** The ids of the carriers that have a contract with the institution, or are a part of it. */
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

import {
  type Call,
  type Carrier,
  type Coverage,
  type CoverageChanges,
  Failure,
  Insurance,
  type NewCoverage,
  type Plan,
} from '../../src/ports/index.ts';
import type { Backend } from './backend.ts';
import { toCoverage } from './coverage.ts';
import { createCoverage, editCoverage } from './coverage-writes.ts';
import { idOf } from './elements.ts';
import { expectOwn } from './ownership.ts';
import type { Resource } from './resources.ts';
import { isId } from './url.ts';

/** Carriers as `Organization`s of type `ins`, plans as `InsurancePlan`s, what patients have as `Coverage`s. */
export class FhirInsurance extends Insurance {
  readonly #backend: Backend;

  constructor(backend: Backend) {
    super();
    this.#backend = backend;
  }

  async carriers({ ownerId }: { readonly ownerId?: string }, call: Call): Promise<readonly Carrier[]> {
    const { matches } = await this.#backend.catalogue.carriers.get(call);
    if (ownerId === undefined) return matches.map(toCarrier);
    const contracts = await this.#contractsOf(ownerId, matches, call);
    return matches.filter(({ id }) => contracts.has(id)).map(toCarrier);
  }

  async plans(carrier: string, call: Call): Promise<readonly Plan[]> {
    const { catalogue } = this.#backend;
    const { matches: carriers } = await catalogue.carriers.get(call);
    const found =
      carriers.find(({ id }) => id === carrier) ??
      carriers.find(({ name }) => name === carrier) ??
      carriers.find(({ identifier = [] }) => identifier.some(({ value }) => value === carrier));
    if (!found) throw new Failure('not_found', 'there is no such carrier');
    const { matches } = await catalogue.plans.get(call);
    return matches.filter(({ ownedBy }) => idOf(ownedBy, 'Organization') === found.id).map(toPlan);
  }

  async coverages(patientId: string, call: Call): Promise<readonly Coverage[]> {
    const { client, zone } = this.#backend;
    const noPatient = () => new Failure('not_found', 'there is no such patient');
    if (!isId(patientId)) throw noPatient();
    const query = {
      beneficiary: `Patient/${patientId}`,
      _include: ['Coverage:payor', 'Coverage:beneficiary'],
      _count: '100',
    };
    const found = await client.search('Coverage', query, call);
    if (!found.has(`Patient/${patientId}`) && !(await client.read('Patient', patientId, call))) throw noPatient();
    expectOwn(patientId, found.matches, ({ beneficiary }) => [beneficiary]);
    const payors = found.matches.map(({ payor = [] }) => idOf(payor[0], 'Organization'));
    await client.complete(found, 'Organization', payors, call);
    return found.matches
      .filter(({ status }) => status !== 'entered-in-error')
      .map((each) => toCoverage(each, found.follow(each.payor?.[0], 'Organization'), call.now, zone));
  }

  create(coverage: NewCoverage, call: Call): Promise<{ readonly id: string }> {
    return createCoverage(this.#backend, coverage, call);
  }

  edit(coverageId: string, changes: CoverageChanges, call: Call): Promise<void> {
    return editCoverage(this.#backend, coverageId, changes, call);
  }

  /** The ids of the carriers that have a contract with the institution, or are a part of it. */
  async #contractsOf(ownerId: string, carriers: readonly Resource<'Organization'>[], call: Call): Promise<Set<string>> {
    const { client, catalogue } = this.#backend;
    const { matches } = await catalogue.affiliations.get(call);
    const own = matches.filter(({ organization }) => idOf(organization, 'Organization') === ownerId);
    const parts = carriers.filter(({ partOf }) => idOf(partOf, 'Organization') === ownerId);
    if (own.length === 0 && parts.length === 0 && !(await client.read('Organization', ownerId, call))) {
      throw new Failure('invalid', 'there is no such institution', { at: 'ownerId' });
    }
    const affiliated = own
      .filter(({ active }) => active !== false)
      .map(({ participatingOrganization }) => idOf(participatingOrganization, 'Organization'));
    return new Set([...affiliated, ...parts.map(({ id }) => id)].filter((id) => id !== undefined));
  }
}

const toCarrier = ({ id, name = '', active }: Resource<'Organization'>): Carrier => ({
  id,
  name,
  active: active !== false,
});

const toPlan = ({ id, name = '', status }: Resource<'InsurancePlan'>): Plan => ({
  id,
  name,
  active: (status ?? 'active') === 'active',
});

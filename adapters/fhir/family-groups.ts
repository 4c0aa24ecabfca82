import { type Call, Failure, FamilyGroups, type FamilyMember, type NewFamilyMember } from '../../src/ports/index.ts';
import type { Backend } from './backend.ts';
import { hl7 } from './codes.ts';
import { codeIn, idOf, referTo, valueIn, wordsOf } from './elements.ts';
import { isWithin } from './moments.ts';
import { expectOwn } from './ownership.ts';
import type { Draft, Resource } from './resources.ts';
import { isId, token } from './url.ts';

type Relative = Resource<'RelatedPerson'>;

/** Families as `RelatedPerson`s that say which patient they are; others, such as contacts, are no members. */
export class FhirFamilyGroups extends FamilyGroups {
  readonly #backend: Backend;

  constructor(backend: Backend) {
    super();
    this.#backend = backend;
  }

  async list(patientId: string, call: Call): Promise<readonly FamilyMember[]> {
    const { client } = this.#backend;
    if (!isId(patientId)) throw noPatient();
    const query = { patient: `Patient/${patientId}`, _include: 'RelatedPerson:patient', _count: '100' };
    const found = await client.search('RelatedPerson', query, call);
    if (!found.has(`Patient/${patientId}`) && !(await client.read('Patient', patientId, call))) throw noPatient();
    expectOwn(patientId, found.matches, ({ patient }) => [patient]);
    return found.matches.flatMap((relative) => this.#member(relative, call) ?? []);
  }

  async add(patientId: string, member: NewFamilyMember, call: Call): Promise<{ readonly id: string }> {
    const { client } = this.#backend;
    const { relatedPatientId } = member;
    const people = await client.all('Patient', [patientId, relatedPatientId], call);
    if (!people.some(({ id }) => id === patientId)) throw noPatient();
    const related = people.find(({ id }) => id === relatedPatientId);
    if (!related || relatedPatientId === patientId) {
      const what = related ? 'nobody is a relative of oneself' : 'there is no such patient';
      throw new Failure('invalid', what, { at: 'relatedPatientId' });
    }
    const draft = this.#draft(patientId, member, related);
    const { resource, created } = await this.#create(draft, patientId, relatedPatientId, call);
    if (created) return { id: resource.id };
    if (this.#member(resource, call)?.active) {
      throw new Failure('conflict', 'the patient already names this relative', { code: 'relation_exists' });
    }
    const { period: _, ...kept } = resource;
    await client.update<'RelatedPerson'>({ ...kept, ...draft, id: resource.id } as Relative, call);
    return { id: resource.id };
  }

  async remove(patientId: string, memberId: string, call: Call): Promise<void> {
    const { client } = this.#backend;
    const missing = () => new Failure('not_found', 'the patient has no such family member');
    if (!isId(patientId) || !isId(memberId)) throw missing();
    const query = { _id: memberId, patient: `Patient/${patientId}` };
    const { matches } = await client.search('RelatedPerson', query, call);
    const relative = matches.find((each) => each.id === memberId && this.#member(each, call) !== undefined);
    if (idOf(relative?.patient, 'Patient') !== patientId || !relative) throw missing();
    try {
      await client.remove('RelatedPerson', memberId, call);
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'conflict') throw error;
      // Something refers to it, so it has to stay; its time is over instead.
      const { start } = relative.period ?? {};
      const period = { ...(start !== undefined && { start }), end: call.now };
      await client.update({ ...relative, active: false, period }, call);
    }
  }

  /** Some servers refuse a condition for an hour after what met it was deleted; then there is nothing to be found. */
  async #create(draft: Draft<'RelatedPerson'>, patientId: string, relatedId: string, call: Call) {
    const { client, codes } = this.#backend;
    const criterion = { patient: `Patient/${patientId}`, identifier: token(codes.sid('related-patient'), relatedId) };
    try {
      return await client.create(draft, call, criterion);
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'conflict') throw error;
      const { matches } = await client.search('RelatedPerson', criterion, call);
      const [resource] = matches;
      return resource ? { resource, created: false } : client.create(draft, call);
    }
  }

  #member(relative: Relative, call: Call): FamilyMember | undefined {
    const { codes, zone } = this.#backend;
    const relatedPatientId = valueIn(relative.identifier, [codes.sid('related-patient')]);
    const { end } = relative.period ?? {};
    if (relatedPatientId === undefined || !isWithin(end === undefined ? {} : { end }, call.now, zone)) return undefined;
    const code = Number(codeIn(relative.relationship, codes.system('relationship')));
    return {
      id: relative.id,
      relatedPatientId,
      relationshipCode: Number.isInteger(code) ? code : this.#numberOf(codeIn(relative.relationship, hl7.roleCode)),
      relationshipDescription: relative.relationship?.map(wordsOf).find(Boolean) ?? '',
      active: relative.active !== false,
    };
  }

  /** The institution's number for a role, the general one where it has none. */
  #numberOf(role: string | undefined): number {
    const [number = '99'] =
      Object.entries(this.#backend.settings.relationships).find(([, code]) => code === role) ?? [];
    return Number(number);
  }

  #draft(patientId: string, member: NewFamilyMember, related: Resource<'Patient'>): Draft<'RelatedPerson'> {
    const { codes, settings } = this.#backend;
    const { relationshipCode, relationshipDescription, active } = member;
    const role = settings.relationships[String(relationshipCode)];
    const own = { system: codes.system('relationship'), code: String(relationshipCode) };
    return {
      resourceType: 'RelatedPerson',
      identifier: [{ system: codes.sid('related-patient'), value: related.id }],
      active,
      patient: referTo('Patient', patientId),
      relationship: [
        {
          coding: [own, ...(role === undefined ? [] : [{ system: hl7.roleCode, code: role }])],
          ...(relationshipDescription !== '' && { text: relationshipDescription }),
        },
      ],
      ...(related.name && { name: related.name }),
      ...(related.birthDate !== undefined && { birthDate: related.birthDate }),
    };
  }
}

const noPatient = () => new Failure('not_found', 'there is no such patient');

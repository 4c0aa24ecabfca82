import { badAnswer } from '../../../src/http-client/failures.ts';
import {
  type Call,
  Failure,
  type FamilyGroups,
  type FamilyMember,
  type NewFamilyMember,
} from '../../../src/ports/index.ts';
import { createPromisedFailure } from '../../common/failures.ts';
import type { FhirContext } from '../context.ts';
import {
  assertBelongsTo,
  findInPatientCompartment,
  formatPatients,
  type MergedPerson,
  readPeople,
  requireReadable,
  searchPatientCompartment,
  throwPatientNotFound,
} from '../patients/person.ts';
import { formatToken } from '../rest/query.ts';
import { toRows } from '../rest/search-result.ts';
import { keepDecimals } from '../rest/transport.ts';
import { findCode, findIdentifierValue, formatConcept, isId, toReference } from '../schema/datatypes.ts';
import { isWithin } from '../schema/read.ts';
import type { NewResource, Resource } from '../schema/resources.ts';
import { hl7 } from '../schema/terminology.ts';
import {
  computeRepetitionKey,
  confirmUpdate,
  confirmWrite,
  createOnce,
  findByWriteKey,
  type ResourceKey,
  retryOnConflict,
  toKeyIdentifiers,
} from '../writes.ts';

type Relative = Resource<'RelatedPerson'>;

/** A relation to create, with its patients and the key that finds it again. */
interface NewRelation {
  readonly person: MergedPerson;
  readonly related: MergedPerson;
  readonly member: NewFamilyMember;
  readonly key: ResourceKey;
}

/**
 * Relatives are `RelatedPerson`s with an identifier of their own patient record. Other `RelatedPerson`s are only
 * contacts.
 */
export class FhirFamilyGroups implements FamilyGroups {
  readonly #context: FhirContext;

  constructor(context: FhirContext) {
    this.#context = context;
  }

  async list(patientId: string, call: Call): Promise<readonly FamilyMember[]> {
    const search = { who: patientId, query: { _count: '100' }, lenient: true } as const;
    const { found } = await searchPatientCompartment(this.#context.client, 'RelatedPerson', search, call);
    const toRow = (relative: Relative) => {
      const member = toMember(this.#context, relative, call);
      if (member && !isId(member.relatedPatientId)) throw badAnswer('no_patient_id', 'RelatedPerson/identifier/value');
      return member;
    };
    return (await toRows(found, found.matches, toRow, call)).filter((member) => member !== undefined);
  }

  async add(patientId: string, member: NewFamilyMember, call: Call): Promise<{ readonly id: string }> {
    const { client } = this.#context;
    const { relatedPatientId } = member;
    const find = await readPeople(client, [patientId, relatedPatientId], call);
    const person = find(patientId) ?? throwPatientNotFound();
    requireReadable(person);
    const related = find(relatedPatientId);
    if (!related || related.ids[0] === person.ids[0]) {
      const what = related ? 'a patient cannot be their own relative' : 'there is no such patient';
      throw new Failure('invalid', what, { at: 'relatedPatientId' });
    }
    const key = await computeRepetitionKey(call, 'relative', [patientId, member]);
    const relation = { person, related, member, key };
    const draft = toRelatedPerson(this.#context, relation);
    return retryOnConflict(async () => {
      const { resource, isOwn } = await createRelation(this.#context, draft, relation, keepDecimals(call));
      if (isOwn) return { id: resource.id };
      if (toMember(this.#context, resource, call)?.active) throw createPromisedFailure('relation_exists');
      const { identifier: ofOurs = [], ...other } = draft;
      const ofOthers =
        resource.identifier?.filter(({ system }) => ofOurs.every((each) => each.system !== system)) ?? [];
      const changes = { ...other, identifier: [...ofOurs, ...ofOthers], period: undefined };
      await confirmUpdate(client, resource, changes, call);
      return { id: resource.id };
    }, call);
  }

  async remove(patientId: string, memberId: string, call: Call): Promise<void> {
    const { client } = this.#context;
    const own = { patientId, id: memberId };
    const relative = (await findInPatientCompartment(client, 'RelatedPerson', own, keepDecimals(call)))?.resource;
    if (!relative || !toMember(this.#context, relative, call)) {
      throw new Failure('not_found', 'the patient has no such family member');
    }
    const remove = async () => {
      await client.remove('RelatedPerson', memberId, call);
      return true;
    };
    const isGone = async (lastLook: Call) =>
      !(await findInPatientCompartment(client, 'RelatedPerson', own, lastLook)) || undefined;
    try {
      await confirmWrite(remove, isGone, call);
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'conflict') throw error;
      // Other resources refer to it, so it is ended instead of deleted.
      const { start } = relative.period ?? {};
      const period = { ...(start !== undefined && { start }), end: call.now };
      await confirmUpdate(client, relative, { active: false, period }, call);
    }
  }
}

/** Creates the relation unless the patient already has it, even ended. */
async function createRelation(
  { client, codes }: FhirContext,
  draft: NewResource<'RelatedPerson'>,
  { person, related, key }: NewRelation,
  call: Call,
) {
  const system = codes.sid('related-patient');
  const identifier = related.ids.map((id) => formatToken(system, id)).join(',');
  const isRelation = ({ identifier }: Relative) =>
    related.ids.includes(findIdentifierValue(identifier, [system]) ?? '');
  const find = async (call: Call) => {
    const { found } = await searchPatientCompartment(
      client,
      'RelatedPerson',
      { who: person, query: { identifier } },
      call,
    );
    return found.matches.filter(isRelation);
  };
  const isOwn = (each: Relative) => findByWriteKey(key, codes.sid('request'), [each]) !== undefined;
  const others = { patient: formatPatients(person.ids) };
  const result = await createOnce(
    client,
    draft,
    { token: ['identifier', identifier], others, find, fits: isRelation, isOwn },
    call,
  );
  assertBelongsTo(person.ids, 'RelatedPerson', [result.resource]);
  if (!isRelation(result.resource)) throw badAnswer('condition_ignored');
  return result;
}

function toMember(context: FhirContext, relative: Relative, call: Call): FamilyMember | undefined {
  const { codes, zone } = context;
  const relatedPatientId = findIdentifierValue(relative.identifier, [codes.sid('related-patient')]);
  const { start: _, ...period } = relative.period ?? {};
  if (relatedPatientId === undefined || !isWithin(period, call.now, zone)) return undefined;
  return {
    id: relative.id,
    relatedPatientId,
    relationshipCode: toRelationshipCode(context, relative),
    relationshipDescription: relative.relationship?.map(formatConcept).find(Boolean) ?? '',
    active: relative.active !== false,
  };
}

/** The institution's number for the relationship. 99, other, if there is none. */
function toRelationshipCode({ codes, settings }: FhirContext, { relationship }: Relative): number {
  const own = findCode(relationship, codes.system('relationship'));
  const number = /^-?\d+$/.test(own ?? '') ? Number(own) : Number.NaN;
  if (Number.isSafeInteger(number)) return number;
  const role = findCode(relationship, hl7.roleCode);
  const [known = '99'] = Object.entries(settings.relationships).find(([, code]) => code === role) ?? [];
  return Number(known);
}

/** @throws Failure as `requireReadable`, of the relative. */
function toRelatedPerson(
  { codes, settings }: FhirContext,
  { person, related: relative, member, key }: NewRelation,
): NewResource<'RelatedPerson'> {
  const related = requireReadable(relative);
  const { relationshipCode, relationshipDescription, active } = member;
  const role = settings.relationships[String(relationshipCode)];
  const own = { system: codes.system('relationship'), code: String(relationshipCode) };
  return {
    resourceType: 'RelatedPerson',
    identifier: [
      { system: codes.sid('related-patient'), value: related.id },
      ...toKeyIdentifiers(key, codes.sid('request')),
    ],
    active,
    patient: toReference('Patient', person.ids[0]),
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

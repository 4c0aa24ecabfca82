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

/** A relation that is to be created, between whom, and the key by which it is found again. */
interface NewRelation {
  readonly draft: NewResource<'RelatedPerson'>;
  readonly person: MergedPerson;
  readonly related: MergedPerson;
  readonly key: ResourceKey;
}

/** Relatives as `RelatedPerson`s with an identifier that says which patient they are; others are only contacts. */
export function createFamilyGroups({ client, codes, settings, zone }: FhirContext): FamilyGroups {
  return {
    async list(patientId, call) {
      const search = { who: patientId, query: { _count: '100' }, lenient: true } as const;
      const { found } = await searchPatientCompartment(client, 'RelatedPerson', search, call);
      const toRow = (relative: Relative) => {
        const member = toMember(relative, call);
        if (member && !isId(member.relatedPatientId))
          throw badAnswer('no_patient_id', 'RelatedPerson/identifier/value');
        return member;
      };
      return (await toRows(found, found.matches, toRow, call)).filter((member) => member !== undefined);
    },

    async add(patientId, member, call) {
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
      const draft = toRelatedPerson(person, member, requireReadable(related), key);
      return retryOnConflict(async () => {
        const { resource, isOwn } = await createRelation({ draft, person, related, key }, keepDecimals(call));
        if (isOwn) return { id: resource.id };
        if (toMember(resource, call)?.active) throw createPromisedFailure('relation_exists');
        const { identifier: ofOurs = [], ...other } = draft;
        const ofOthers =
          resource.identifier?.filter(({ system }) => ofOurs.every((each) => each.system !== system)) ?? [];
        const changes = { ...other, identifier: [...ofOurs, ...ofOthers], period: undefined };
        await confirmUpdate(client, resource, changes, call);
        return { id: resource.id };
      }, call);
    },

    async remove(patientId, memberId, call) {
      const own = { patientId, id: memberId };
      const relative = (await findInPatientCompartment(client, 'RelatedPerson', own, keepDecimals(call)))?.resource;
      if (!relative || !toMember(relative, call)) {
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
        // Other resources refer to it, so it has to stay: it ends instead.
        const { start } = relative.period ?? {};
        const period = { ...(start !== undefined && { start }), end: call.now };
        await confirmUpdate(client, relative, { active: false, period }, call);
      }
    },
  };

  /** Creates the relation unless the patient has it already, also one that has ended. */
  async function createRelation({ draft, person, related, key }: NewRelation, call: Call) {
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

  function toMember(relative: Relative, call: Call): FamilyMember | undefined {
    const relatedPatientId = findIdentifierValue(relative.identifier, [codes.sid('related-patient')]);
    const { start: _, ...period } = relative.period ?? {};
    if (relatedPatientId === undefined || !isWithin(period, call.now, zone)) return undefined;
    return {
      id: relative.id,
      relatedPatientId,
      relationshipCode: toRelationshipCode(relative),
      relationshipDescription: relative.relationship?.map(formatConcept).find(Boolean) ?? '',
      active: relative.active !== false,
    };
  }

  /** The institution's number for the relationship; 99, other, where it has none. */
  function toRelationshipCode({ relationship }: Relative): number {
    const own = findCode(relationship, codes.system('relationship'));
    const number = /^-?\d+$/.test(own ?? '') ? Number(own) : Number.NaN;
    if (Number.isSafeInteger(number)) return number;
    const role = findCode(relationship, hl7.roleCode);
    const [known = '99'] = Object.entries(settings.relationships).find(([, code]) => code === role) ?? [];
    return Number(known);
  }

  function toRelatedPerson(
    { ids }: MergedPerson,
    member: NewFamilyMember,
    related: Resource<'Patient'>,
    key: ResourceKey,
  ): NewResource<'RelatedPerson'> {
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
      patient: toReference('Patient', ids[0]),
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

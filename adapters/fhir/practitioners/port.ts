import { badAnswer } from '../../../src/http-client/failures.ts';
import type { Call, ChangeRequest, NewChangeRequest, Practitioners } from '../../../src/ports/index.ts';
import { throwIfAborted } from '../../../src/toolkit/failures.ts';
import { checkOpenRecord, createPromisedFailure, requireFound } from '../../common/failures.ts';
import type { FhirContext } from '../context.ts';
import {
  assertBelongsTo,
  formatPatients,
  type MergedPerson,
  readSurvivor,
  requirePerson,
  searchPatientCompartment,
  throwPatientNotFound,
} from '../patients/person.ts';
import { isOpenRecord } from '../patients/read.ts';
import { formatToken } from '../rest/query.ts';
import { type SearchResult, toRows } from '../rest/search-result.ts';
import { compareAge, findCode, isId, parseReferenceId, toReference } from '../schema/datatypes.ts';
import { toInstant } from '../schema/read.ts';
import type { NewResource, Resource } from '../schema/resources.ts';
import { type Codes, openChangeStatuses, toChangeStatus } from '../schema/terminology.ts';
import {
  computeWriteKey,
  createOnce,
  findByWriteKey,
  type ResourceKey,
  toKeyIdentifiers,
  type Unique,
} from '../writes.ts';
import { findUnregisteredMain, getMainPractitioner, toPractitioner, toUnregistered } from './read.ts';

/** The practitioners are `Practitioner`s with their `PractitionerRole`s. */
export function createPractitioners(context: FhirContext): Practitioners {
  const { client, catalogue, settings } = context;
  return {
    async list(call) {
      const [found, roles] = await Promise.all([catalogue.practitioners.get(call), catalogue.roles.get(call)]);
      return toRows(found, found.matches, (each) => toPractitioner(each, { all: roles }, context, call), call);
    },

    async mainOf(patientId, call) {
      const { found, patient } = await readWithMain(patientId, call);
      const main = getMainPractitioner(patient);
      const roleId = parseReferenceId(main, 'PractitionerRole');
      const roles = await catalogue.roles.get(call);
      const named = found.resolve(main, 'PractitionerRole') ?? (roleId === undefined ? undefined : roles.find(roleId));
      const reference = named?.practitioner ?? main;
      const id = parseReferenceId(reference, 'Practitioner');
      const practitioner =
        found.resolve(reference, 'Practitioner') ??
        roles.resolve(reference, 'Practitioner') ??
        (id === undefined ? undefined : await client.read('Practitioner', id, call));
      if (practitioner) return toPractitioner(practitioner, { all: roles }, context, call);
      const unregistered = named
        ? toUnregistered(named.practitioner, named, context, call)
        : findUnregisteredMain(patient, context, call);
      if (!unregistered) throw createPromisedFailure('no_main_practitioner');
      const person = { resourceType: 'Practitioner', id: '' } as const;
      const own = named ? [named] : [];
      return { ...toPractitioner(person, { all: roles, own }, context, call), ...unregistered };
    },

    async changeReasons(call) {
      throwIfAborted(call);
      return structuredClone(settings.changeReasons);
    },

    requestChange: (patientId, request, call) => openChangeRequest(context, patientId, request, call),

    async changeRequestOf(patientId, call) {
      const [latest] = await findRequests(context, patientId, call);
      if (!latest) throw createPromisedFailure('no_change_request');
      return toChangeRequest(latest, context.codes);
    },
  };

  /** The surviving record of the patient, with the included resources. */
  async function readWithMain(
    patientId: string,
    call: Call,
  ): Promise<{ readonly found: SearchResult<'Patient'>; readonly patient: Resource<'Patient'> }> {
    if (!isId(patientId)) throwPatientNotFound();
    const query = { _id: patientId, _include: 'Patient:general-practitioner' };
    const found = await client.search('Patient', query, call);
    const patient = found.matches.find(({ id }) => id === patientId);
    if (!patient) throwPatientNotFound();
    const { id } = await readSurvivor(client, patient, call);
    return id === patientId ? { found, patient } : readWithMain(id, call);
  }
}

/** Creates a change request, as `Practitioners.requestChange` specifies. */
async function openChangeRequest(
  context: FhirContext,
  patientId: string,
  request: NewChangeRequest,
  call: Call,
): Promise<ChangeRequest> {
  const { client, codes, settings, catalogue } = context;
  const system = codes.sid('request');
  const key = await computeWriteKey(call, 'change', [patientId, request]);
  if (call.idempotencyKey !== undefined) {
    const { matches } = await client.search('Task', { identifier: formatToken(system, key.value) }, call);
    const earlier = findByWriteKey(key, system, matches);
    if (earlier) return toChangeRequest(earlier, codes);
  }
  const person = await requirePerson(client, patientId, call);
  checkOpenRecord({ active: isOpenRecord(person.patient) }, 'patientId');
  const { practitionerId, reasonId } = request;
  const reason = settings.changeReasons.find(({ id }) => id === reasonId);
  requireFound(reason, 'reason', 'reasonId');
  if (practitionerId !== undefined) {
    const practitioners = await catalogue.practitioners.get(call);
    const practitioner = practitioners.find(practitionerId);
    requireFound(practitioner?.active === false ? undefined : practitioner, 'practitioner', 'practitionerId');
  }
  const isOwn = (each: Resource<'Task'>) => findByWriteKey(key, system, [each]) !== undefined;
  const unique: Unique<'Task'> = {
    token: ['code', formatToken(codes.system('task-kind'), KIND)],
    others: { patient: formatPatients(person.ids), status: openChangeStatuses },
    find: async (call) => {
      const requests = await findRequests(context, person, call);
      return requests.filter((each) => isOpen(each) || isOwn(each));
    },
    fits: (each) => isRequest(each, codes),
    isOwn,
  };
  const draft = toFhirTask({ request, patient: person.patient, key }, codes, call);
  const { resource, isOwn: isRequested } = await createOnce(client, draft, unique, call);
  if (isRequested) return toChangeRequest(resource, codes);
  assertBelongsTo(person.ids, 'Task', [resource]);
  if (!isRequest(resource, codes) || !isOpen(resource)) throw badAnswer('condition_ignored');
  throw createPromisedFailure('change_request_open');
}

const isOpen = ({ status }: Resource<'Task'>): boolean => toChangeStatus(status) === 'in_progress';

const KIND = 'main-practitioner-change';

const isRequest = ({ code }: Resource<'Task'>, codes: Codes): boolean =>
  findCode(code, codes.system('task-kind')) === KIND;

/**
 * Finds the patient's requests, newest first. Filters by code and sorts again, because a server may ignore or reject
 * parameters.
 */
async function findRequests(
  { client, codes, zone }: FhirContext,
  who: string | MergedPerson,
  call: Call,
): Promise<Resource<'Task'>[]> {
  const query = { code: formatToken(codes.system('task-kind'), KIND), _sort: '-authored-on', _count: '50' };
  const { found } = await searchPatientCompartment(client, 'Task', { who, query }, call);
  const getMoment = ({ authoredOn }: Resource<'Task'>) =>
    authoredOn === undefined ? 0 : Date.parse(toInstant(authoredOn, zone));
  return found.matches
    .filter((each) => isRequest(each, codes))
    .toSorted((a, b) => getMoment(b) - getMoment(a) || compareAge(b, a));
}

/** A change request with its patient and the key that finds it again. */
interface KeyedChangeRequest {
  readonly request: NewChangeRequest;
  readonly patient: Resource<'Patient'>;
  readonly key: ResourceKey;
}

function toFhirTask({ request, patient, key }: KeyedChangeRequest, codes: Codes, call: Call): NewResource<'Task'> {
  const { reasonId, practitionerId, observations } = request;
  const main = getMainPractitioner(patient)?.reference;
  const who = toReference('Patient', patient.id);
  return {
    resourceType: 'Task',
    identifier: toKeyIdentifiers(key, codes.sid('request')),
    status: 'requested',
    intent: 'proposal',
    code: { coding: [{ system: codes.system('task-kind'), code: KIND }] },
    ...(observations && { description: observations }),
    ...(main !== undefined && { focus: { reference: main } }),
    for: who,
    requester: who,
    authoredOn: call.now,
    lastModified: call.now,
    reasonCode: { coding: [{ system: codes.system('practitioner-change-reason'), code: reasonId }] },
    ...(practitionerId !== undefined && {
      input: [
        { type: { text: 'requested-practitioner' }, valueReference: toReference('Practitioner', practitionerId) },
      ],
    }),
  };
}

const toChangeRequest = ({ id, status, reasonCode }: Resource<'Task'>, codes: Codes): ChangeRequest => ({
  id,
  reasonId: findCode(reasonCode, codes.system('practitioner-change-reason')) ?? '',
  status: toChangeStatus(status),
});

import { type Call, type ChangeRequest, Failure, type NewChangeRequest } from '../../src/ports/index.ts';
import type { Backend } from './backend.ts';
import type { Found } from './bundle.ts';
import { type Codes, changeStatusOf } from './codes.ts';
import { codeIn, referTo } from './elements.ts';
import { writeKey, writtenWith } from './keys.ts';
import { expectOwn } from './ownership.ts';
import { mainPractitioner } from './person.ts';
import type { Draft, Resource } from './resources.ts';
import { isId, token } from './url.ts';

/** Files a request for another main practitioner; the contract is that of `Practitioners.requestChange`. */
export async function openChangeRequest(
  backend: Backend,
  patientId: string,
  request: NewChangeRequest,
  call: Call,
): Promise<ChangeRequest> {
  const { client, codes, settings, catalogue } = backend;
  const patient = await client.read('Patient', patientId, call);
  if (!patient) throw noPatient();
  if (!settings.changeReasons.some(({ id }) => id === request.reasonId)) {
    throw new Failure('invalid', 'there is no such reason', { at: 'reasonId' });
  }
  const { practitionerId } = request;
  if (practitionerId !== undefined) {
    const { matches } = await catalogue.practitioners.get(call);
    const known = matches.some(({ id }) => id === practitionerId);
    if (!known) throw new Failure('invalid', 'there is no such practitioner', { at: 'practitionerId' });
  }
  const key = writeKey(call, ['change', patientId]);
  const { matches } = await tasksOf(backend, patientId, '50', call);
  const open = matches.find(({ status }) => changeStatusOf(status) === 'in_progress');
  if (open) {
    if (writtenWith(key, codes.sid('request'), [open])) return toChangeRequest(open, codes);
    throw new Failure('conflict', 'another request is in progress', { code: 'change_request_open' });
  }
  const draft = fromRequest(request, patient, key, codes, call);
  const criterion = { identifier: token(codes.sid('request'), key) };
  try {
    const { resource } = await client.create(draft, call, criterion);
    return toChangeRequest(resource, codes);
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'conflict') throw error;
    // The winner may be this very request, sent twice at once.
    const { matches } = await client.search('Task', criterion, call);
    const winner = writtenWith(key, codes.sid('request'), matches);
    if (!winner) throw error;
    return toChangeRequest(winner, codes);
  }
}

/** The patient's latest request; the contract is that of `Practitioners.changeRequestOf`. */
export async function latestChangeRequest(backend: Backend, patientId: string, call: Call): Promise<ChangeRequest> {
  const found = isId(patientId) ? await tasksOf(backend, patientId, '1', call) : undefined;
  const [latest] = found?.matches ?? [];
  if (latest && found?.has(`Patient/${patientId}`)) return toChangeRequest(latest, backend.codes);
  const patient = await backend.client.read('Patient', patientId, call);
  if (!patient) throw noPatient();
  if (latest) return toChangeRequest(latest, backend.codes);
  throw new Failure('not_found', 'the patient never made a request', { code: 'no_change_request' });
}

async function tasksOf(
  { client, codes }: Backend,
  patientId: string,
  count: string,
  call: Call,
): Promise<Found<'Task'>> {
  const query = {
    patient: `Patient/${patientId}`,
    code: token(codes.system('task-kind'), 'main-practitioner-change'),
    _sort: '-authored-on',
    _count: count,
    _include: 'Task:patient',
  };
  const found = await client.search('Task', query, call, { onePage: true });
  expectOwn(patientId, found.matches, (task) => [task.for]);
  return found;
}

const noPatient = () => new Failure('not_found', 'there is no such patient');

function fromRequest(
  { reasonId, practitionerId, observations }: NewChangeRequest,
  patient: Resource<'Patient'>,
  key: string,
  codes: Codes,
  call: Call,
): Draft<'Task'> {
  const main = mainPractitioner(patient);
  const who = referTo('Patient', patient.id);
  return {
    resourceType: 'Task',
    identifier: [{ system: codes.sid('request'), value: key }],
    status: 'requested',
    intent: 'proposal',
    code: { coding: [{ system: codes.system('task-kind'), code: 'main-practitioner-change' }] },
    ...(observations && { description: observations }),
    ...(main && { focus: { reference: main.reference } }),
    for: who,
    requester: who,
    authoredOn: call.now,
    lastModified: call.now,
    reasonCode: { coding: [{ system: codes.system('practitioner-change-reason'), code: reasonId }] },
    ...(practitionerId !== undefined && {
      input: [{ type: { text: 'requested-practitioner' }, valueReference: referTo('Practitioner', practitionerId) }],
    }),
  };
}

const toChangeRequest = ({ id, status, reasonCode }: Resource<'Task'>, codes: Codes): ChangeRequest => ({
  id,
  reasonId: codeIn(reasonCode && [reasonCode], codes.system('practitioner-change-reason')) ?? '',
  status: changeStatusOf(status),
});

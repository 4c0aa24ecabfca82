import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Resource, Slot } from '@medplum/fhirtypes';
import nock from 'nock';
import type { Call } from '../../../../src/ports/index.ts';
import { concept, NS, ownCodes, ownIds } from '../../../hospital-in-fhir/terms.ts';
import { connect, type FhirPorts } from '../../../support/fhir-adapter.ts';
import { callNow } from '../../../support/fhir-calls.ts';

// A server that takes no notice of a criterion returns what belongs to others. That must never reach a caller.

const origin = 'http://fhir.invalid';
let ports: FhirPorts;

beforeEach(async () => {
  nock.cleanAll();
  nock.disableNetConnect();
  ({ ports } = await connect({ url: `${origin}/fhir` }, { transactions: 'trust', retries: 0 }));
});
afterAll(() => nock.restore());

const ana = { resourceType: 'Patient' as const, id: 'ana', birthDate: '1985-11-30' };
const referTo = (patient: string) => ({ reference: `Patient/${patient}` });
const ticketCode = { coding: [{ system: ownCodes('task-kind'), code: 'ticket' }] };

/** Whatever is searched for, these are found, together with the patient who asks. */
function answerSearches(...found: Resource[]): void {
  const bundle = (type: string) => {
    const matches = found.filter(({ resourceType }) => resourceType === type);
    const entry = matches.map((resource) => ({ resource, search: { mode: 'match' } }));
    return { ...none, total: entry.length, entry: [...entry, { resource: ana, search: { mode: 'include' } }] };
  };
  const headers = { 'content-type': 'application/fhir+json' };
  const none = { resourceType: 'Bundle', type: 'searchset' };
  const scope = nock(origin).persist();
  for (const type of new Set(found.map(({ resourceType }) => resourceType))) {
    scope.get(`/fhir/${type}`).query(true).reply(200, bundle(type), headers);
  }
  scope.get('/fhir/Patient/ana').reply(200, ana, headers);
  scope.get(/./).query(true).reply(200, none, headers);
}

const makeAppointment = (patients: readonly string[], rest: object = {}) => ({
  resourceType: 'Appointment' as const,
  id: 'a1',
  status: 'booked' as const,
  start: '2026-11-01T13:00:00Z',
  participant: patients.map((each) => ({ actor: referTo(each), status: 'accepted' as const })),
  ...rest,
});
const makeCoverage = (patient: string): Resource => ({
  resourceType: 'Coverage',
  id: 'c1',
  status: 'active',
  beneficiary: referTo(patient),
  payor: [{ display: 'OSDE' }],
  subscriberId: '77',
});
const makeTask = (patient: string, code: object = ticketCode): Resource => ({
  resourceType: 'Task',
  id: 't1',
  status: 'requested',
  intent: 'order',
  code,
  for: referTo(patient),
  authoredOn: '2026-11-01T13:00:00Z',
});
const changeCode = { coding: [{ system: ownCodes('task-kind'), code: 'main-practitioner-change' }] };
const makeChangeRequest = (patient: string): Resource => makeTask(patient, changeCode);
const makeRelative = (patient: string): Resource => ({
  resourceType: 'RelatedPerson',
  id: 'r1',
  patient: referTo(patient),
  identifier: [{ system: ownIds('related-patient'), value: 'camila' }],
});

type Work = (ports: FhirPorts, call: Call) => Promise<unknown>;

const questions: readonly (readonly [string, (patient: string) => Resource, Work])[] = [
  [
    'appointments',
    (patient) => makeAppointment([patient]),
    (all, call) => all.appointments.list('ana', { order: 'ascending' }, call),
  ],
  [
    'a page of appointments',
    (patient) => makeAppointment([patient]),
    (all, call) => all.appointments.list('ana', { order: 'ascending', page: { page: 0, limit: 10 } }, call),
  ],
  ['coverages', makeCoverage, (all, call) => all.insurance.coverages('ana', call)],
  ['tickets', makeTask, (all, call) => all.tickets.list('ana', {}, call)],
  ['relatives', makeRelative, (all, call) => all['family-groups'].list('ana', call)],
  [
    'the request to change the practitioner',
    makeChangeRequest,
    (all, call) => all.practitioners.changeRequestOf('ana', call),
  ],
];

describe('what belongs to another patient', () => {
  test.each(questions)('makes an answer with %s a bad one', async (_, resource, work) => {
    answerSearches(resource('bruno'));
    await expect(work(ports, callNow())).rejects.toMatchObject({ kind: 'bad_answer' });
  });

  test.each(questions)('is not what belongs to the one who asks: %s', async (_, resource, work) => {
    answerSearches(resource('ana'));
    expect(JSON.stringify(await work(ports, callNow()))).toMatch(/"(a1|c1|t1|r1)"/);
  });

  test('does not count among the services that a patient often has', async () => {
    const service = { resourceType: 'HealthcareService' as const, id: 'h', active: true, name: 'Clínica' };
    const type = [{ coding: [{ system: ownCodes('hcs'), code: 'CM' }] }];
    answerSearches({ ...service, type }, { ...makeCoverage('ana'), id: 'c' }, makeAppointment(['bruno']));
    const who = { patientId: 'ana', coverageId: 'c' };
    await expect(ports['care-services'].frequent(who, callNow())).rejects.toMatchObject({ kind: 'bad_answer' });
  });

  test.each([
    ['of our own server', `${origin}/fhir/Patient/ana`, true],
    ['in a version', 'Patient/ana/_history/3', true],
    ['of another server', 'https://elsewhere.invalid/fhir/Patient/ana', false],
    ['contained', '#ana', false],
    ['of another type', 'Group/ana', false],
  ])('is told by its reference %s', async (_, reference, own) => {
    answerSearches({ ...makeCoverage('ana'), beneficiary: { reference } } as Resource);
    const list = ports.insurance.coverages('ana', callNow());
    if (own) expect((await list).map(({ patientId }) => patientId)).toEqual(['ana']);
    else await expect(list).rejects.toMatchObject({ kind: 'bad_answer' });
  });

  test('keeps a coverage from being created', async () => {
    answerSearches(makeCoverage('bruno'));
    const wanted = { beneficiaryId: 'ana', planId: 'p', credentialNumber: '77' };
    await expect(ports.insurance.create(wanted, callNow())).rejects.toMatchObject({ kind: 'bad_answer' });
  });

  test('is not in the appointment of a group that the patient is in', async () => {
    answerSearches(makeAppointment(['bruno', 'ana']));
    const { items } = await ports.appointments.list('ana', { order: 'ascending' }, callNow());
    expect(items.map(({ patientId }) => patientId)).toEqual(['ana']);
  });
});

describe('what another one did', () => {
  test('is not taken for a booking whose answer was lost', async () => {
    const free = {
      resourceType: 'Slot',
      id: 's',
      meta: { versionId: '1' },
      schedule: { reference: 'Schedule/d' },
      status: 'free',
      start: '2026-12-01T13:00:00Z',
      end: '2026-12-01T13:20:00Z',
    } as const;
    const hcs = concept(ownCodes('hcs'), 'CM');
    const actor = [{ reference: 'Practitioner/p' }, { reference: 'Location/l' }];
    nock(origin)
      .get('/fhir/Practitioner/p')
      .reply(200, { resourceType: 'Practitioner', id: 'p' }, { 'content-type': 'application/fhir+json' });
    nock(origin)
      .post('/fhir')
      .replyWithError(Object.assign(new Error('cut'), { code: 'ECONNRESET' }));
    answerSearches(
      { resourceType: 'HealthcareService', id: 'h', active: true, type: [hcs] },
      { resourceType: 'Schedule', id: 'd', actor, serviceType: [hcs] },
      free,
      makeAppointment(['bruno'], { identifier: [{ system: ownIds('booking'), value: 'of another' }] }),
    );
    const now = '2026-11-21T12:00:00.000Z';
    const booking = { serviceId: 'h', practitionerIds: ['p'], start: '2026-12-01T10:00:00' };
    const work = ports.appointments.book('ana', booking, callNow({ now, idempotencyKey: 'k' }));
    await expect(work).rejects.toMatchObject({ kind: 'outcome_unknown' });
  });

  test('cannot be canceled, though the server finds it', async () => {
    const start = '2099-01-01T10:00:00Z';
    answerSearches(makeAppointment(['bruno'], { start, meta: { versionId: '1' } }));
    await expect(ports.appointments.cancel('ana', 'a1', callNow())).rejects.toMatchObject({ kind: 'not_found' });
  });

  describe.each([
    ['a conflict', 412, { resourceType: 'OperationOutcome', issue: [] }],
    ['what it has already', 200, undefined],
  ] as const)('a relation that the server answers with %s to a conditional create', (_, status, outcome) => {
    const camila = { ...ana, id: 'camila' };
    const member = { relatedPatientId: 'camila', relationshipCode: 2, relationshipDescription: '', active: true };
    const add = () => ports['family-groups'].add('ana', member, callNow());

    /** The server has this ended relation whatever it is asked for; tells when it was written to. */
    function serverHas(relation: object): nock.Scope {
      const stored = { resourceType: 'RelatedPerson', id: 'r1', meta: { versionId: '1' }, active: false, ...relation };
      const headers = { 'content-type': 'application/fhir+json' };
      const update = nock(origin).put('/fhir/RelatedPerson/r1').reply(200, stored, headers);
      nock(origin)
        .post('/fhir/RelatedPerson')
        .reply(status, outcome ?? stored, headers);
      nock(origin)
        .post('/fhir/RelatedPerson')
        .reply(201, { ...makeRelative('ana'), id: 'r2' }, headers);
      answerSearches(ana, camila, stored as Resource);
      return update;
    }

    test('is not written to when it is another patient’s', async () => {
      const update = serverHas(makeRelative('bruno'));
      await expect(add()).rejects.toMatchObject({ kind: 'bad_answer' });
      expect(update.isDone()).toBe(false);
    });

    test('is not written to when it is to another relative', async () => {
      const identifier = [{ system: ownIds('related-patient'), value: 'elena' }];
      const update = serverHas({ ...makeRelative('ana'), identifier });
      if (status === 200) await expect(add()).rejects.toMatchObject({ kind: 'bad_answer' });
      else expect(await add()).toEqual({ id: 'r2' });
      expect(update.isDone()).toBe(false);
    });

    test('is taken up again when it is the patient’s own, to this relative', async () => {
      const update = serverHas(makeRelative('ana'));
      expect(await add()).toEqual({ id: 'r1' });
      expect(update.isDone()).toBe(true);
    });
  });

  test.each([
    ['another patient’s', 'bruno', '77'],
    ['the patient’s own with another credential', 'ana', '88'],
  ])('is not taken up again in place of a new coverage: %s', async (_, patient, subscriberId) => {
    const headers = { 'content-type': 'application/fhir+json' };
    const stored = { ...makeCoverage(patient), subscriberId, status: 'cancelled', meta: { versionId: '1' } };
    nock(origin).post('/fhir/Coverage').reply(200, stored, headers);
    const update = nock(origin).put('/fhir/Coverage/c1').reply(200, stored, headers);
    answerSearches({ resourceType: 'InsurancePlan', id: 'p', status: 'active' });
    const wanted = { beneficiaryId: 'ana', planId: 'p', credentialNumber: '77' };
    await expect(ports.insurance.create(wanted, callNow())).rejects.toMatchObject({ kind: 'bad_answer' });
    expect(update.isDone()).toBe(false);
  });

  test('is not the request that asking for another practitioner ends in', async () => {
    const headers = { 'content-type': 'application/fhir+json' };
    nock(origin).post('/fhir/Task').reply(200, makeTask('bruno'), headers);
    answerSearches(ana);
    const request = ports.practitioners.requestChange('ana', { reasonId: 'mudanza' }, callNow());
    await expect(request).rejects.toMatchObject({ kind: 'bad_answer' });
  });

  test('of another kind is no request for another practitioner, neither the latest nor an open one', async () => {
    const headers = { 'content-type': 'application/fhir+json' };
    const ticket = makeTask('ana');
    answerSearches(ana, ticket);
    await expect(ports.practitioners.changeRequestOf('ana', callNow())).rejects.toMatchObject({ kind: 'not_found' });
    nock(origin).post('/fhir/Task').reply(200, ticket, headers);
    const request = ports.practitioners.requestChange('ana', { reasonId: 'mudanza' }, callNow());
    await expect(request).rejects.toMatchObject({ kind: 'bad_answer' });
  });

  test('is not the patient that a registration ends in, though born on the same day', async () => {
    const headers = { 'content-type': 'application/fhir+json' };
    const person = { birthDate: ana.birthDate, gender: 'Female' } as const;
    const none = { resourceType: 'Bundle', type: 'searchset' };
    nock(origin).post('/fhir/Patient/_search').reply(200, none, headers);
    nock(origin)
      .post('/fhir/Patient')
      .reply(200, { ...ana, gender: 'female' }, headers);
    const register = ports.patients.register({ identifier: { type: 'DNI', value: '123' }, ...person }, callNow());
    await expect(register).rejects.toMatchObject({ kind: 'bad_answer' });
  });

  test('cannot be removed from a family, though the server finds it', async () => {
    answerSearches(makeRelative('bruno'));
    await expect(ports['family-groups'].remove('ana', 'r1', callNow())).rejects.toMatchObject({ kind: 'not_found' });
  });
});

describe('what was not asked for', () => {
  test.each([
    ['of another status', { status: 'canceled' }],
    ['before the first day', { from: '2026-11-02' }],
  ] as const)('makes an answer with an appointment %s a bad one', async (_, query) => {
    answerSearches(makeAppointment(['ana']));
    const list = ports.appointments.list('ana', { order: 'ascending', ...query }, callNow());
    await expect(list).rejects.toMatchObject({ kind: 'bad_answer' });
  });

  test('is left out of the free slots when it is taken, too early or too late', async () => {
    const hcs = concept(ownCodes('hcs'), 'CM');
    const actor = [{ reference: 'Practitioner/p' }, { reference: 'Location/l' }];
    const slot = (id: string, status: Slot['status'], start: string): Slot => ({
      resourceType: 'Slot',
      id,
      schedule: { reference: 'Schedule/d' },
      status,
      start,
      end: new Date(Date.parse(start) + 1_200_000).toISOString(),
    });
    answerSearches(
      { resourceType: 'HealthcareService', id: 'h', active: true, type: [hcs] },
      { resourceType: 'Schedule', id: 'd', actor, serviceType: [hcs] },
      slot('busy', 'busy', '2026-12-01T13:00:00Z'),
      slot('past', 'free', '2026-11-20T13:00:00Z'),
      slot('late', 'free', '2027-12-01T13:00:00Z'),
      slot('good', 'free', '2026-12-01T13:20:00Z'),
    );
    const slots = await ports.appointments.slots({ serviceId: 'h' }, callNow({ now: '2026-11-21T12:00:00.000Z' }));
    expect(slots.map(({ id }) => id)).toEqual(['good']);
  });

  test('is left out of the tickets when it is a task of another kind', async () => {
    answerSearches(makeTask('ana', { coding: [{ system: `${NS}/other`, code: 'ticket' }] }));
    expect(await ports.tickets.list('ana', {}, callNow())).toEqual([]);
  });
});

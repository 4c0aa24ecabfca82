import { describe, expect, test } from '@jest/globals';
import type { Resource, Slot, Task } from '@medplum/fhirtypes';
import type { Call, OmittedRecord } from '../../../../src/ports/index.ts';
import { concept, NS, ownCodes } from '../../../hospital-in-fhir/terms.ts';
import type { FhirPorts } from '../../../support/fhir-adapter.ts';
import { callNow } from '../../../support/fhir-calls.ts';
import {
  answerSearches,
  makeAppointment,
  makeCoverage,
  makeRelative,
  makeTask,
  setUpForeignServer,
} from '../../../support/foreign-data.ts';

// A server that takes no notice of a criterion returns what belongs to others. That must never reach a caller.

const { server, ports } = await setUpForeignServer();

const changeCode = { coding: [{ system: ownCodes('task-kind'), code: 'main-practitioner-change' }] };
const makeChangeRequest = (patient: string): Resource => makeTask(patient, changeCode);

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
    answerSearches(server, resource('bruno'));
    await expect(work(ports, callNow())).rejects.toMatchObject({ kind: 'bad_answer' });
  });

  test.each(questions)('is not what belongs to the one who asks: %s', async (_, resource, work) => {
    answerSearches(server, resource('ana'));
    expect(JSON.stringify(await work(ports, callNow()))).toMatch(/"(a1|c1|t1|r1)"/);
  });

  test('does not count among the services that a patient often has', async () => {
    const service = { resourceType: 'HealthcareService' as const, id: 'h', active: true, name: 'Clínica' };
    const type = [{ coding: [{ system: ownCodes('hcs'), code: 'CM' }] }];
    answerSearches(server, { ...service, type }, { ...makeCoverage('ana'), id: 'c' }, makeAppointment(['bruno']));
    const who = { patientId: 'ana', coverageId: 'c' };
    await expect(ports['care-services'].frequent(who, callNow())).rejects.toMatchObject({ kind: 'bad_answer' });
  });

  test.each([
    ['of our own server', `${server.url}/fhir/Patient/ana`, true],
    ['in a version', 'Patient/ana/_history/3', true],
    ['of another server', 'https://elsewhere.invalid/fhir/Patient/ana', false],
    ['contained', '#ana', false],
    ['of another type', 'Group/ana', false],
  ])('is told by its reference %s', async (_, reference, own) => {
    answerSearches(server, { ...makeCoverage('ana'), beneficiary: { reference } } as Resource);
    const list = ports.insurance.coverages('ana', callNow());
    if (own) expect((await list).map(({ patientId }) => patientId)).toEqual(['ana']);
    else await expect(list).rejects.toMatchObject({ kind: 'bad_answer' });
  });

  test('keeps a coverage from being created', async () => {
    answerSearches(server, makeCoverage('bruno'));
    const wanted = { beneficiaryId: 'ana', planId: 'p', credentialNumber: '77' };
    await expect(ports.insurance.create(wanted, callNow())).rejects.toMatchObject({ kind: 'bad_answer' });
  });

  describe('in the answers of a ticket of the one who asks', () => {
    const list = async (subject?: object) => {
      const focus = { reference: 'QuestionnaireResponse/q1' };
      const item = [{ linkId: 'x', answer: [{ valueString: 'an answer' }] }];
      answerSearches(server, { ...makeTask('ana'), focus } as Resource, { ...makeTask('ana'), id: 't2' } as Resource, {
        resourceType: 'QuestionnaireResponse',
        id: 'q1',
        status: 'completed',
        ...(subject && { subject }),
        item,
      });
      const omitted: OmittedRecord[] = [];
      const tickets = await ports.tickets.list('ana', {}, callNow({ omit: (record) => void omitted.push(record) }));
      return { omitted, shown: tickets.map(({ id, fields }) => [id, ...fields.map(({ value }) => value)]) };
    };

    test.each([
      ['by a relative reference', () => 'Patient/bruno'],
      ['by a reference with a version', () => 'Patient/bruno/_history/2'],
      ['by a reference with the base of the server', () => `${server.url}/fhir/Patient/bruno`],
    ])('takes away that ticket alone, and is told: %s', async (_, toReference) => {
      const { omitted, shown } = await list({ reference: toReference() });
      expect(shown).toEqual([['t2']]);
      expect(omitted).toEqual([{ resourceType: 'Task', element: 'focus' }]);
    });

    test.each([
      ['nobody', undefined],
      ['the one who asks', { reference: 'Patient/ana' }],
      ['something else than a patient', { reference: 'Practitioner/bruno' }],
      ['somebody by name', { display: 'Bruno' }],
    ])('is not assumed of what says to be of %s', async (_, subject) => {
      const { omitted, shown } = await list(subject);
      expect(shown).toEqual([['t1', 'an answer'], ['t2']]);
      expect(omitted).toEqual([]);
    });
  });

  test('is not assumed of what cannot be read and names nobody, which is left out alone, and told', async () => {
    const { for: _, ...task } = makeTask('ana') as Task;
    answerSearches(server, makeTask('ana'), { ...task, id: 't2', authoredOn: 'yesterday' });
    const omitted: OmittedRecord[] = [];
    const tickets = await ports.tickets.list('ana', {}, callNow({ omit: (record) => void omitted.push(record) }));
    expect(tickets.map(({ id }) => id)).toEqual(['t1']);
    expect(omitted).toEqual([{ resourceType: 'Task', element: 'authoredOn' }]);
  });

  test('is not in the appointment of a group that the patient is in', async () => {
    answerSearches(server, makeAppointment(['bruno', 'ana']));
    const { items } = await ports.appointments.list('ana', { order: 'ascending' }, callNow());
    expect(items.map(({ patientId }) => patientId)).toEqual(['ana']);
  });
});

describe('what was not asked for', () => {
  test.each([
    ['of another status', { status: 'canceled', page: { page: 0, limit: 5 } }],
    ['before the first day', { from: '2026-11-02' }],
  ] as const)('makes an answer with an appointment %s a bad one', async (_, query) => {
    answerSearches(server, makeAppointment(['ana']));
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
      server,
      { resourceType: 'HealthcareService', id: 'h', active: true, type: [hcs] },
      { resourceType: 'Schedule', id: 'd', actor, serviceType: [hcs] },
      slot('busy', 'busy', '2026-12-01T13:00:00Z'),
      slot('past', 'free', '2026-11-20T13:00:00Z'),
      slot('late', 'free', '2027-12-01T13:00:00Z'),
      slot('good', 'free', '2026-12-01T13:20:00Z'),
    );
    const moment = callNow({ now: '2026-11-21T12:00:00.000Z' });
    const { items } = await ports.appointments.slots({ serviceId: 'h' }, moment);
    expect(items.map(({ id }) => id)).toEqual(['good']);
  });

  test('is left out of the tickets when it is a task of another kind', async () => {
    answerSearches(server, makeTask('ana', { coding: [{ system: `${NS}/other`, code: 'ticket' }] }));
    expect(await ports.tickets.list('ana', {}, callNow())).toEqual([]);
  });
});

import { describe, expect, test } from '@jest/globals';
import type { Resource } from '@medplum/fhirtypes';
import { concept, ownCodes, ownIds } from '../../../hospital-in-fhir/terms.ts';
import { callNow } from '../../../support/fhir-calls.ts';
import {
  ana,
  answerSearches,
  makeAppointment,
  makeCoverage,
  makeRelative,
  makeTask,
  setUpForeignServer,
} from '../../../support/foreign-data.ts';
import { json } from '../../../support/scripted-fhir.ts';
import type { Line } from '../../../support/scripted-server.ts';

// What a server returns of another patient's, or of another kind, is never what a write ends in, nor written to.

const { server, ports } = await setUpForeignServer();

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
    server.get('/fhir/Practitioner/p').reply(200, { resourceType: 'Practitioner', id: 'p' }, json);
    server.post('/fhir').reset();
    answerSearches(
      server,
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
    answerSearches(server, makeAppointment(['bruno'], { start, meta: { versionId: '1' } }));
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
    function serverHas(relation: object): Line {
      const stored = { resourceType: 'RelatedPerson', id: 'r1', meta: { versionId: '1' }, active: false, ...relation };
      const update = server.put('/fhir/RelatedPerson/r1').reply(200, stored, json);
      server.post('/fhir/RelatedPerson').reply(status, outcome ?? stored, json);
      server.post('/fhir/RelatedPerson').reply(201, { ...makeRelative('ana'), id: 'r2' }, json);
      answerSearches(server, ana, camila, stored as Resource);
      return update;
    }

    test('is not written to when it is another patient’s', async () => {
      const update = serverHas(makeRelative('bruno'));
      await expect(add()).rejects.toMatchObject({ kind: 'bad_answer' });
      expect(update.isDone).toBe(false);
    });

    test('is not written to when it is to another relative', async () => {
      const identifier = [{ system: ownIds('related-patient'), value: 'elena' }];
      const update = serverHas({ ...makeRelative('ana'), identifier });
      if (status === 200) await expect(add()).rejects.toMatchObject({ kind: 'bad_answer' });
      else expect(await add()).toEqual({ id: 'r2' });
      expect(update.isDone).toBe(false);
    });

    test('is taken up again when it is the patient’s own, to this relative', async () => {
      const update = serverHas(makeRelative('ana'));
      expect(await add()).toEqual({ id: 'r1' });
      expect(update.isDone).toBe(true);
    });
  });

  test.each([
    ['another patient’s', 'bruno', '77'],
    ['the patient’s own with another credential', 'ana', '88'],
  ])('is not taken up again in place of a new coverage: %s', async (_, patient, subscriberId) => {
    const stored = { ...makeCoverage(patient), subscriberId, status: 'cancelled', meta: { versionId: '1' } };
    server.post('/fhir/Coverage').reply(200, stored, json);
    const update = server.put('/fhir/Coverage/c1').reply(200, stored, json);
    answerSearches(server, { resourceType: 'InsurancePlan', id: 'p', status: 'active' });
    const wanted = { beneficiaryId: 'ana', planId: 'p', credentialNumber: '77' };
    await expect(ports.insurance.create(wanted, callNow())).rejects.toMatchObject({ kind: 'bad_answer' });
    expect(update.isDone).toBe(false);
  });

  test('is not the request that asking for another practitioner ends in', async () => {
    server.post('/fhir/Task').reply(200, makeTask('bruno'), json);
    answerSearches(server, ana);
    const request = ports.practitioners.requestChange('ana', { reasonId: 'mudanza' }, callNow());
    await expect(request).rejects.toMatchObject({ kind: 'bad_answer' });
  });

  test('of another kind is no request for another practitioner, neither the latest nor an open one', async () => {
    const ticket = makeTask('ana');
    answerSearches(server, ana, ticket);
    await expect(ports.practitioners.changeRequestOf('ana', callNow())).rejects.toMatchObject({ kind: 'not_found' });
    server.post('/fhir/Task').reply(200, ticket, json);
    const request = ports.practitioners.requestChange('ana', { reasonId: 'mudanza' }, callNow());
    await expect(request).rejects.toMatchObject({ kind: 'bad_answer' });
  });

  test('is not the patient that a registration ends in, though born on the same day', async () => {
    const person = { birthDate: ana.birthDate, gender: 'Female' } as const;
    const none = { resourceType: 'Bundle', type: 'searchset' };
    server.post('/fhir/Patient/_search').times(2).reply(200, none, json);
    server.post('/fhir/Patient').reply(200, { ...ana, gender: 'female' }, json);
    const register = ports.patients.register({ identifier: { type: 'DNI', value: '123' }, ...person }, callNow());
    await expect(register).rejects.toMatchObject({ kind: 'bad_answer' });
  });

  test('cannot be removed from a family, though the server finds it', async () => {
    answerSearches(server, makeRelative('bruno'));
    await expect(ports['family-groups'].remove('ana', 'r1', callNow())).rejects.toMatchObject({ kind: 'not_found' });
  });
});

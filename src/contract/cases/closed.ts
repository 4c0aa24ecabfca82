import assert from 'node:assert/strict';
import { buildBookingA, buildBookingB, createDni, findFreeSlot, pickAny } from '../arrange.ts';
import { type Case, defineCase } from '../case.ts';
import { expectFault, getBody } from '../expect.ts';
import {
  expectFree,
  getPatient,
  listAppointmentsA,
  listCoverages,
  listSlotsB,
  ofPatient,
  toSlashDay,
} from '../queries.ts';
import type { PatientBody } from '../resources.ts';
import type { Request } from '../subject.ts';

const base = { level: 'write', section: '2' } as const;
const fixtures = ['patients.closed'] as const;
const bookBase = {
  ...base,
  needs: 'appointments.book',
  requires: ['appointments.slots', 'appointments.list'],
} as const;

/** Nothing new is created for patients who died, moved away or are not in use. Their records can be read. */
export const closedCases: readonly Case[] = [
  defineCase(bookBase, 'appointments.book.closed', {
    fixtures,
    title: 'book refuses a patient with a closed record, and changes nothing',
    run: async (subject) => {
      const { closed } = subject.fixtures.patients;
      const slot = await findFreeSlot(subject);
      const before = await listAppointmentsA(subject, closed);
      await expectFault(
        subject,
        ofPatient('POST /patients/{id}/appointments', closed, buildBookingA(slot)),
        'path /id',
      );
      await expectFree(subject, slot, 'after the refused booking');
      assert.deepEqual(await listAppointmentsA(subject, closed), before);
    },
  }),
  defineCase({ ...bookBase, section: '4.B' }, 'appointments.b.create-closed', {
    fixtures,
    title: 'create refuses a patient with a closed record, and changes nothing',
    run: async (subject) => {
      const { closed } = subject.fixtures.patients;
      const slot = pickAny(await listSlotsB(subject));
      const before = await listAppointmentsA(subject, closed);
      const body = buildBookingB(closed, slot);
      await expectFault(subject, { route: 'POST /v1/appointments', body }, 'body /patientId');
      await expectFree(subject, slot, 'after the refused booking');
      assert.deepEqual(await listAppointmentsA(subject, closed), before);
    },
  }),
  defineCase({ ...base, needs: 'insurance.create', requires: ['insurance.coverages'] }, 'insurance.create.closed', {
    fixtures,
    title: 'create refuses a patient with a closed record, and changes nothing',
    run: async (subject) => {
      const { patients, plans } = subject.fixtures;
      const before = await listCoverages(subject, patients.closed);
      const body = {
        credentialNumber: String(createDni()),
        beneficiaryId: patients.closed,
        insurancePlanId: plans.accepted,
      };
      await expectFault(subject, { route: 'POST /v1/coverages', body }, 'body /beneficiaryId');
      assert.deepEqual(await listCoverages(subject, patients.closed), before);
    },
  }),
  defineCase({ ...base, needs: 'practitioners.requestChange' }, 'practitioners.change.closed', {
    fixtures,
    title: 'a request for another practitioner is refused for a patient with a closed record',
    run: async (subject) => {
      const { patients, changeReason } = subject.fixtures;
      const route = 'POST /patients/{id}/practitioner/change_request';
      await expectFault(subject, ofPatient(route, patients.closed, { reason_id: changeReason }), 'path /id');
    },
  }),
  defineCase({ ...base, needs: 'patients.register', requires: ['patients.get'] }, 'patients.register.closed', {
    fixtures,
    title: 'register returns an existing patient with a closed record unchanged, like any other patient',
    run: async (subject) => {
      const before = await getPatient(subject, subject.fixtures.patients.closed);
      const { name, last_name, gender, birth_date, identifier, identifier_type } = before;
      const contact = { phone: '+54 9 11 5555-0123', email: 'contract@example.org' };
      const given = { name, last_name, gender, identifier, identifier_type, ...contact };
      const request: Request = { route: 'POST /patients/', body: { ...given, birth_date: toSlashDay(birth_date) } };
      const { id } = await getBody<PatientBody>(subject, request);
      assert.equal(id, before.id, 'another patient with this identity exists');
      assert.deepEqual(await getPatient(subject, id), before);
    },
  }),
];

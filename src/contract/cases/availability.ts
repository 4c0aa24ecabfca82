import assert from 'node:assert/strict';
import {
  bookA,
  bookB,
  bookWithPayment,
  buildBookingA,
  buildBookingB,
  buildCancellation,
  createCoverage,
  findFreeSlot,
  findSimultaneousSlots,
  registerPatient,
  takePatient,
  takePatientWith,
} from '../arrange.ts';
import { type Case, defineCase } from '../case.ts';
import { expectFault, getBody, getList } from '../expect.ts';
import { buildSlotSearch, listAppointmentsB, listServicesB, type ServiceB, toIds } from '../queries.ts';
import type { Request } from '../subject.ts';

const base = { section: '2' } as const;

/** What can be booked, where the API document is silent. */
export const availabilityCases: readonly Case[] = [
  defineCase(base, 'appointments.b.overlapping', {
    level: 'destructive',
    needs: 'appointments.book',
    requires: ['appointments.slots', 'appointments.list'],
    section: '4.B',
    title: 'a patient may hold two appointments at one time',
    rule: ['one-appointment-at-a-time', 'days-between-bookings'],
    run: async (subject) => {
      const slots = await findSimultaneousSlots(subject);
      const { id: patientId, list } = await takePatientWith(subject, listAppointmentsB);
      const ids: string[] = [];
      for (const slot of slots) ids.push(await bookB(subject, buildBookingB(patientId, slot)));
      assert.deepEqual(toIds(await list()).toSorted(), ids.toSorted());
    },
  }),
  defineCase(base, 'slots.inactive-service', {
    level: 'safe',
    needs: 'appointments.slots',
    title: 'a service that is no longer offered is named as an unknown one is',
    run: async (subject) => {
      const { inactive } = subject.fixtures.services;
      const body = { ...buildSlotSearch(subject), hcsId: inactive };
      await expectFault(subject, { route: 'POST /v1/available-slots', body }, 'body /hcsId');
      const route = 'GET /available-appointments/search';
      await expectFault(
        subject,
        { route, query: { health_care_service_id: inactive } },
        'query /health_care_service_id',
      );
    },
  }),
  defineCase(base, 'appointments.book.inactive-service', {
    level: 'write',
    needs: 'appointments.book',
    requires: ['appointments.slots'],
    title: 'a service that is no longer offered is refused as an unknown one is',
    run: async (subject) => {
      const slot = { ...(await findFreeSlot(subject)), health_care_service_id: subject.fixtures.services.inactive };
      const params = { id: await takePatient(subject) };
      const request: Request = { route: 'POST /patients/{id}/appointments', params, body: buildBookingA(slot) };
      await expectFault(subject, request, 'body /health_care_service_id');
    },
  }),
  defineCase(base, 'care-services.available.inactive', {
    level: 'safe',
    needs: 'care-services.available',
    title: 'a service that is no longer offered is in no list',
    run: async (subject) => {
      const { inactive } = subject.fixtures.services;
      if (subject.supports('insurance.coverages')) {
        assert.ok(!toIds(await listServicesB(subject)).includes(inactive));
      }
      const ofA = await getList<ServiceB>(subject, 'health_care_services', {
        route: 'GET /health-care-services/search',
      });
      assert.ok(!toIds(ofA).includes(inactive));
    },
  }),
  defineCase(base, 'appointments.b.create-keeps', {
    level: 'destructive',
    needs: 'appointments.book',
    requires: ['appointments.slots', 'appointments.list'],
    section: '4.B',
    title:
      'all that a booking gives is kept, also where nobody insures the patient; a copay and an authorisation too, or they are answered 501',
    run: async (subject) => {
      const [slot] = await findSimultaneousSlots(subject);
      const { id: patientId, list } = await takePatientWith(subject, listAppointmentsB);
      const given = buildBookingB(patientId, slot);
      const { id, kept } = await bookWithPayment(subject, { ...given, appointmentId: slot.appointmentId }, false);
      const { modality } = slot;
      assert.deepEqual(await list(), [
        { id, ...given, ...kept, patientCoverageId: null, appointmentStatus: 'active', modality },
      ]);
    },
  }),
  defineCase(base, 'care-services.frequent.canceled', {
    level: 'destructive',
    needs: 'care-services.frequent',
    requires: [
      'appointments.book',
      'appointments.cancel',
      'appointments.slots',
      'insurance.create',
      'patients.register',
    ],
    section: '4.B',
    title: 'a service whose only appointment was canceled is not frequent',
    run: async (subject) => {
      const patientId = await registerPatient(subject);
      const query = { patientId, patientCoverageId: await createCoverage(subject, patientId) };
      const request: Request = { route: 'GET /v1/frequent-health-care-services', query };
      const list = async () => toIds(await getList<ServiceB>(subject, 'data', request));
      const appointment_id = await bookA(subject, patientId, await findFreeSlot(subject));
      assert.deepEqual(await list(), [subject.fixtures.services.bookable]);
      await getBody(subject, buildCancellation(patientId, appointment_id));
      assert.deepEqual(await list(), []);
    },
  }),
];

import assert from 'node:assert/strict';
import { bookA, buildBookingA, createCoverage, findFreeSlot, registerPatient } from '../arrange.ts';
import { type Case, type CaseBase, defineCases } from '../case.ts';
import { computeDayAhead } from '../days.ts';
import { expectFault, expectProblem, getBody } from '../expect.ts';
import { type AppointmentA, isOfferedInA, listAppointmentsA, toIds } from '../queries.ts';
import type { Request, Subject } from '../subject.ts';

const toRequest = (id: string, body: object): Request => ({
  route: 'POST /patients/{id}/appointments',
  params: { id },
  body,
});

/** Asserts that the booking is refused at that place and the patient has no appointment. */
async function expectRefusal(subject: Subject, id: string, body: object, place: string, code?: string): Promise<void> {
  await expectFault(subject, toRequest(id, body), place, code);
  assert.deepEqual(await listAppointmentsA(subject, id), []);
}

const bookBase = {
  level: 'destructive',
  needs: 'appointments.book',
  requires: ['appointments.slots', 'appointments.list', 'patients.register'],
  section: '4.A',
} as const satisfies CaseBase;
const refuseBase = { ...bookBase, level: 'write' } as const satisfies CaseBase;

/** Booking in Group A. */
export const bookingCases: readonly Case[] = [
  ...defineCases(bookBase, {
    'appointments.book.takes': {
      title: 'book takes the slot and shows the appointment among the patient’s',
      run: async (subject) => {
        const slot = await findFreeSlot(subject);
        const id = await registerPatient(subject);
        assert.ok(await isOfferedInA(subject, slot));
        assert.deepEqual(await listAppointmentsA(subject, id), []);
        const appointmentId = await bookA(subject, id, slot);
        assert.ok(!(await isOfferedInA(subject, slot)));
        const [appointment, ...others] = await listAppointmentsA(subject, id);
        assert.deepEqual(others, []);
        assert.deepEqual(summarize(appointment), {
          id: appointmentId,
          date: slot.date,
          status: 'active',
          modality: slot.mode,
          cancelable: true,
          practitioner: slot.practitioner_id,
          location: slot.location_id,
          services: [slot.health_care_service_id],
          payments: {},
          health_insurances: {},
        });
      },
    },
    'appointments.book.coverage': {
      requires: [...bookBase.requires, 'insurance.create', 'insurance.coverages'],
      title: 'book keeps the health insurance that covers the appointment',
      run: async (subject) => {
        const slot = await findFreeSlot(subject);
        const id = await registerPatient(subject);
        const coverageId = await createCoverage(subject, id);
        await bookA(subject, id, slot, coverageId);
        const { health_insurances } = await getBody<{ health_insurances: { id: string }[] }>(subject, {
          route: 'GET /patients/{id}/health_insurances',
          params: { id },
        });
        const { id: _, ...coverage } = health_insurances.find((insurance) => insurance.id === coverageId) ?? { id: '' };
        const [appointment] = await listAppointmentsA(subject, id);
        assert.deepEqual(appointment?.health_insurances, coverage);
      },
    },
    'appointments.book.sex-other': {
      title: 'book takes a service for one sex for a patient who is neither Male nor Female',
      run: async (subject) => {
        const id = await registerPatient(subject, { gender: 'Other' });
        const slot = await findFreeSlot(subject, { health_care_service_id: subject.fixtures.services.womenOnly });
        const appointmentId = await bookA(subject, id, slot);
        assert.deepEqual(toIds(await listAppointmentsA(subject, id)), [appointmentId]);
      },
    },
    'appointments.book.taken': {
      title: 'book refuses a slot that somebody else has taken',
      run: async (subject) => {
        const slot = await findFreeSlot(subject);
        await bookA(subject, await registerPatient(subject), slot);
        const id = await registerPatient(subject);
        await expectProblem(subject, toRequest(id, buildBookingA(slot)), 409, 'slot_taken');
        assert.deepEqual(await listAppointmentsA(subject, id), []);
      },
    },
    'appointments.book.parallel': {
      title: 'of twenty parallel bookings of one slot one succeeds, and there is one appointment more',
      run: async (subject) => {
        const slot = await findFreeSlot(subject);
        const patients = await Promise.all(Array.from({ length: 20 }, () => registerPatient(subject)));
        const answers = await Promise.all(patients.map((id) => subject.send(toRequest(id, buildBookingA(slot)))));
        const outcomes = answers.map(({ status, body }) =>
          `${status} ${(body as { code?: string }).code ?? ''}`.trim(),
        );
        assert.deepEqual(outcomes.toSorted(), ['201', ...Array.from({ length: 19 }, () => '409 slot_taken')]);
        const made = await Promise.all(patients.map((id) => listAppointmentsA(subject, id)));
        assert.equal(made.flat().length, 1);
        assert.ok(!(await isOfferedInA(subject, slot)));
      },
    },
  }),
  ...defineCases(refuseBase, {
    'appointments.book.past': {
      title: 'book refuses a time that is past',
      run: async (subject) => {
        const slot = await findFreeSlot(subject);
        const past = { ...buildBookingA(slot), date: `${computeDayAhead(subject, -7)}${slot.date.slice(10)}` };
        await expectRefusal(subject, await registerPatient(subject), past, 'body /date');
      },
    },
    'appointments.book.no-such-slot': {
      title: 'book refuses a time at which nobody ever offered a slot',
      run: async (subject) => {
        const slot = await findFreeSlot(subject);
        const night = { ...buildBookingA(slot), date: `${slot.date.slice(0, 10)}T03:07:00` };
        await expectRefusal(subject, await registerPatient(subject), night, 'body /date', 'slot_unknown');
      },
    },
    'appointments.book.wrong-practitioner': {
      title: 'book refuses a slot with a practitioner who does not offer it',
      run: async (subject) => {
        const slot = { ...(await findFreeSlot(subject)), practitioner_id: subject.fixtures.practitioners.second };
        await expectRefusal(subject, await registerPatient(subject), buildBookingA(slot), 'body /date', 'slot_unknown');
      },
    },
    'appointments.book.unknown-things': {
      title: 'book names the service, practitioner or health insurance that does not exist',
      run: async (subject) => {
        const slot = await findFreeSlot(subject);
        const id = await registerPatient(subject);
        for (const field of ['health_care_service_id', 'practitioner_id', 'health_insurance_id']) {
          const body = { ...buildBookingA(slot), [field]: subject.fixtures.unknown };
          await expectRefusal(subject, id, body, `body /${field}`);
        }
        assert.ok(await isOfferedInA(subject, slot));
      },
    },
    'appointments.book.not-covered': {
      title: 'book refuses a health insurance of somebody else, and one that is no longer active',
      run: async (subject) => {
        const { patients, coverages } = subject.fixtures;
        const slot = await findFreeSlot(subject);
        const id = await registerPatient(subject);
        await expectRefusal(subject, id, buildBookingA(slot, coverages.active), 'body /health_insurance_id');
        const inactive = buildBookingA(slot, coverages.inactive);
        await expectFault(subject, toRequest(patients.complete, inactive), 'body /health_insurance_id');
        assert.ok(await isOfferedInA(subject, slot));
      },
    },
    'appointments.book.plan': {
      requires: [...bookBase.requires, 'insurance.create'],
      title: 'book refuses a health insurance whose plan the service does not accept',
      run: async (subject) => {
        const { services, plans } = subject.fixtures;
        const slot = await findFreeSlot(subject, { health_care_service_id: services.restricted });
        const id = await registerPatient(subject);
        const coverageId = await createCoverage(subject, id, plans.refused);
        await expectRefusal(subject, id, buildBookingA(slot, coverageId), 'body /health_insurance_id');
        assert.ok(await isOfferedInA(subject, slot));
      },
    },
    'appointments.book.excluded': {
      title: 'book refuses a service that is not for the patient’s age or sex',
      run: async (subject) => {
        const id = await registerPatient(subject, { birth_date: computeDayAhead(subject, -300).replaceAll('-', '/') });
        await expectRefusal(subject, id, buildBookingA(await findFreeSlot(subject)), 'body /health_care_service_id');
        const man = await registerPatient(subject, { gender: 'Male' });
        const slot = await findFreeSlot(subject, { health_care_service_id: subject.fixtures.services.womenOnly });
        await expectRefusal(subject, man, buildBookingA(slot), 'body /health_care_service_id');
        assert.ok(await isOfferedInA(subject, slot));
      },
    },
  }),
];

const summarize = (appointment: AppointmentA | undefined) =>
  appointment && {
    id: appointment.id,
    date: appointment.date,
    status: appointment.status,
    modality: appointment.modality,
    cancelable: appointment.cancelable,
    practitioner: appointment.practitioner.id,
    location: appointment.location.id,
    services: appointment.healht_care_service.map(({ id }) => id),
    payments: appointment.payments,
    health_insurances: appointment.health_insurances,
  };

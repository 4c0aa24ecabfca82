import assert from 'node:assert/strict';
import { bookA, bookingA, freeSlot, freshCoverage, freshPatient } from '../arrange.ts';
import type { Case } from '../case.ts';
import { dayAhead } from '../days.ts';
import { answer, faulty, refused } from '../expect.ts';
import { type AppointmentA, appointmentsA, isOfferedInA } from '../shown.ts';
import type { Request, Subject } from '../subject.ts';

const booking = (id: string, body: object): Request => ({
  route: 'POST /patients/{id}/appointments',
  params: { id },
  body,
});

/** The booking is refused there, and the patient has no appointment. */
async function refusesBooking(subject: Subject, id: string, body: object, place: string, code?: string): Promise<void> {
  await faulty(subject, booking(id, body), place, code);
  assert.deepEqual(await appointmentsA(subject, id), []);
}

const books = {
  level: 'destructive',
  needs: 'appointments.book',
  also: ['appointments.slots', 'appointments.list', 'patients.register'],
  section: '4.A',
} as const;
const refuses = { ...books, level: 'write' } as const;

/** Booking in Group A. */
export const bookingCases: readonly Case[] = [
  {
    ...books,
    id: 'appointments.book.takes',
    title: 'book takes the slot and shows the appointment among the patient’s',
    run: async (subject) => {
      const slot = await freeSlot(subject);
      const id = await freshPatient(subject);
      assert.ok(await isOfferedInA(subject, slot));
      assert.deepEqual(await appointmentsA(subject, id), []);
      const appointmentId = await bookA(subject, id, slot);
      assert.ok(!(await isOfferedInA(subject, slot)));
      const [appointment, ...others] = await appointmentsA(subject, id);
      assert.deepEqual(others, []);
      assert.deepEqual(essence(appointment), {
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
  {
    ...books,
    also: [...books.also, 'insurance.create', 'insurance.coverages'],
    id: 'appointments.book.coverage',
    title: 'book keeps the health insurance that covers the appointment',
    run: async (subject) => {
      const slot = await freeSlot(subject);
      const id = await freshPatient(subject);
      const coverageId = await freshCoverage(subject, id);
      await bookA(subject, id, slot, coverageId);
      const { health_insurances } = await answer<{ health_insurances: { id: string }[] }>(subject, {
        route: 'GET /patients/{id}/health_insurances',
        params: { id },
      });
      const { id: _, ...coverage } = health_insurances.find((insurance) => insurance.id === coverageId) ?? { id: '' };
      const [appointment] = await appointmentsA(subject, id);
      assert.deepEqual(appointment?.health_insurances, coverage);
    },
  },
  {
    ...books,
    id: 'appointments.book.taken',
    title: 'book refuses a slot that somebody else has taken',
    run: async (subject) => {
      const slot = await freeSlot(subject);
      await bookA(subject, await freshPatient(subject), slot);
      const id = await freshPatient(subject);
      await refused(subject, booking(id, bookingA(slot)), 409, 'slot_taken');
      assert.deepEqual(await appointmentsA(subject, id), []);
    },
  },
  {
    ...books,
    id: 'appointments.book.parallel',
    title: 'of twenty parallel bookings of one slot one succeeds, and there is one appointment more',
    run: async (subject) => {
      const slot = await freeSlot(subject);
      const patients = await Promise.all(Array.from({ length: 20 }, () => freshPatient(subject)));
      const answers = await Promise.all(patients.map((id) => subject.send(booking(id, bookingA(slot)))));
      const outcomes = answers.map(({ status, body }) => `${status} ${(body as { code?: string }).code ?? ''}`.trim());
      assert.deepEqual(outcomes.toSorted(), ['201', ...Array.from({ length: 19 }, () => '409 slot_taken')]);
      const made = await Promise.all(patients.map((id) => appointmentsA(subject, id)));
      assert.equal(made.flat().length, 1);
      assert.ok(!(await isOfferedInA(subject, slot)));
    },
  },
  {
    ...refuses,
    id: 'appointments.book.past',
    title: 'book refuses a time that is past',
    run: async (subject) => {
      const slot = await freeSlot(subject);
      const past = { ...bookingA(slot), date: `${dayAhead(subject, -7)}${slot.date.slice(10)}` };
      await refusesBooking(subject, await freshPatient(subject), past, 'body /date');
    },
  },
  {
    ...refuses,
    id: 'appointments.book.no-such-slot',
    title: 'book refuses a time at which nobody ever offered a slot',
    run: async (subject) => {
      const slot = await freeSlot(subject);
      const night = { ...bookingA(slot), date: `${slot.date.slice(0, 10)}T03:07:00` };
      await refusesBooking(subject, await freshPatient(subject), night, 'body /date', 'slot_unknown');
    },
  },
  {
    ...refuses,
    id: 'appointments.book.wrong-practitioner',
    title: 'book refuses a slot with a practitioner who does not offer it',
    run: async (subject) => {
      const slot = { ...(await freeSlot(subject)), practitioner_id: subject.fixtures.practitioners.second };
      await refusesBooking(subject, await freshPatient(subject), bookingA(slot), 'body /date', 'slot_unknown');
    },
  },
  {
    ...refuses,
    id: 'appointments.book.unknown-things',
    title: 'book names the service, practitioner or health insurance that does not exist',
    run: async (subject) => {
      const slot = await freeSlot(subject);
      const id = await freshPatient(subject);
      for (const field of ['health_care_service_id', 'practitioner_id', 'health_insurance_id']) {
        const body = { ...bookingA(slot), [field]: subject.fixtures.unknown };
        await refusesBooking(subject, id, body, `body /${field}`);
      }
      assert.ok(await isOfferedInA(subject, slot));
    },
  },
  {
    ...refuses,
    id: 'appointments.book.not-covered',
    title: 'book refuses a health insurance of somebody else, and one that is no longer active',
    run: async (subject) => {
      const { patients, coverages } = subject.fixtures;
      const slot = await freeSlot(subject);
      const id = await freshPatient(subject);
      await refusesBooking(subject, id, bookingA(slot, coverages.active), 'body /health_insurance_id');
      const inactive = bookingA(slot, coverages.inactive);
      await faulty(subject, booking(patients.complete, inactive), 'body /health_insurance_id');
      assert.ok(await isOfferedInA(subject, slot));
    },
  },
  {
    ...refuses,
    also: [...books.also, 'insurance.create'],
    id: 'appointments.book.plan',
    title: 'book refuses a health insurance whose plan the service does not accept',
    run: async (subject) => {
      const { services, plans } = subject.fixtures;
      const slot = await freeSlot(subject, { health_care_service_id: services.restricted });
      const id = await freshPatient(subject);
      const coverageId = await freshCoverage(subject, id, plans.refused);
      await refusesBooking(subject, id, bookingA(slot, coverageId), 'body /health_insurance_id');
      assert.ok(await isOfferedInA(subject, slot));
    },
  },
  {
    ...refuses,
    id: 'appointments.book.excluded',
    title: 'book refuses a service that is not for the patient’s age or sex',
    run: async (subject) => {
      const id = await freshPatient(subject, { birth_date: dayAhead(subject, -300).replaceAll('-', '/') });
      await refusesBooking(subject, id, bookingA(await freeSlot(subject)), 'body /health_care_service_id');
      const man = await freshPatient(subject, { gender: 'Male' });
      const slot = await freeSlot(subject, { health_care_service_id: subject.fixtures.services.womenOnly });
      await refusesBooking(subject, man, bookingA(slot), 'body /health_care_service_id');
      assert.ok(await isOfferedInA(subject, slot));
    },
  },
];

const essence = (appointment: AppointmentA | undefined) =>
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

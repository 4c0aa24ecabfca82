import assert from 'node:assert/strict';
import {
  bookA,
  buildBookingA,
  createCoverage,
  findFreeSlot,
  registerPatient,
  skipEarlier,
  takePatient,
  takePatientWith,
} from '../arrange.ts';
import { type Case, defineCase } from '../case.ts';
import { computeDayAhead } from '../days.ts';
import { expectFault, expectProblem } from '../expect.ts';
import { type AppointmentA, isOfferedInA, listAppointmentsA, listCoverages, toIds } from '../queries.ts';
import type { Request, Subject } from '../subject.ts';

const toRequest = (id: string, body: object): Request => ({
  route: 'POST /patients/{id}/appointments',
  params: { id },
  body,
});

/** Asserts that the booking is refused at that place and the patient has no other appointments then. */
async function expectRefusal(subject: Subject, id: string, body: object, place: string, code?: string): Promise<void> {
  const before = await listAppointmentsA(subject, id);
  await expectFault(subject, toRequest(id, body), place, code);
  assert.deepEqual(await listAppointmentsA(subject, id), before);
}

const bookBase = {
  level: 'destructive',
  needs: 'appointments.book',
  requires: ['appointments.slots', 'appointments.list'],
  section: '4.A',
} as const;
const refuseBase = { ...bookBase, level: 'write' } as const;
const excludeBase = { ...refuseBase } as const;

/** Booking in Group A. */
export const bookingCases: readonly Case[] = [
  defineCase(bookBase, 'appointments.book.takes', {
    title: 'book takes the slot and shows the appointment among the patient’s',
    run: async (subject) => {
      const slot = await findFreeSlot(subject);
      const { id, list } = await takePatientWith(subject, listAppointmentsA);
      assert.ok(await isOfferedInA(subject, slot));
      assert.deepEqual(await list(), []);
      const appointmentId = await bookA(subject, id, slot);
      assert.ok(!(await isOfferedInA(subject, slot)));
      const [appointment, ...others] = await list();
      assert.deepEqual(others, []);
      assert.deepEqual(summarize(appointment), {
        id: appointmentId,
        date: slot.date,
        status: 'active',
        modality: slot.mode,
        cancelable: !subject.fixtures.rules?.includes('no-canceling'),
        practitioner: slot.practitioner_id,
        location: slot.location_id,
        services: [slot.health_care_service_id],
        payments: {},
        health_insurances: {},
      });
    },
  }),
  defineCase(bookBase, 'appointments.book.coverage', {
    requires: ['insurance.create', 'insurance.coverages'],
    title: 'book keeps the health insurance that covers the appointment, and none of the patient’s others',
    rule: ['days-between-bookings', 'one-coverage'],
    run: async (subject) => {
      const { accepted, another } = subject.fixtures.plans;
      const { id, list } = await takePatientWith(subject, listAppointmentsA);
      const coverages = new Map<string, string>();
      for (const plan of [accepted, another]) {
        const slot = await findFreeSlot(subject);
        const coverageId = await createCoverage(subject, id, plan);
        coverages.set(await bookA(subject, id, slot, coverageId), coverageId);
      }
      const insurances = await listCoverages(subject, id);
      const listed = await list();
      for (const [appointmentId, coverageId] of coverages) {
        const { id: _, ...coverage } = insurances.find((insurance) => insurance.id === coverageId) ?? { id: '' };
        assert.deepEqual(listed.find((each) => each.id === appointmentId)?.health_insurances, coverage);
      }
    },
  }),
  defineCase(bookBase, 'appointments.book.sex-other', {
    requires: ['patients.register'],
    title: 'book takes a service for one sex for a patient who is neither Male nor Female',
    run: async (subject) => {
      const id = await registerPatient(subject, { gender: 'Other' });
      const slot = await findFreeSlot(subject, { health_care_service_id: subject.fixtures.services.womenOnly });
      const appointmentId = await bookA(subject, id, slot);
      assert.deepEqual(toIds(await listAppointmentsA(subject, id)), [appointmentId]);
    },
  }),
  defineCase(bookBase, 'appointments.book.taken', {
    title: 'book refuses with slot_taken a slot that somebody else has taken, and does not say who',
    run: async (subject) => {
      const slot = await findFreeSlot(subject);
      await bookA(subject, await takePatient(subject), slot);
      const { id, list } = await takePatientWith(subject, listAppointmentsA);
      await expectProblem(subject, toRequest(id, buildBookingA(slot)), 409, 'slot_taken');
      assert.deepEqual(await list(), []);
    },
  }),
  defineCase(bookBase, 'appointments.book.parallel', {
    title: 'of twenty parallel bookings of one slot one succeeds, and there is one appointment more',
    run: async (subject) => {
      const slot = await findFreeSlot(subject);
      const patients = await Promise.all(Array.from({ length: 20 }, () => takePatient(subject)));
      const lists = await Promise.all(
        [...new Set(patients)].map((id) => skipEarlier(subject, () => listAppointmentsA(subject, id))),
      );
      const answers = await Promise.all(patients.map((id) => subject.send(toRequest(id, buildBookingA(slot)))));
      const outcomes = answers.map(({ status, body }) => `${status} ${(body as { code?: string }).code ?? ''}`.trim());
      assert.deepEqual(outcomes.toSorted(), ['201', ...Array.from({ length: 19 }, () => '409 slot_taken')]);
      const made = await Promise.all(lists.map((list) => list()));
      assert.equal(made.flat().length, 1);
      assert.ok(!(await isOfferedInA(subject, slot)));
    },
  }),
  defineCase(refuseBase, 'appointments.book.past', {
    title: 'book refuses a time that is past',
    run: async (subject) => {
      const slot = await findFreeSlot(subject);
      const past = { ...buildBookingA(slot), date: `${computeDayAhead(subject, -7)}${slot.date.slice(10)}` };
      await expectRefusal(subject, await takePatient(subject), past, 'body /date');
    },
  }),
  defineCase(refuseBase, 'appointments.book.no-such-slot', {
    title: 'book refuses a time at which nobody ever offered a slot',
    rule: 'free-slots-alone',
    run: async (subject) => {
      const slot = await findFreeSlot(subject);
      const night = { ...buildBookingA(slot), date: `${slot.date.slice(0, 10)}T03:07:00` };
      await expectRefusal(subject, await takePatient(subject), night, 'body /date', 'slot_unknown');
    },
  }),
  defineCase(refuseBase, 'appointments.book.wrong-practitioner', {
    title: 'book refuses a slot with a practitioner who does not offer it',
    rule: 'free-slots-alone',
    run: async (subject) => {
      const slot = { ...(await findFreeSlot(subject)), practitioner_id: subject.fixtures.practitioners.second };
      await expectRefusal(subject, await takePatient(subject), buildBookingA(slot), 'body /date', 'slot_unknown');
    },
  }),
  defineCase(refuseBase, 'appointments.book.unknown-things', {
    title: 'book names the service, practitioner or health insurance that does not exist',
    run: async (subject) => {
      const slot = await findFreeSlot(subject);
      const id = await takePatient(subject);
      for (const field of ['health_care_service_id', 'practitioner_id', 'health_insurance_id']) {
        const body = { ...buildBookingA(slot), [field]: subject.fixtures.unknown };
        await expectRefusal(subject, id, body, `body /${field}`);
      }
      assert.ok(await isOfferedInA(subject, slot));
    },
  }),
  defineCase(refuseBase, 'appointments.book.not-covered', {
    requires: ['insurance.coverages'],
    title: 'book refuses a health insurance of somebody else, and one that is no longer active',
    rule: 'days-between-bookings',
    run: async (subject) => {
      const { patients, coverages } = subject.fixtures;
      const slot = await findFreeSlot(subject);
      const id = await takePatient(subject);
      await expectRefusal(subject, id, buildBookingA(slot, coverages.active), 'body /health_insurance_id');
      const inactive = buildBookingA(slot, coverages.inactive);
      await expectFault(subject, toRequest(patients.complete, inactive), 'body /health_insurance_id');
      assert.ok(await isOfferedInA(subject, slot));
    },
  }),
  defineCase(refuseBase, 'appointments.book.plan', {
    requires: ['insurance.create'],
    fixtures: ['services.restricted'],
    title: 'book refuses a health insurance whose plan the service does not accept',
    run: async (subject) => {
      const { services, plans } = subject.fixtures;
      const slot = await findFreeSlot(subject, { health_care_service_id: services.restricted });
      const id = await takePatient(subject);
      const coverageId = await createCoverage(subject, id, plans.refused);
      await expectRefusal(subject, id, buildBookingA(slot, coverageId), 'body /health_insurance_id');
      assert.ok(await isOfferedInA(subject, slot));
    },
  }),
  defineCase(excludeBase, 'appointments.book.excluded', {
    title: 'book refuses a service that is not for the patient’s age or sex',
    run: async (subject) => {
      const { patients, services } = subject.fixtures;
      const early = buildBookingA(await findFreeSlot(subject));
      await expectRefusal(subject, patients.child, early, 'body /health_care_service_id');
      const slot = await findFreeSlot(subject, { health_care_service_id: services.womenOnly });
      await expectRefusal(subject, patients.bare, buildBookingA(slot), 'body /health_care_service_id');
      assert.ok(await isOfferedInA(subject, slot));
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

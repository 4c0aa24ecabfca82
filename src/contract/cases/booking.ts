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
  pickAny,
  registerPatient,
  skipEarlier,
  takePatient,
  takePatientWith,
} from '../arrange.ts';
import { type Case, defineCase } from '../case.ts';
import { expectCount, expectFault, expectProblem, getBody } from '../expect.ts';
import {
  computeDayAhead,
  expectFree,
  expectTaken,
  listAppointmentsA,
  listAppointmentsB,
  listCoverages,
  listSlotsB,
  ofPatient,
  toIds,
  toStart,
} from '../queries.ts';
import type { AppointmentA, SlotB } from '../resources.ts';
import type { Request, Subject } from '../subject.ts';

const toRequest = (id: string, body: object) => ofPatient('POST /patients/{id}/appointments', id, body);

/** Asserts that the subject refuses the booking at that place, and that the patient has no new appointment. */
async function expectRefusal(
  subject: Subject,
  { id, body }: { readonly id: string; readonly body: object },
  place: string,
  code?: string,
): Promise<void> {
  const before = await listAppointmentsA(subject, id);
  await expectFault(subject, toRequest(id, body), place, code);
  assert.deepEqual(await listAppointmentsA(subject, id), before);
}

const bookBase = {
  level: 'destructive',
  needs: 'appointments.book',
  requires: ['appointments.slots', 'appointments.list'],
} as const;
const refuseBase = { ...bookBase, level: 'write' } as const;

/** Booking in Group A. */
export const bookingCases: readonly Case[] = [
  defineCase(bookBase, 'appointments.book.takes', {
    title: 'book takes the slot, in person or over video, and lists the appointment of the patient',
    run: async (subject) => {
      const { services } = subject.fixtures;
      const offered = Reflect.has(services, 'virtual') ? [services.bookable, services.virtual] : [services.bookable];
      for (const health_care_service_id of offered) {
        const slot = await findFreeSlot(subject, { health_care_service_id });
        const { id, list } = await takePatientWith(subject, listAppointmentsA);
        await expectFree(subject, slot, 'in a second search before the booking');
        assert.deepEqual(await list(), []);
        const appointmentId = await bookA(subject, id, slot);
        await expectTaken(subject, slot, 'after the booking');
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
      }
    },
  }),
  defineCase({ ...bookBase, rule: ['days-between-bookings', 'one-coverage'] }, 'appointments.book.coverage', {
    requires: ['insurance.create', 'insurance.coverages'],
    title: 'book stores the health insurance of the appointment, and none of the patient’s others',
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
  defineCase({ ...bookBase, rule: 'verified-later' }, 'appointments.book.sex-other', {
    requires: ['patients.register'],
    title: 'book accepts a patient who is neither Male nor Female for a service for one sex',
    run: async (subject) => {
      const id = await registerPatient(subject, { gender: 'Other' });
      const slot = await findFreeSlot(subject, { health_care_service_id: subject.fixtures.services.womenOnly });
      const appointmentId = await bookA(subject, id, slot);
      assert.deepEqual(toIds(await listAppointmentsA(subject, id)), [appointmentId]);
    },
  }),
  defineCase(bookBase, 'appointments.book.taken', {
    title: 'book answers slot_taken for a slot of another patient, and does not name that patient',
    run: async (subject) => {
      const slot = await findFreeSlot(subject);
      await bookA(subject, await takePatient(subject), slot);
      const { id, list } = await takePatientWith(subject, listAppointmentsA);
      await expectProblem(subject, toRequest(id, buildBookingA(slot)), 409, 'slot_taken');
      assert.deepEqual(await list(), []);
    },
  }),
  defineCase(bookBase, 'appointments.book.taken-by-oneself', {
    title: 'book answers slot_taken for a slot that the patient already has, even for a similar booking',
    rule: ['one-appointment-at-a-time', 'days-between-bookings'],
    run: async (subject) => {
      const slot = await findFreeSlot(subject);
      const { id, list } = await takePatientWith(subject, listAppointmentsA);
      await bookA(subject, id, slot);
      await expectProblem(subject, toRequest(id, buildBookingA(slot)), 409, 'slot_taken');
      expectCount(await list(), 1, 'appointments of the patient');
    },
  }),
  defineCase(bookBase, 'appointments.book.parallel', {
    title: 'of twenty parallel bookings of one slot, one succeeds and creates one appointment',
    run: async (subject) => {
      const slot = await findFreeSlot(subject);
      const patients = await Promise.all(Array.from({ length: 20 }, () => takePatient(subject)));
      const lists = await Promise.all(
        [...new Set(patients)].map((id) => skipEarlier(() => listAppointmentsA(subject, id))),
      );
      const answers = await Promise.all(patients.map((id) => subject.send(toRequest(id, buildBookingA(slot)))));
      const outcomes = answers.map(({ status, body }) => `${status} ${(body as { code?: string }).code ?? ''}`.trim());
      assert.deepEqual(outcomes.toSorted(), ['201', ...Array.from({ length: 19 }, () => '409 slot_taken')]);
      const made = await Promise.all(lists.map((list) => list()));
      expectCount(made.flat(), 1, 'bookings that succeeded');
      await expectTaken(subject, slot, 'after the booking');
    },
  }),
  defineCase(refuseBase, 'appointments.book.past', {
    title: 'book refuses a past time',
    run: async (subject) => {
      const slot = await findFreeSlot(subject);
      const past = { ...buildBookingA(slot), date: `${computeDayAhead(subject, -7)}${slot.date.slice(10)}` };
      await expectRefusal(subject, { id: await takePatient(subject), body: past }, 'body /date');
    },
  }),
  defineCase({ ...refuseBase, rule: 'free-slots-alone' }, 'appointments.book.no-such-slot', {
    title: 'book refuses a time at which no slot was ever offered',
    run: async (subject) => {
      const slot = await findFreeSlot(subject);
      const night = { ...buildBookingA(slot), date: `${slot.date.slice(0, 10)}T03:07:00` };
      await expectRefusal(subject, { id: await takePatient(subject), body: night }, 'body /date', 'slot_unknown');
    },
  }),
  defineCase({ ...refuseBase, rule: 'free-slots-alone' }, 'appointments.book.wrong-practitioner', {
    title: 'book refuses a slot with a practitioner who does not offer it',
    run: async (subject) => {
      const slot = { ...(await findFreeSlot(subject)), practitioner_id: subject.fixtures.practitioners.second };
      await expectRefusal(
        subject,
        { id: await takePatient(subject), body: buildBookingA(slot) },
        'body /date',
        'slot_unknown',
      );
    },
  }),
  defineCase(refuseBase, 'appointments.book.unknown-things', {
    title: 'book names the service, practitioner or health insurance that does not exist',
    run: async (subject) => {
      const slot = await findFreeSlot(subject);
      const id = await takePatient(subject);
      for (const field of ['health_care_service_id', 'practitioner_id', 'health_insurance_id']) {
        const body = { ...buildBookingA(slot), [field]: subject.fixtures.unknown };
        await expectRefusal(subject, { id, body }, `body /${field}`);
      }
      await expectFree(subject, slot, 'after the refused booking');
    },
  }),
  defineCase({ ...refuseBase, rule: 'days-between-bookings' }, 'appointments.book.not-covered', {
    requires: ['insurance.coverages'],
    title: 'book refuses a health insurance of another patient, and one that is no longer active',
    run: async (subject) => {
      const { patients, coverages } = subject.fixtures;
      const slot = await findFreeSlot(subject);
      const id = await takePatient(subject);
      await expectRefusal(subject, { id, body: buildBookingA(slot, coverages.active) }, 'body /health_insurance_id');
      const inactive = buildBookingA(slot, coverages.inactive);
      await expectFault(subject, toRequest(patients.complete, inactive), 'body /health_insurance_id');
      await expectFree(subject, slot, 'after the refused booking');
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
      await expectRefusal(subject, { id, body: buildBookingA(slot, coverageId) }, 'body /health_insurance_id');
      await expectFree(subject, slot, 'after the refused booking');
    },
  }),
  defineCase(refuseBase, 'appointments.book.excluded', {
    title: 'book refuses a service that excludes the patient’s age or sex',
    run: async (subject) => {
      const { patients, services } = subject.fixtures;
      const early = buildBookingA(await findFreeSlot(subject));
      await expectRefusal(subject, { id: patients.child, body: early }, 'body /health_care_service_id');
      const slot = await findFreeSlot(subject, { health_care_service_id: services.womenOnly });
      await expectRefusal(subject, { id: patients.bare, body: buildBookingA(slot) }, 'body /health_care_service_id');
      await expectFree(subject, slot, 'after the refused booking');
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

const toRequestB = (body: object): Request => ({ route: 'POST /v1/appointments', body });

const addMinutes = (start: string, minutes: number): string =>
  new Date(Date.parse(`${start}Z`) + minutes * 60_000).toISOString().slice(0, 19);

/** Consecutive free slots of one practitioner at one location: three if possible, otherwise two. */
async function findAdjacentSlots(subject: Subject): Promise<readonly [SlotB, SlotB, ...SlotB[]]> {
  const slots = await listSlotsB(subject);
  const toPlace = ({ practitionerId, locationId }: SlotB, start: string) => `${practitionerId} ${locationId} ${start}`;
  const byPlace = new Map(slots.map((slot) => [toPlace(slot, toStart(slot)), slot]));
  const findNext = (slot: SlotB) => byPlace.get(toPlace(slot, addMinutes(toStart(slot), Number(slot.minutesDuration))));
  const runs = slots.flatMap((slot): (readonly [SlotB, SlotB, ...SlotB[]])[] => {
    const second = findNext(slot);
    return second ? [[slot, second, ...[findNext(second) ?? []].flat()]] : [];
  });
  const long = runs.filter(({ length }) => length > 2);
  return pickAny(long.length > 0 ? long : runs, 'two free slots in a row');
}

/** Free slots without a next slot at their location, if possible also one whose practitioner continues elsewhere. */
async function findLastSlots(subject: Subject): Promise<readonly SlotB[]> {
  const slots = await listSlotsB(subject);
  const toEnd = (slot: SlotB) => addMinutes(toStart(slot), Number(slot.minutesDuration));
  const follow = (slot: SlotB) =>
    slots.filter((each) => each.practitionerId === slot.practitionerId && toStart(each) === toEnd(slot));
  const last = slots.filter((slot) => follow(slot).every(({ locationId }) => locationId !== slot.locationId));
  return [pickAny(last), ...last.filter((slot) => follow(slot).length > 0).slice(0, 1)];
}

const computeMinutes = (slots: readonly SlotB[]): string =>
  String(slots.reduce((minutes, { minutesDuration }) => minutes + Number(minutesDuration), 0));

/** Books these slots as one appointment, and asserts that a cancellation offers each of them again. */
async function expectFreed(subject: Subject, slots: readonly [SlotB, ...SlotB[]], several: object): Promise<void> {
  const id = await takePatient(subject);
  const appointment_id = await bookB(subject, { ...buildBookingB(id, slots[0]), ...several });
  await getBody(subject, buildCancellation(id, appointment_id));
  for (const slot of slots) await expectFree(subject, slot, 'after the cancellation');
}

const createBase = {
  level: 'destructive',
  needs: 'appointments.book',
  requires: ['appointments.slots', 'appointments.list'],
  section: '4.B',
} as const;

/** The base of bookings whose result shows in the offered slots. */
const offerBase = { ...createBase, requires: ['appointments.slots'] } as const;

/** Booking in Group B. */
export const bookingCasesB: readonly Case[] = [
  defineCase(createBase, 'appointments.b.create', {
    requires: ['insurance.create'],
    title: 'create takes the slot and stores every field, or answers 501 to a copay or an authorization',
    run: async (subject) => {
      const slot = pickAny(await listSlotsB(subject));
      const { id: patientId, list } = await takePatientWith(subject, listAppointmentsB);
      const patientCoverageId = await createCoverage(subject, patientId);
      assert.deepEqual(await list(), []);
      const given = { ...buildBookingB(patientId, slot), patientCoverageId };
      const { id, kept } = await bookWithPayment(subject, { ...given, appointmentId: slot.appointmentId }, true);
      assert.deepEqual(await list(), [{ id, ...given, ...kept, appointmentStatus: 'active', modality: slot.modality }]);
      await expectTaken(subject, slot, 'after the booking');
    },
  }),
  defineCase(createBase, 'appointments.b.create-least', {
    title:
      'create requires no coverage, duration, location or offer: the patient then pays for one slot at its location',
    run: async (subject) => {
      const { first, another } = subject.fixtures.locations;
      for (const place of [first, another]) {
        const slot = pickAny(await listSlotsB(subject, { locationId: place }));
        const { id: patientId, list } = await takePatientWith(subject, listAppointmentsB);
        const { minutesDuration, locationId, ...least } = buildBookingB(patientId, slot);
        const id = await bookB(subject, least);
        const { modality } = slot;
        const nothing = { patientCoverageId: null, copay: null, authorization: null };
        assert.deepEqual(await list(), [
          { id, ...least, minutesDuration, locationId, ...nothing, appointmentStatus: 'active', modality },
        ]);
      }
    },
  }),
  defineCase({ ...createBase, rule: 'one-slot' }, 'appointments.b.create-span', {
    title: 'create takes consecutive slots for a longer appointment',
    run: async (subject) => {
      const slots = await findAdjacentSlots(subject);
      const { id: patientId, list } = await takePatientWith(subject, listAppointmentsB);
      const minutesDuration = computeMinutes(slots);
      await bookB(subject, { ...buildBookingB(patientId, slots[0]), minutesDuration });
      assert.equal((await list())[0]?.minutesDuration, minutesDuration);
      for (const slot of slots) await expectTaken(subject, slot, 'after the booking of several in a row');
    },
  }),
  defineCase({ ...createBase, rule: 'one-slot' }, 'appointments.b.create-span-taken', {
    title: 'create takes no slot if one of several is taken',
    run: async (subject) => {
      const slots = await findAdjacentSlots(subject);
      const [first] = slots;
      await bookB(subject, buildBookingB(await takePatient(subject), slots.at(-1) ?? first));
      const { id: patientId, list } = await takePatientWith(subject, listAppointmentsB);
      const minutesDuration = computeMinutes(slots);
      const long = toRequestB({ ...buildBookingB(patientId, first), minutesDuration });
      await expectProblem(subject, long, 409, 'slot_taken');
      await expectFree(subject, first, 'after the refused booking');
      assert.deepEqual(await list(), []);
    },
  }),
  defineCase({ ...createBase, rule: 'one-slot' }, 'appointments.b.create-span-place', {
    title: 'create refuses a longer appointment if the consecutive slots end, or continue at another location',
    run: async (subject) => {
      for (const last of await findLastSlots(subject)) {
        const { id: patientId, list } = await takePatientWith(subject, listAppointmentsB);
        const minutesDuration = String(2 * Number(last.minutesDuration));
        const { status } = await subject.send(toRequestB({ ...buildBookingB(patientId, last), minutesDuration }));
        assert.ok(
          status === 409 || status === 422,
          `${toStart(last)} is booked for ${minutesDuration} minutes: ${status}`,
        );
        await expectFree(subject, last, 'after the refused booking');
        assert.deepEqual(await list(), []);
      }
    },
  }),
  defineCase({ ...createBase, rule: 'one-practitioner' }, 'appointments.b.create-two', {
    title: 'create takes the time of every named practitioner',
    run: async (subject) => {
      const [slot, other] = await findSimultaneousSlots(subject);
      const { id: patientId, list } = await takePatientWith(subject, listAppointmentsB);
      await expectFree(subject, other, 'in a second search before the booking');
      const practitionersIds = [slot.practitionerId, other.practitionerId];
      await bookB(subject, { ...buildBookingB(patientId, slot), practitionersIds });
      assert.deepEqual((await list())[0]?.practitionersIds, practitionersIds);
      await expectTaken(subject, slot, 'after the booking');
      await expectTaken(subject, other, 'after the booking');
    },
  }),
  defineCase(createBase, 'appointments.b.create-two-busy', {
    title: 'create takes no practitioner’s time if one of them is busy',
    run: async (subject) => {
      const [slot, other] = await findSimultaneousSlots(subject);
      await bookB(subject, buildBookingB(await takePatient(subject), other));
      const { id: patientId, list } = await takePatientWith(subject, listAppointmentsB);
      const practitionersIds = [slot.practitionerId, other.practitionerId];
      const ofBoth = toRequestB({ ...buildBookingB(patientId, slot), practitionersIds });
      await expectProblem(subject, ofBoth, 409, 'slot_taken');
      await expectFree(subject, slot, 'after the refused booking');
      assert.deepEqual(await list(), []);
    },
  }),
  defineCase({ ...offerBase, section: '3', rule: 'one-practitioner' }, 'appointments.b.create-two-canceled', {
    requires: ['appointments.cancel'],
    title: 'a cancellation releases the time of every practitioner',
    run: async (subject) => {
      const slots = await findSimultaneousSlots(subject);
      await expectFreed(subject, slots, { practitionersIds: slots.map(({ practitionerId }) => practitionerId) });
    },
  }),
  defineCase({ ...offerBase, section: '3', rule: 'one-slot' }, 'appointments.b.create-span-canceled', {
    requires: ['appointments.cancel'],
    title: 'a cancellation releases every slot of a longer appointment',
    run: async (subject) => {
      const slots = await findAdjacentSlots(subject);
      await expectFreed(subject, slots, { minutesDuration: computeMinutes(slots) });
    },
  }),
  defineCase({ ...createBase, level: 'write', rule: 'free-slots-alone' }, 'appointments.b.create-disagrees', {
    title: 'create refuses an offer whose time differs from the booking',
    run: async (subject) => {
      const slots = await listSlotsB(subject);
      const slot = pickAny(slots);
      const others = slots.filter((each) => toStart(each) !== toStart(slot));
      const other = pickAny(others, 'free slots at two times');
      const { id: patientId, list } = await takePatientWith(subject, listAppointmentsB);
      const body = { ...buildBookingB(patientId, slot), appointmentId: other.appointmentId };
      await expectFault(subject, toRequestB(body), 'body /appointmentId');
      assert.deepEqual(await list(), []);
      await expectFree(subject, slot, 'after the refused booking');
    },
  }),
  defineCase({ ...offerBase, level: 'write', rule: 'free-slots-alone' }, 'appointments.b.create-other-offer', {
    title: 'create names the offer if it belongs to another service',
    run: async (subject) => {
      const slot = pickAny(await listSlotsB(subject));
      const body = { ...buildBookingB(await takePatient(subject), slot), hcsId: subject.fixtures.services.second };
      const mixed = toRequestB({ ...body, appointmentId: slot.appointmentId });
      await expectFault(subject, mixed, 'body /appointmentId');
    },
  }),
  defineCase({ ...offerBase, level: 'write' }, 'appointments.b.create-several-unknown-things', {
    title: 'create names the first unknown record of patient, service, practitioner, location and coverage',
    run: async (subject) => {
      const { unknown } = subject.fixtures;
      const body = buildBookingB(await takePatient(subject), pickAny(await listSlotsB(subject)));
      const wrong = { hcsId: unknown, practitionersIds: [unknown], locationId: unknown, patientCoverageId: unknown };
      const fields = Object.entries(wrong);
      await expectProblem(subject, toRequestB({ ...body, ...wrong, patientId: unknown }), 404, 'not_found');
      for (const [index, [field]] of fields.entries()) {
        const several = { ...body, ...Object.fromEntries(fields.slice(index)) };
        await expectFault(subject, toRequestB(several), `body /${field}`);
      }
    },
  }),
  defineCase({ ...offerBase, level: 'write', rule: 'free-slots-alone' }, 'appointments.b.create-unknown-things', {
    title: 'create answers 404 for an unknown patient, and names any other field whose record does not exist',
    run: async (subject) => {
      const { unknown } = subject.fixtures;
      const slot = pickAny(await listSlotsB(subject));
      const body = buildBookingB(await takePatient(subject), slot);
      await expectProblem(subject, toRequestB({ ...body, patientId: unknown }), 404, 'not_found');
      for (const field of ['hcsId', 'locationId', 'patientCoverageId', 'appointmentId']) {
        await expectFault(subject, toRequestB({ ...body, [field]: unknown }), `body /${field}`);
      }
      const practitionersIds = [slot.practitionerId, unknown];
      await expectFault(subject, toRequestB({ ...body, practitionersIds }), 'body /practitionersIds');
      await expectFree(subject, slot, 'after the refused booking');
    },
  }),
  defineCase({ ...offerBase, level: 'write', rule: 'free-slots-alone' }, 'appointments.b.create-no-such-slot', {
    title: 'create refuses a time or a location for which no slot was ever offered',
    run: async (subject) => {
      const { first, another } = subject.fixtures.locations;
      const slot = pickAny(await listSlotsB(subject, { locationId: first }));
      const body = buildBookingB(await takePatient(subject), slot);
      await expectFault(
        subject,
        toRequestB({ ...body, appointmentStart: '03:07' }),
        'body /appointmentStart',
        'slot_unknown',
      );
      await expectFault(
        subject,
        toRequestB({ ...body, locationId: another }),
        ['body /locationId', 'body /appointmentStart'],
        'slot_unknown',
      );
    },
  }),
  defineCase(createBase, 'appointments.b.booked-in-a', {
    title: 'an appointment of Group A is listed in Group B, with the id of its Location header',
    run: async (subject) => {
      const slot = await findFreeSlot(subject);
      const { id: patientId, list } = await takePatientWith(subject, listAppointmentsB);
      const id = await bookA(subject, patientId, slot);
      const listed = await list();
      assert.deepEqual(
        listed.map((row) => ({ id: row.id, date: toStart(row) })),
        [{ id, date: slot.date }],
      );
    },
  }),
];

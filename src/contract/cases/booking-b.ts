import assert from 'node:assert/strict';
import {
  bookA,
  bookB,
  bookWithPayment,
  buildBookingB,
  buildCancellation,
  createCoverage,
  findFreeSlot,
  findSimultaneousSlots,
  pickAny,
  takePatient,
  takePatientWith,
} from '../arrange.ts';
import { type Case, defineCase } from '../case.ts';
import { expectFault, expectProblem, getBody } from '../expect.ts';
import { isOfferedInB, listAppointmentsB, listSlotsB, type SlotB, toStart } from '../queries.ts';
import type { Request, Subject } from '../subject.ts';

const toRequest = (body: object): Request => ({ route: 'POST /v1/appointments', body });

const addMinutes = (start: string, minutes: number): string =>
  new Date(Date.parse(`${start}Z`) + minutes * 60_000).toISOString().slice(0, 19);

/** Two free slots of one practitioner at one location, the second beginning when the first ends. */
async function findAdjacentSlots(subject: Subject): Promise<[SlotB, SlotB]> {
  const slots = await listSlotsB(subject);
  const findNext = ({ practitionerId, locationId, minutesDuration, ...slot }: SlotB) =>
    slots.find(
      (other) =>
        other.practitionerId === practitionerId &&
        other.locationId === locationId &&
        toStart(other) ===
          addMinutes(toStart({ ...slot, practitionerId, locationId, minutesDuration }), Number(minutesDuration)),
    );
  return pickAny(
    slots.flatMap((slot): [SlotB, SlotB][] => {
      const second = findNext(slot);
      return second ? [[slot, second]] : [];
    }),
  );
}

const computeMinutes = (slots: readonly SlotB[]): string =>
  String(slots.reduce((minutes, { minutesDuration }) => minutes + Number(minutesDuration), 0));

const createBase = {
  level: 'destructive',
  needs: 'appointments.book',
  requires: ['appointments.slots', 'appointments.list'],
  section: '4.B',
} as const;

/** Of which the offers show what came of it. */
const offerBase = { ...createBase, requires: ['appointments.slots'] } as const;

/** Booking in Group B. */
export const bookingCasesB: readonly Case[] = [
  defineCase(createBase, 'appointments.b.create', {
    requires: ['insurance.create'],
    title: 'create takes the slot and keeps all that was given, or answers 501 to a copay or an authorisation',
    run: async (subject) => {
      const slot = pickAny(await listSlotsB(subject));
      const { id: patientId, list } = await takePatientWith(subject, listAppointmentsB);
      const patientCoverageId = await createCoverage(subject, patientId);
      assert.deepEqual(await list(), []);
      const given = { ...buildBookingB(patientId, slot), patientCoverageId };
      const { id, kept } = await bookWithPayment(subject, { ...given, appointmentId: slot.appointmentId }, true);
      assert.deepEqual(await list(), [{ id, ...given, ...kept, appointmentStatus: 'active', modality: slot.modality }]);
      assert.ok(!(await isOfferedInB(subject, slot)));
    },
  }),
  defineCase(createBase, 'appointments.b.create-least', {
    title:
      'create needs no coverage, duration, location or offer: the patient pays for one slot, at the place of the slot',
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
  defineCase(createBase, 'appointments.b.create-span', {
    title: 'create takes several slots in a row for a longer appointment',
    rule: 'one-slot',
    run: async (subject) => {
      const [first, second] = await findAdjacentSlots(subject);
      const { id: patientId, list } = await takePatientWith(subject, listAppointmentsB);
      const minutesDuration = computeMinutes([first, second]);
      await bookB(subject, { ...buildBookingB(patientId, first), minutesDuration });
      assert.equal((await list())[0]?.minutesDuration, minutesDuration);
      assert.ok(!(await isOfferedInB(subject, first)));
      assert.ok(!(await isOfferedInB(subject, second)));
    },
  }),
  defineCase(createBase, 'appointments.b.create-span-taken', {
    title: 'create takes none of several slots when one of them is taken',
    run: async (subject) => {
      const [first, second] = await findAdjacentSlots(subject);
      await bookB(subject, buildBookingB(await takePatient(subject), second));
      const { id: patientId, list } = await takePatientWith(subject, listAppointmentsB);
      const minutesDuration = computeMinutes([first, second]);
      await expectProblem(
        subject,
        toRequest({ ...buildBookingB(patientId, first), minutesDuration }),
        409,
        'slot_taken',
      );
      assert.ok(await isOfferedInB(subject, first));
      assert.deepEqual(await list(), []);
    },
  }),
  defineCase(createBase, 'appointments.b.create-two', {
    title: 'create takes the time of every practitioner who is named',
    rule: 'one-practitioner',
    run: async (subject) => {
      const [slot, other] = await findSimultaneousSlots(subject);
      const { id: patientId, list } = await takePatientWith(subject, listAppointmentsB);
      assert.ok(await isOfferedInB(subject, other));
      const practitionersIds = [slot.practitionerId, other.practitionerId];
      await bookB(subject, { ...buildBookingB(patientId, slot), practitionersIds });
      assert.deepEqual((await list())[0]?.practitionersIds, practitionersIds);
      assert.ok(!(await isOfferedInB(subject, slot)));
      assert.ok(!(await isOfferedInB(subject, other)));
    },
  }),
  defineCase(createBase, 'appointments.b.create-two-busy', {
    title: 'create takes nobody’s time when one of the practitioners is busy',
    run: async (subject) => {
      const [slot, other] = await findSimultaneousSlots(subject);
      await bookB(subject, buildBookingB(await takePatient(subject), other));
      const { id: patientId, list } = await takePatientWith(subject, listAppointmentsB);
      const practitionersIds = [slot.practitionerId, other.practitionerId];
      await expectProblem(
        subject,
        toRequest({ ...buildBookingB(patientId, slot), practitionersIds }),
        409,
        'slot_taken',
      );
      assert.ok(await isOfferedInB(subject, slot));
      assert.deepEqual(await list(), []);
    },
  }),
  defineCase(offerBase, 'appointments.b.create-two-canceled', {
    requires: ['appointments.cancel'],
    section: '3',
    title: 'canceling frees the time of every practitioner and of every slot',
    rule: 'one-practitioner',
    run: async (subject) => {
      const [simultaneous, adjacent] = [await findSimultaneousSlots(subject), await findAdjacentSlots(subject)];
      const practitionersIds = simultaneous.map(({ practitionerId }) => practitionerId);
      const minutesDuration = computeMinutes(adjacent);
      for (const [slots, long] of [
        [simultaneous, { practitionersIds }],
        [adjacent, { minutesDuration }],
      ] as const) {
        const id = await takePatient(subject);
        const appointment_id = await bookB(subject, { ...buildBookingB(id, slots[0]), ...long });
        await getBody(subject, buildCancellation(id, appointment_id));
        for (const slot of slots) assert.ok(await isOfferedInB(subject, slot));
      }
    },
  }),
  defineCase(createBase, 'appointments.b.create-disagrees', {
    level: 'write',
    title: 'create refuses an offer that does not agree with the time',
    rule: 'free-slots-alone',
    run: async (subject) => {
      const [slot, other] = await findAdjacentSlots(subject);
      const { id: patientId, list } = await takePatientWith(subject, listAppointmentsB);
      const body = { ...buildBookingB(patientId, slot), appointmentId: other.appointmentId };
      await expectFault(subject, toRequest(body), 'body /appointmentId');
      assert.deepEqual(await list(), []);
      assert.ok(await isOfferedInB(subject, slot));
    },
  }),
  defineCase(offerBase, 'appointments.b.create-other-offer', {
    level: 'write',
    title: 'create says so at the offer when it is of another service',
    rule: 'free-slots-alone',
    run: async (subject) => {
      const slot = pickAny(await listSlotsB(subject));
      const body = { ...buildBookingB(await takePatient(subject), slot), appointmentId: slot.appointmentId };
      await expectFault(
        subject,
        toRequest({ ...body, hcsId: subject.fixtures.services.second }),
        'body /appointmentId',
      );
    },
  }),
  defineCase(offerBase, 'appointments.b.create-several-unknown-things', {
    level: 'write',
    title: 'of several things that do not exist create names the patient, service, practitioner, location or coverage',
    run: async (subject) => {
      const { unknown } = subject.fixtures;
      const body = buildBookingB(await takePatient(subject), pickAny(await listSlotsB(subject)));
      const wrong = { hcsId: unknown, practitionersIds: [unknown], locationId: unknown, patientCoverageId: unknown };
      const fields = Object.entries(wrong);
      await expectProblem(subject, toRequest({ ...body, ...wrong, patientId: unknown }), 404, 'not_found');
      for (const [index, [field]] of fields.entries()) {
        const several = { ...body, ...Object.fromEntries(fields.slice(index)) };
        await expectFault(subject, toRequest(several), `body /${field}`);
      }
    },
  }),
  defineCase(offerBase, 'appointments.b.create-unknown-things', {
    level: 'write',
    title: 'create answers 404 for an unknown patient, and names any other field whose thing does not exist',
    rule: 'free-slots-alone',
    run: async (subject) => {
      const { unknown } = subject.fixtures;
      const slot = pickAny(await listSlotsB(subject));
      const body = buildBookingB(await takePatient(subject), slot);
      await expectProblem(subject, toRequest({ ...body, patientId: unknown }), 404, 'not_found');
      for (const field of ['hcsId', 'locationId', 'patientCoverageId', 'appointmentId']) {
        await expectFault(subject, toRequest({ ...body, [field]: unknown }), `body /${field}`);
      }
      const practitionersIds = [slot.practitionerId, unknown];
      await expectFault(subject, toRequest({ ...body, practitionersIds }), 'body /practitionersIds');
      assert.ok(await isOfferedInB(subject, slot));
    },
  }),
  defineCase(offerBase, 'appointments.b.create-no-such-slot', {
    level: 'write',
    title: 'create refuses a time or a place at which nobody ever offered a slot',
    rule: 'free-slots-alone',
    run: async (subject) => {
      const { first, another } = subject.fixtures.locations;
      const slot = pickAny(await listSlotsB(subject, { locationId: first }));
      const body = buildBookingB(await takePatient(subject), slot);
      for (const wrong of [{ appointmentStart: '03:07' }, { locationId: another }]) {
        await expectFault(subject, toRequest({ ...body, ...wrong }), 'body /appointmentStart', 'slot_unknown');
      }
    },
  }),
  defineCase(createBase, 'appointments.b.booked-in-a', {
    title: 'an appointment of Group A is listed in Group B, with the id that its Location names',
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

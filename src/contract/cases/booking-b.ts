import assert from 'node:assert/strict';
import { anyOf, bookA, bookingA, bookingB, freeSlot, freshCoverage, freshPatient } from '../arrange.ts';
import type { Case } from '../case.ts';
import { answer, faulty, refused } from '../expect.ts';
import { appointmentsB, isOfferedInB, type SlotA, type SlotB, slotSearch, slotsB, startOf } from '../shown.ts';
import type { Request, Subject } from '../subject.ts';

const creating = (body: object): Request => ({ route: 'POST /v1/appointments', body });

const create = async (subject: Subject, body: object): Promise<string> =>
  (await answer<{ model: { id: string } }>(subject, creating(body), 201)).model.id;

const minutesLater = (start: string, minutes: number): string =>
  new Date(Date.parse(`${start}Z`) + minutes * 60_000).toISOString().slice(0, 19);

/** Two free slots of one practitioner at one location, the second beginning where the first ends. */
async function adjacent(subject: Subject): Promise<[SlotB, SlotB]> {
  const slots = await slotsB(subject);
  const next = ({ practitionerId, locationId, minutesDuration, ...slot }: SlotB) =>
    slots.find(
      (other) =>
        other.practitionerId === practitionerId &&
        other.locationId === locationId &&
        startOf(other) ===
          minutesLater(startOf({ ...slot, practitionerId, locationId, minutesDuration }), Number(minutesDuration)),
    );
  return anyOf(
    slots.flatMap((slot): [SlotB, SlotB][] => {
      const second = next(slot);
      return second ? [[slot, second]] : [];
    }),
  );
}

/** A free slot of the bookable service at a time when the second practitioner has one too, and that other slot. */
async function together(subject: Subject): Promise<[SlotB, SlotB]> {
  const [slots, others] = await Promise.all([
    slotsB(subject),
    slotsB(subject, { hcsId: subject.fixtures.services.second }),
  ]);
  return anyOf(
    slots.flatMap((slot): [SlotB, SlotB][] => {
      const other = others.find((candidate) => startOf(candidate) === startOf(slot));
      return other ? [[slot, other]] : [];
    }),
  );
}

const creates = {
  level: 'destructive',
  needs: 'appointments.book',
  also: ['appointments.slots', 'appointments.list', 'patients.register'],
  section: '4.B',
} as const;

/** Booking in Group B. */
export const bookingCasesB: readonly Case[] = [
  {
    ...creates,
    also: [...creates.also, 'insurance.create'],
    id: 'appointments.b.create',
    title: 'create takes the slot and keeps all that was given',
    run: async (subject) => {
      const slot = anyOf(await slotsB(subject));
      const patientId = await freshPatient(subject);
      const patientCoverageId = await freshCoverage(subject, patientId);
      assert.deepEqual(await appointmentsB(subject, patientId), []);
      const extra = { patientCoverageId, copay: 1500.5, authorization: true };
      const id = await create(subject, { ...bookingB(patientId, slot), ...extra, appointmentId: slot.appointmentId });
      assert.deepEqual(await appointmentsB(subject, patientId), [
        { id, ...bookingB(patientId, slot), ...extra, appointmentStatus: 'active', modality: slot.modality },
      ]);
      assert.ok(!(await isOfferedInB(subject, slot)));
    },
  },
  {
    ...creates,
    id: 'appointments.b.create-least',
    title: 'create needs no coverage, duration, location or offer: the patient pays for one slot',
    run: async (subject) => {
      const slot = anyOf(await slotsB(subject));
      const patientId = await freshPatient(subject);
      const { minutesDuration, locationId, ...least } = bookingB(patientId, slot);
      const id = await create(subject, least);
      const nothing = { patientCoverageId: null, copay: null, authorization: null };
      assert.deepEqual(await appointmentsB(subject, patientId), [
        { id, ...least, minutesDuration, locationId, ...nothing, appointmentStatus: 'active', modality: slot.modality },
      ]);
    },
  },
  {
    ...creates,
    id: 'appointments.b.create-span',
    title: 'create takes several slots in a row for a longer appointment',
    run: async (subject) => {
      const [first, second] = await adjacent(subject);
      const patientId = await freshPatient(subject);
      const minutesDuration = String(Number(first.minutesDuration) + Number(second.minutesDuration));
      await create(subject, { ...bookingB(patientId, first), minutesDuration });
      assert.equal((await appointmentsB(subject, patientId))[0]?.minutesDuration, minutesDuration);
      assert.ok(!(await isOfferedInB(subject, first)));
      assert.ok(!(await isOfferedInB(subject, second)));
    },
  },
  {
    ...creates,
    id: 'appointments.b.create-span-taken',
    title: 'create takes none of several slots when one of them is taken',
    run: async (subject) => {
      const [first, second] = await adjacent(subject);
      await create(subject, bookingB(await freshPatient(subject), second));
      const patientId = await freshPatient(subject);
      const minutesDuration = String(Number(first.minutesDuration) + Number(second.minutesDuration));
      await refused(subject, creating({ ...bookingB(patientId, first), minutesDuration }), 409, 'slot_taken');
      assert.ok(await isOfferedInB(subject, first));
      assert.deepEqual(await appointmentsB(subject, patientId), []);
    },
  },
  {
    ...creates,
    id: 'appointments.b.create-two',
    title: 'create takes the time of every practitioner who is named',
    run: async (subject) => {
      const [slot, other] = await together(subject);
      const patientId = await freshPatient(subject);
      assert.ok(await isOfferedInB(subject, other));
      const practitionersIds = [slot.practitionerId, other.practitionerId];
      await create(subject, { ...bookingB(patientId, slot), practitionersIds });
      assert.deepEqual((await appointmentsB(subject, patientId))[0]?.practitionersIds, practitionersIds);
      assert.ok(!(await isOfferedInB(subject, slot)));
      assert.ok(!(await isOfferedInB(subject, other)));
    },
  },
  {
    ...creates,
    id: 'appointments.b.create-two-busy',
    title: 'create takes nobody’s time when one of the practitioners is busy',
    run: async (subject) => {
      const [slot, other] = await together(subject);
      await create(subject, bookingB(await freshPatient(subject), other));
      const patientId = await freshPatient(subject);
      const practitionersIds = [slot.practitionerId, other.practitionerId];
      await refused(subject, creating({ ...bookingB(patientId, slot), practitionersIds }), 409, 'slot_taken');
      assert.ok(await isOfferedInB(subject, slot));
      assert.deepEqual(await appointmentsB(subject, patientId), []);
    },
  },
  {
    ...creates,
    also: [...creates.also, 'appointments.cancel'],
    section: '3',
    id: 'appointments.b.create-two-canceled',
    title: 'canceling frees the time of every practitioner and of every slot',
    run: async (subject) => {
      const [slot, other] = await together(subject);
      const patientId = await freshPatient(subject);
      const practitionersIds = [slot.practitionerId, other.practitionerId];
      const appointment_id = await create(subject, { ...bookingB(patientId, slot), practitionersIds });
      await answer(subject, {
        route: 'PUT /patients/{id}/appointments/{appointment_id}',
        params: { id: patientId, appointment_id },
        body: { status: 'canceled' },
      });
      assert.ok(await isOfferedInB(subject, slot));
      assert.ok(await isOfferedInB(subject, other));
    },
  },
  {
    ...creates,
    level: 'write',
    id: 'appointments.b.create-disagrees',
    title: 'create refuses an offer that does not agree with the time',
    run: async (subject) => {
      const [slot, other] = await adjacent(subject);
      const patientId = await freshPatient(subject);
      const body = { ...bookingB(patientId, slot), appointmentId: other.appointmentId };
      await faulty(subject, creating(body), 'body /appointmentId');
      assert.deepEqual(await appointmentsB(subject, patientId), []);
      assert.ok(await isOfferedInB(subject, slot));
    },
  },
  {
    ...creates,
    level: 'write',
    id: 'appointments.b.create-unknown-things',
    title: 'create answers 404 for an unknown patient, and names any other field whose thing does not exist',
    run: async (subject) => {
      const { unknown } = subject.fixtures;
      const slot = anyOf(await slotsB(subject));
      const body = bookingB(await freshPatient(subject), slot);
      await refused(subject, creating({ ...body, patientId: unknown }), 404, 'not_found');
      for (const field of ['hcsId', 'locationId', 'patientCoverageId', 'appointmentId']) {
        await faulty(subject, creating({ ...body, [field]: unknown }), `body /${field}`);
      }
      const practitionersIds = [slot.practitionerId, unknown];
      await faulty(subject, creating({ ...body, practitionersIds }), 'body /practitionersIds');
      assert.ok(await isOfferedInB(subject, slot));
    },
  },
  {
    ...creates,
    level: 'write',
    id: 'appointments.b.create-no-such-slot',
    title: 'create refuses a time at which nobody ever offered a slot',
    run: async (subject) => {
      const slot = anyOf(await slotsB(subject));
      const body = { ...bookingB(await freshPatient(subject), slot), appointmentStart: '03:07' };
      await faulty(subject, creating(body), 'body /appointmentStart', 'slot_unknown');
    },
  },
  {
    ...creates,
    id: 'appointments.b.create-parallel',
    title: 'of twenty parallel bookings of one slot through both groups one succeeds',
    run: async (subject) => {
      const slot = await freeSlot(subject);
      const offer = await offerOf(subject, slot);
      const patients = await Promise.all(Array.from({ length: 20 }, () => freshPatient(subject)));
      const requests = patients.map((id, index): Request => {
        if (index % 2 === 0) return creating(bookingB(id, offer));
        return { route: 'POST /patients/{id}/appointments', params: { id }, body: bookingA(slot) };
      });
      const statuses = (await Promise.all(requests.map(subject.send))).map(({ status }) => status);
      assert.deepEqual(statuses.toSorted(), [201, ...Array.from({ length: 19 }, () => 409)]);
      assert.equal((await Promise.all(patients.map((id) => appointmentsB(subject, id)))).flat().length, 1);
    },
  },
  {
    ...creates,
    id: 'appointments.b.booked-in-a',
    title: 'an appointment of Group A is listed in Group B, with the id that its Location names',
    run: async (subject) => {
      const slot = await freeSlot(subject);
      const patientId = await freshPatient(subject);
      const id = await bookA(subject, patientId, slot);
      const listed = await appointmentsB(subject, patientId);
      assert.deepEqual(
        listed.map((row) => ({ id: row.id, date: startOf(row) })),
        [{ id, date: slot.date }],
      );
    },
  },
];

/** The offer of Group B that is the slot of Group A. */
async function offerOf(subject: Subject, { date, practitioner_id, location_id }: SlotA): Promise<SlotB> {
  const day = date.slice(0, 10);
  const offers = await slotsB(subject, { ...slotSearch(subject), dateConfig: { dateFrom: day, dateTo: day } });
  return anyOf(
    offers.filter(
      (offer) =>
        startOf(offer) === date && offer.practitionerId === practitioner_id && offer.locationId === location_id,
    ),
  );
}

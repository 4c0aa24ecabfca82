import assert from 'node:assert/strict';
import {
  bookA,
  bookB,
  buildBookingB,
  buildCancellation,
  findFreeSlot,
  takePatient,
  takePatientWith,
} from '../arrange.ts';
import { type Case, defineCase } from '../case.ts';
import { expectFault, expectProblem, expectPromised, getBody } from '../expect.ts';
import {
  checkPages,
  computeDayAhead,
  expectFree,
  expectTaken,
  listAppointmentsA,
  listAppointmentsB,
  listSlotsB,
  pickBelow,
  toStart,
} from '../queries.ts';
import type { SlotB } from '../resources.ts';
import type { Query, Request, Subject } from '../subject.ts';
import { Skipped } from '../thrown.ts';

const listBase = { level: 'safe', needs: 'appointments.list' } as const;

/** Listing in Group A. */
export const appointmentCases: readonly Case[] = [
  defineCase(listBase, 'appointments.list.none', {
    title: 'list returns an empty list for a patient without appointments',
    run: async (subject) => assert.deepEqual(await listAppointmentsA(subject, subject.fixtures.patients.bare), []),
  }),
  defineCase(listBase, 'appointments.list.order', {
    title: 'list returns past, future and canceled appointments by date',
    run: async (subject) => {
      const listed = await listAppointmentsA(subject, subject.fixtures.patients.complete);
      const dates = listed.map(({ date }) => date);
      assert.deepEqual(dates, dates.toSorted());
      const today = computeDayAhead(subject, 0);
      for (const [isThere, what] of [
        [dates.some((date) => date < today), 'past'],
        [dates.some((date) => date > today), 'future'],
      ] as const) {
        expectPromised(isThere, `a ${what} appointment of patients.complete`);
      }
      assert.deepEqual(new Set(listed.map(({ status }) => status)), new Set(['active', 'canceled']));
    },
  }),
  defineCase(listBase, 'appointments.list.payment', {
    fixtures: ['patients.payer'],
    title: 'list returns the payment of an appointment',
    run: async (subject) => {
      const listed = await listAppointmentsA(subject, subject.fixtures.patients.payer);
      const payment = listed.map(({ payments }) => payments).find(({ link }) => link !== undefined);
      assert.match(payment?.link ?? '', /^https?:/);
      assert.notEqual(payment?.status, '', 'the status of the payment is empty');
    },
  }),
];

const toRequest = (query: Query): Request => ({ route: 'GET /v1/appointments', query });

const listBaseB = { level: 'safe', needs: 'appointments.list', section: '4.B' } as const;

/** Listing in Group B. */
export const appointmentCasesB: readonly Case[] = [
  defineCase(listBaseB, 'appointments.b.same', {
    title: 'both groups list the same appointments',
    run: async (subject) => {
      const id = subject.fixtures.patients.complete;
      const ofA = await listAppointmentsA(subject, id);
      const ofB = await listAppointmentsB(subject, id);
      assert.deepEqual(
        ofB.map((row) => ({ id: row.id, date: toStart(row), status: row.appointmentStatus, patient: row.patientId })),
        ofA.map(({ id: appointment, date, status }) => ({ id: appointment, date, status, patient: id })),
      );
    },
  }),
  defineCase(listBaseB, 'appointments.b.order', {
    title: 'appointments are sorted by start, ascending unless the request has DESC',
    run: async (subject) => {
      const id = subject.fixtures.patients.complete;
      const starts = (await listAppointmentsB(subject, id)).map(toStart);
      expectPromised(starts.length > 1, 'a second appointment of patients.complete');
      assert.deepEqual(starts, starts.toSorted());
      assert.deepEqual((await listAppointmentsB(subject, id, { sortDirection: 'ASC' })).map(toStart), starts);
      assert.deepEqual(
        (await listAppointmentsB(subject, id, { sortDirection: 'DESC' })).map(toStart),
        starts.toReversed(),
      );
    },
  }),
  defineCase({ ...listBaseB, section: '8' }, 'appointments.b.pages', {
    title: 'the pages of the appointments count from 0, contain each appointment once, and have the total',
    run: (subject) => checkPages(subject, toRequest({ patientId: subject.fixtures.patients.complete })),
  }),
];

/** A day on which one practitioner has three free slots at one place, and what of them is free from then on. */
async function findSlotsOfDay(subject: Subject) {
  const toPlace = ({ practitionerId, locationId, appointmentDate }: SlotB) =>
    [practitionerId, locationId, appointmentDate].join(' ');
  const places = [...Map.groupBy(await listSlotsB(subject), toPlace).values()].filter(({ length }) => length >= 3);
  const [one, two, three, ...rest] = places[pickBelow(places.length)] ?? [];
  if (!one || !two || !three) throw new Skipped('no practitioner has three free slots on a day');
  const { practitionerId, locationId, appointmentDate: day } = one;
  const list = () => listSlotsB(subject, { practitionerId, locationId, dateConfig: { dateFrom: day, dateTo: day } });
  return [[one, two, three, ...rest] as const, list] as const;
}

const cancelBase = {
  level: 'destructive',
  needs: 'appointments.cancel',
  requires: ['appointments.slots', 'appointments.list', 'appointments.book'],
  section: '3',
} as const;
const freeBase = { ...cancelBase, requires: ['appointments.slots', 'appointments.book'] } as const;
const lateBase = {
  level: 'destructive',
  needs: 'appointments.cancel',
  requires: ['appointments.list'],
  section: '3',
} as const;

/** Canceling, which only Group A has. */
export const cancellingCases: readonly Case[] = [
  defineCase(cancelBase, 'appointments.cancel.frees', {
    title: 'cancel returns the appointment as canceled and offers its slot again',
    run: async (subject) => {
      const slot = await findFreeSlot(subject);
      const { id, list } = await takePatientWith(subject, listAppointmentsA);
      const appointmentId = await bookA(subject, id, slot);
      await expectTaken(subject, slot, 'after the booking');
      assert.deepEqual(await getBody(subject, buildCancellation(id, appointmentId)), {});
      assert.deepEqual(
        (await list()).map(({ id, status }) => ({ id, status })),
        [{ id: appointmentId, status: 'canceled' }],
      );
      await expectFree(subject, slot, 'after the cancellation');
      await bookA(subject, await takePatient(subject), slot);
    },
  }),
  defineCase({ ...freeBase, section: '2' }, 'appointments.cancel.alone', {
    title: 'book takes the time of its own slot alone, and cancel frees no other',
    run: async (subject) => {
      const [slots, list] = await findSlotsOfDay(subject);
      const book = async (slot: SlotB) => {
        const id = await takePatient(subject);
        return [id, await bookB(subject, buildBookingB(id, slot))] as const;
      };
      const [one, , other] = slots;
      const mine = await book(one);
      await book(other);
      const expectFree = async (taken: readonly SlotB[], message: string) => {
        const free = slots.filter((slot) => !taken.includes(slot)).map(toStart);
        assert.deepEqual((await list()).map(toStart), free, message);
      };
      await expectFree([one, other], 'a booking takes other time than its own');
      await getBody(subject, buildCancellation(...mine));
      await expectFree([other], 'a cancellation frees other time than its own');
    },
  }),
  defineCase(cancelBase, 'appointments.cancel.twice', {
    title: 'cancel of a canceled appointment answers 200 and changes nothing',
    run: async (subject) => {
      const slot = await findFreeSlot(subject);
      const { id, list } = await takePatientWith(subject, listAppointmentsA);
      const appointmentId = await bookA(subject, id, slot);
      await getBody(subject, buildCancellation(id, appointmentId));
      await bookA(subject, await takePatient(subject), slot);
      const before = await list();
      assert.deepEqual(await getBody(subject, buildCancellation(id, appointmentId)), {});
      assert.deepEqual(await list(), before);
      await expectTaken(subject, slot, 'after a second cancellation, although the next patient has booked it');
    },
  }),
  defineCase(cancelBase, 'appointments.cancel.other-patient', {
    title: 'cancel answers 404 for an appointment of another patient, and leaves it active',
    run: async (subject) => {
      const { id, list } = await takePatientWith(subject, listAppointmentsA);
      const appointmentId = await bookA(subject, id, await findFreeSlot(subject));
      await expectProblem(subject, buildCancellation(await takePatient(subject), appointmentId), 404, 'not_found');
      assert.equal((await list())[0]?.status, 'active');
    },
  }),
  defineCase(cancelBase, 'appointments.cancel.status', {
    title: 'cancel accepts only the status canceled',
    run: async (subject) => {
      const { id, list } = await takePatientWith(subject, listAppointmentsA);
      const request = buildCancellation(id, await bookA(subject, id, await findFreeSlot(subject)));
      await expectFault(subject, { ...request, body: { status: 'active' } }, 'body /status');
      assert.equal((await list())[0]?.status, 'active');
    },
  }),
  defineCase(lateBase, 'appointments.cancel.too-late', {
    title: 'cancel refuses an appointment that is not cancelable',
    run: async (subject) => {
      const id = subject.fixtures.patients.complete;
      const before = await listAppointmentsA(subject, id);
      const past = before.find(({ cancelable, status }) => status === 'active' && !cancelable);
      expectPromised(past, 'a past appointment of patients.complete');
      await expectProblem(subject, buildCancellation(id, past.id), 409, 'not_cancelable');
      assert.deepEqual(await listAppointmentsA(subject, id), before);
    },
  }),
];

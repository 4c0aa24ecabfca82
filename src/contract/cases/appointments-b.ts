import assert from 'node:assert/strict';
import { type Case, defineCase } from '../case.ts';
import { checkPages } from '../pages.ts';
import { listAppointmentsA, listAppointmentsB, toStart } from '../queries.ts';
import type { Query, Request } from '../subject.ts';

const toRequest = (query: Query): Request => ({ route: 'GET /v1/appointments', query });

const listBase = { level: 'safe', needs: 'appointments.list', section: '4.B' } as const;

/** Listing in Group B. */
export const appointmentCasesB: readonly Case[] = [
  defineCase(listBase, 'appointments.b.same', {
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
  defineCase(listBase, 'appointments.b.from', {
    title: 'dateFrom narrows to appointments on that day or later',
    run: async (subject) => {
      const id = subject.fixtures.patients.complete;
      const all = await listAppointmentsB(subject, id);
      const dateFrom = all[1]?.appointmentDate ?? '';
      const since = all.filter(({ appointmentDate }) => appointmentDate >= dateFrom);
      assert.ok(since.length > 0 && since.length < all.length);
      assert.deepEqual(await listAppointmentsB(subject, id, { dateFrom }), since);
    },
  }),
  defineCase(listBase, 'appointments.b.status', {
    title: 'appointmentStatus narrows to active or canceled appointments',
    run: async (subject) => {
      const id = subject.fixtures.patients.complete;
      const all = await listAppointmentsB(subject, id);
      for (const status of ['active', 'canceled']) {
        const some = all.filter(({ appointmentStatus }) => appointmentStatus === status);
        assert.ok(some.length > 0);
        assert.deepEqual(await listAppointmentsB(subject, id, { appointmentStatus: status }), some);
      }
    },
  }),
  defineCase(listBase, 'appointments.b.order', {
    title: 'appointments are sorted by start, ascending unless DESC is asked for',
    run: async (subject) => {
      const id = subject.fixtures.patients.complete;
      const starts = (await listAppointmentsB(subject, id)).map(toStart);
      assert.ok(starts.length > 1);
      assert.deepEqual(starts, starts.toSorted());
      assert.deepEqual((await listAppointmentsB(subject, id, { sortDirection: 'ASC' })).map(toStart), starts);
      assert.deepEqual(
        (await listAppointmentsB(subject, id, { sortDirection: 'DESC' })).map(toStart),
        starts.toReversed(),
      );
    },
  }),
  defineCase(listBase, 'appointments.b.pages', {
    section: '8',
    title: 'the pages of the appointments count from 0, hold each of them once and tell how many there are',
    run: (subject) => checkPages(subject, toRequest({ patientId: subject.fixtures.patients.complete })),
  }),
];

import assert from 'node:assert/strict';
import { type Case, defineCase } from '../case.ts';
import { computeDayAhead } from '../days.ts';
import { listAppointmentsA } from '../queries.ts';

const listBase = { level: 'safe', needs: 'appointments.list', section: '4.A' } as const;

/** Listing in Group A. */
export const appointmentCases: readonly Case[] = [
  defineCase(listBase, 'appointments.list.none', {
    title: 'list answers an empty list for a patient without appointments',
    run: async (subject) => assert.deepEqual(await listAppointmentsA(subject, subject.fixtures.patients.bare), []),
  }),
  defineCase(listBase, 'appointments.list.order', {
    title: 'list shows past, future and canceled appointments by date',
    run: async (subject) => {
      const listed = await listAppointmentsA(subject, subject.fixtures.patients.complete);
      const dates = listed.map(({ date }) => date);
      assert.deepEqual(dates, dates.toSorted());
      const today = computeDayAhead(subject, 0);
      assert.ok(dates.some((date) => date < today) && dates.some((date) => date > today));
      assert.deepEqual(new Set(listed.map(({ status }) => status)), new Set(['active', 'canceled']));
    },
  }),
  defineCase(listBase, 'appointments.list.payment', {
    fixtures: ['patients.payer'],
    title: 'list shows how an appointment was paid for',
    run: async (subject) => {
      const listed = await listAppointmentsA(subject, subject.fixtures.patients.payer);
      const payment = listed.map(({ payments }) => payments).find(({ link }) => link !== undefined);
      assert.match(payment?.link ?? '', /^https?:/);
      assert.ok(payment?.status);
    },
  }),
];

import assert from 'node:assert/strict';
import type { Instant } from '../../ports/index.ts';
import { bookA, findFreeSlot, registerPatient, takePatient } from '../arrange.ts';
import { type Case, definePortCase } from '../case.ts';
import { computeDayAhead, toDay, toInstant, toSlashDay } from '../days.ts';
import type { PortsSubject } from '../ports-subject.ts';

const addMinutes = (moment: Instant, minutes: number): Instant =>
  new Date(Date.parse(moment) + minutes * 60_000).toISOString();

/** The last and the first minute of the institution's days around the beginning of this one. */
const findMidnight = (subject: PortsSubject, day: string): readonly [Instant, Instant] => {
  const midnight = toInstant(subject, `${day}T00:00:00`);
  return [addMinutes(midnight, -1), addMinutes(midnight, 1)];
};

/** Days begin at midnight of the institution's zone, and at no other. */
export const midnightCases: readonly Case[] = [
  definePortCase(
    {
      level: 'destructive',
      needs: 'appointments.list',
      requires: ['appointments.book', 'appointments.slots'],
      prefers: ['patients.register'],
      section: '2',
    },
    'ports.midnight.cancelable',
    {
      title: 'list: what is cancelable does not change at midnight of UTC',
      run: async (subject) => {
        const slot = await findFreeSlot(subject);
        const patientId = await takePatient(subject);
        const booked = await bookA(subject, patientId, slot);
        const start = toInstant(subject, slot.date);
        const isCancelable = async (now: Instant) => {
          const call = subject.createCall({ now });
          const { items } = await subject.getPort('appointments').list(patientId, { order: 'ascending' }, call);
          return items.find(({ id }) => id === booked)?.cancelable;
        };
        for (const daysBefore of [0, 1, 2]) {
          const midnight = `${addMinutes(start, -daysBefore * 1440).slice(0, 10)}T00:00:00.000Z`;
          // At a round hour before its start it may become too late to cancel.
          if (midnight >= start || (Date.parse(start) - Date.parse(midnight)) % 3_600_000 === 0) continue;
          const [before, after] = [
            await isCancelable(addMinutes(midnight, -1)),
            await isCancelable(addMinutes(midnight, 1)),
          ];
          assert.equal(after, before, `${daysBefore} days before the appointment`);
        }
        assert.equal(await isCancelable(addMinutes(start, 1)), false);
      },
    },
  ),
  definePortCase({ level: 'safe', needs: 'appointments.slots', section: '2' }, 'ports.midnight.slots', {
    title: 'slots: those of today are offered until midnight of the institution, and the horizon counts from its day',
    run: async (subject) => {
      const { services } = subject.fixtures;
      const listStarts = async (now: Instant, days: object = {}) => {
        const query = { serviceId: services.bookable, ...days };
        return (await subject.getPort('appointments').slots(query, subject.createCall({ now }))).map(
          ({ start }) => start,
        );
      };
      const starts = await listStarts(subject.createCall().now);
      const [day = ''] = (starts.at(Math.floor(starts.length / 2)) ?? '').split('T');
      const [before, after] = findMidnight(subject, day);
      const isOfDay = (start: string) => start.startsWith(day);
      const ofDay = starts.filter(isOfDay);
      assert.ok(ofDay.length > 0);
      for (const now of [before, after]) {
        assert.deepEqual((await listStarts(now)).filter(isOfDay), ofDay);
        assert.deepEqual(await listStarts(now, { from: day, to: day }), ofDay);
      }
      // Nothing may be offered on one of the days with which the horizon ends, but on one of three.
      for (const days of [0, 1, 2]) {
        const midnight = `${addMinutes(before, days * 1440).slice(0, 10)}T00:00:00.000Z`;
        const [early, late] = [await listStarts(addMinutes(midnight, -1)), await listStarts(addMinutes(midnight, 1))];
        assert.deepEqual(late, early, 'the offers change at midnight of UTC');
      }
    },
  }),
  definePortCase(
    { level: 'write', needs: 'care-services.available', requires: ['patients.register'], section: '2' },
    'ports.midnight.birthday',
    {
      title: 'available: an age limit changes at midnight of the institution at the beginning of the birthday',
      run: async (subject) => {
        const { services } = subject.fixtures;
        const all = await subject.getPort('care-services').available({}, subject.createCall());
        const { minAge } = all.find(({ id }) => id === services.bookable) ?? {};
        const { maxAge } = all.find(({ id }) => id === services.childrenOnly) ?? {};
        assert.ok(typeof minAge === 'number' && typeof maxAge === 'number');
        // Who is born on 29 February has no birthday in other years.
        const birthday =
          [1, 2].map((days) => computeDayAhead(subject, days)).find((day) => !day.endsWith('02-29')) ?? '';
        const isOffered = async (serviceId: string, age: number) => {
          const birth_date = toSlashDay(`${Number(birthday.slice(0, 4)) - age}${birthday.slice(4)}`);
          const patientId = await registerPatient(subject, { birth_date });
          const offers: boolean[] = [];
          for (const now of findMidnight(subject, birthday)) {
            const found = await subject.getPort('care-services').available({ patientId }, subject.createCall({ now }));
            offers.push(found.some(({ id }) => id === serviceId));
          }
          return offers;
        };
        assert.equal(toDay(subject, findMidnight(subject, birthday)[1]), birthday);
        assert.deepEqual(await isOffered(services.bookable, minAge), [false, true], 'the youngest age');
        assert.deepEqual(await isOffered(services.childrenOnly, maxAge + 1), [true, false], 'the oldest age');
      },
    },
  ),
];

import assert from 'node:assert/strict';
import { Failure, type Instant } from '../../ports/index.ts';
import { bookA, createDni, findFreeSlot, takePatient } from '../arrange.ts';
import { type Case, definePortCase } from '../case.ts';
import { addMinutes, computeDayAhead, findMidnight, toInstant } from '../days.ts';

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
        const { items } = await subject.getPort('appointments').slots(query, subject.createCall({ now }));
        return items.map(({ start }) => start);
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
  definePortCase({ level: 'write', needs: 'patients.register', section: '2' }, 'ports.midnight.birth', {
    title: 'register: today is the day in the institution’s zone: who is born then is refused until midnight',
    run: async (subject) => {
      const birthDate = computeDayAhead(subject, 2);
      const [before, after] = findMidnight(subject, birthDate);
      const identifier = { type: 'DNI', value: String(createDni()) } as const;
      const register = (now: Instant) =>
        subject.getPort('patients').register({ identifier, birthDate, gender: 'Female' }, subject.createCall({ now }));
      await assert.rejects(
        register(before),
        (error) => error instanceof Failure && error.kind === 'invalid' && error.at === 'birthDate',
        'a birth date is accepted before its day begins',
      );
      assert.equal((await register(after)).birthDate, birthDate);
    },
  }),
  definePortCase(
    { level: 'write', needs: 'tickets.open', requires: ['tickets.list'], prefers: ['patients.register'], section: '2' },
    'ports.midnight.tickets',
    {
      title: 'list: a ticket is of the day of the institution’s zone on which it was filed',
      run: async (subject) => {
        const tickets = subject.getPort('tickets');
        const patientId = await takePatient(subject);
        const [yesterday, today] = [computeDayAhead(subject, 1), computeDayAhead(subject, 2)];
        const { id, checked } = subject.fixtures.ticketType;
        const ticket = { observations: '', fields: [{ id: checked.id, value: checked.fits }] };
        const filed: string[] = [];
        for (const now of findMidnight(subject, today)) {
          filed.push((await tickets.open(patientId, id, ticket, subject.createCall({ now }))).id);
        }
        for (const [index, day] of [yesterday, today].entries()) {
          const listed = await tickets.list(patientId, { from: day, to: day }, subject.createCall());
          const ids = listed.map((each) => each.id).filter((each) => filed.includes(each));
          assert.deepEqual(ids, [filed[index]], `the tickets of the day ${index === 0 ? 'before' : 'after'} midnight`);
        }
      },
    },
  ),
];

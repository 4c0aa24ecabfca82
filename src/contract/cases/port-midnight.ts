import assert from 'node:assert/strict';
import type { Failure, Instant, SlotQuery } from '../../ports/index.ts';
import { createDni, takePatient } from '../arrange.ts';
import { type Case, definePortCase } from '../case.ts';
import { addMinutes, computeDayAhead, findMidnight, toInstant } from '../days.ts';
import { expectFailure } from '../expect.ts';
import type { PortsSubject } from '../ports-subject.ts';

const base = { level: 'write', section: '2' } as const;

/** When the free slots of the bookable service start that are offered at that moment, narrowed to days. */
async function listStarts(
  subject: PortsSubject,
  now: Instant,
  days: Pick<SlotQuery, 'from' | 'to'> = {},
): Promise<string[]> {
  const query = { serviceId: subject.fixtures.services.bookable, ...days };
  const { items } = await subject.getPort('appointments').slots(query, subject.createCall({ now }));
  return items.map(({ start }) => start);
}

/** Days begin at midnight of the institution's zone, and at no other. */
export const midnightCases: readonly Case[] = [
  definePortCase(base, 'ports.midnight.slots', {
    level: 'safe',
    needs: 'appointments.slots',
    title: 'slots: those of today are offered until midnight of the institution, and the horizon counts from its day',
    run: async (subject) => {
      const starts = await listStarts(subject, subject.createCall().now);
      const [day = ''] = (starts.at(Math.floor(starts.length / 2)) ?? '').split('T');
      const [before, after] = findMidnight(subject, day);
      const isOfDay = (start: string) => start.startsWith(day);
      const ofDay = starts.filter(isOfDay);
      assert.ok(ofDay.length > 0);
      for (const now of [before, after]) {
        assert.deepEqual((await listStarts(subject, now)).filter(isOfDay), ofDay);
        assert.deepEqual(await listStarts(subject, now, { from: day, to: day }), ofDay);
      }
      // Nothing may be offered on one of the days with which the horizon ends, but on one of three.
      for (const days of [0, 1, 2]) {
        const midnight = `${addMinutes(before, days * 1440).slice(0, 10)}T00:00:00.000Z`;
        const [early, late] = [
          await listStarts(subject, addMinutes(midnight, -1)),
          await listStarts(subject, addMinutes(midnight, 1)),
        ];
        assert.deepEqual(late, early, 'the offers change at midnight of UTC');
      }
    },
  }),
  definePortCase(base, 'ports.midnight.horizon', {
    level: 'safe',
    needs: 'appointments.slots',
    title: 'slots: those of the last day of the horizon are offered, and none of the day after',
    run: async (subject) => {
      const { bookingHorizonDays } = subject.fixtures;
      const starts = await listStarts(subject, subject.createCall().now);
      const [day = ''] = (starts.at(-1) ?? '').split('T');
      const ofDay = starts.filter((start) => start.startsWith(day));
      // Slots need not be published so far ahead: the clock is put back until the horizon ends with a day that has some.
      const last = addMinutes(toInstant(subject, `${day}T12:00:00`), -bookingHorizonDays * 1440);
      assert.deepEqual(await listStarts(subject, last, { from: day, to: day }), ofDay, 'on the last day');
      assert.deepEqual(
        await listStarts(subject, addMinutes(last, -1440), { from: day, to: day }),
        [],
        'on the day after',
      );
    },
  }),
  definePortCase(base, 'ports.midnight.birth', {
    needs: 'patients.register',
    title: 'register: today is the day in the institution’s zone: who is born then is refused until midnight',
    run: async (subject) => {
      const birthDate = computeDayAhead(subject, 2);
      const [before, after] = findMidnight(subject, birthDate);
      const identifier = { type: 'DNI', value: String(createDni()) } as const;
      const person = { identifier, birthDate, gender: 'Female', phone: '+54 9 11 5555-0123' } as const;
      const register = (now: Instant) => subject.getPort('patients').register(person, subject.createCall({ now }));
      const unborn = { kind: 'invalid', at: 'birthDate' } as const;
      await expectFailure(register(before), unborn, 'a birth date is accepted before its day begins');
      const born = await register(after).catch((failure: Failure) => assert.fail(`it fails with ${failure.kind}`));
      assert.equal(born.birthDate, birthDate);
    },
  }),
  definePortCase(base, 'ports.midnight.tickets', {
    needs: 'tickets.open',
    requires: ['tickets.list'],
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
  }),
];

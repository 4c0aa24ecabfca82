import assert from 'node:assert/strict';
import type { Instant } from '../../ports/index.ts';
import { bookA, createCoverage, findFreeSlot, registerPatient, takePatient } from '../arrange.ts';
import { type Case, definePortCase } from '../case.ts';
import { toInstant } from '../days.ts';
import { expectFailure } from '../expect.ts';
import type { PortsSubject } from '../ports-subject.ts';
import { toIds } from '../queries.ts';

const base = { level: 'safe', section: '2' } as const;

const addYears = (subject: PortsSubject, years: number): Instant => {
  const date = subject.now();
  date.setUTCFullYear(date.getUTCFullYear() + years);
  return date.toISOString();
};

/** Ports take the time from `call.now`, and from no other clock. */
export const clockCases: readonly Case[] = [
  definePortCase(base, 'ports.clock.slots', {
    needs: 'appointments.slots',
    title: 'slots: a slot that is past by the clock of the call is not offered',
    run: async (subject) => {
      const appointments = subject.getPort('appointments');
      const query = { serviceId: subject.fixtures.services.bookable };
      const { items: before } = await appointments.slots(query, subject.createCall());
      const middle = before[Math.floor(before.length / 2)]?.start ?? '';
      const justAfter = new Date(Date.parse(toInstant(subject, middle)) + 1).toISOString();
      const { items: after } = await appointments.slots(query, subject.createCall({ now: justAfter }));
      const toStarts = (slots: typeof before) => slots.map(({ start }) => start);
      const last = toStarts(before).at(-1) ?? '';
      assert.deepEqual(
        toStarts(after).filter((start) => start <= last),
        toStarts(before).filter((start) => start > middle),
      );
      assert.ok(middle < last);
    },
  }),
  definePortCase(base, 'ports.clock.book', {
    level: 'write',
    needs: 'appointments.book',
    requires: ['appointments.slots'],
    title: 'book: a slot that is past by the clock of the call is refused',
    run: async (subject) => {
      const slot = await findFreeSlot(subject);
      const booking = {
        serviceId: slot.health_care_service_id,
        practitionerIds: [slot.practitioner_id],
        start: slot.date,
      };
      const later = subject.createCall({ now: addYears(subject, 1) });
      const id = await takePatient(subject);
      await expectFailure(subject.getPort('appointments').book(id, booking, later), { kind: 'invalid', at: 'start' });
      await subject.getPort('appointments').book(id, booking, subject.createCall());
    },
  }),
  definePortCase(base, 'ports.clock.cancelable', {
    needs: 'appointments.cancel',
    requires: ['appointments.list'],
    title: 'list and cancel: an appointment that is past by the clock of the call is not cancelable',
    run: async (subject) => {
      const appointments = subject.getPort('appointments');
      const id = subject.fixtures.patients.complete;
      const query = { order: 'ascending', status: 'active' } as const;
      const now = await appointments.list(id, query, subject.createCall());
      const future = now.items.find(({ cancelable }) => cancelable);
      assert.ok(future, 'patients.complete has no appointment that can be canceled: see the fixtures');
      const later = subject.createCall({ now: addYears(subject, 1) });
      const then = await appointments.list(id, query, later);
      assert.deepEqual([...new Set(then.items.map(({ cancelable }) => cancelable))], [false]);
      await expectFailure(appointments.cancel(id, future.id, later), { code: 'not_cancelable' });
    },
  }),
  definePortCase(base, 'ports.clock.age', {
    needs: 'care-services.available',
    title: 'available: a child is of age by the clock of the call',
    run: async (subject) => {
      const { patients, services } = subject.fixtures;
      const listIds = async (now: Instant) =>
        (
          await subject.getPort('care-services').available({ patientId: patients.child }, subject.createCall({ now }))
        ).map(({ id }) => id);
      const [child, adult] = [await listIds(addYears(subject, 0)), await listIds(addYears(subject, 20))];
      assert.ok(!child.includes(services.bookable) && child.includes(services.childrenOnly));
      assert.ok(adult.includes(services.bookable) && !adult.includes(services.childrenOnly));
    },
  }),
  definePortCase(base, 'ports.clock.frequent', {
    needs: 'care-services.frequent',
    requires: ['insurance.coverages'],
    title: 'frequent: what was booked more than 24 months before the clock of the call does not count',
    run: async (subject) => {
      const { patients, coverages } = subject.fixtures;
      const who = { patientId: patients.complete, coverageId: coverages.active };
      const services = subject.getPort('care-services');
      assert.notDeepEqual(await services.frequent(who, subject.createCall()), []);
      assert.deepEqual(await services.frequent(who, subject.createCall({ now: addYears(subject, 4) })), []);
    },
  }),
  definePortCase(base, 'ports.clock.frequent-months', {
    level: 'destructive',
    needs: 'care-services.frequent',
    requires: ['appointments.book', 'appointments.slots', 'insurance.create', 'patients.register'],
    title: 'frequent: what was booked counts for 24 months by the clock of the call, and no longer',
    run: async (subject) => {
      const patientId = await registerPatient(subject);
      const who = { patientId, coverageId: await createCoverage(subject, patientId) };
      await bookA(subject, patientId, await findFreeSlot(subject));
      const list = (years: number) =>
        subject.getPort('care-services').frequent(who, subject.createCall({ now: addYears(subject, years) }));
      assert.deepEqual(toIds(await list(2)), [subject.fixtures.services.bookable]);
      assert.deepEqual(await list(3), []);
    },
  }),
];

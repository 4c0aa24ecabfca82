import assert from 'node:assert/strict';
import { Failure, type Instant } from '../../ports/index.ts';
import { findFreeSlot, registerPatient } from '../arrange.ts';
import { type Case, definePortCase } from '../case.ts';
import { computeDayAhead, findMidnight, toDay, toSlashDay } from '../days.ts';
import type { PortsSubject } from '../ports-subject.ts';

const base = { level: 'write', section: '2' } as const;

type Offered = (serviceId: string, patientId: string, now: Instant) => Promise<boolean>;

/**
 * Asserts that a service is for patients from the midnight of the institution at which they come of its youngest age until
 * the one at which they are older than its oldest.
 */
async function expectAgeLimits(subject: PortsSubject, isOffered: Offered): Promise<void> {
  const { services } = subject.fixtures;
  const all = await subject.getPort('care-services').available({}, subject.createCall());
  const { minAge } = all.find(({ id }) => id === services.bookable) ?? {};
  const { maxAge } = all.find(({ id }) => id === services.childrenOnly) ?? {};
  assert.ok(typeof minAge === 'number' && typeof maxAge === 'number');
  // Who is born on 29 February has no birthday in other years.
  const birthday = [1, 2].map((days) => computeDayAhead(subject, days)).find((day) => !day.endsWith('02-29')) ?? '';
  const listOffers = async (serviceId: string, age: number) => {
    const birth_date = toSlashDay(`${Number(birthday.slice(0, 4)) - age}${birthday.slice(4)}`);
    const patientId = await registerPatient(subject, { birth_date });
    const offers: boolean[] = [];
    for (const now of findMidnight(subject, birthday)) offers.push(await isOffered(serviceId, patientId, now));
    return offers;
  };
  assert.equal(toDay(subject, findMidnight(subject, birthday)[1]), birthday);
  assert.deepEqual(await listOffers(services.bookable, minAge), [false, true], 'the youngest age');
  assert.deepEqual(await listOffers(services.childrenOnly, maxAge + 1), [true, false], 'the oldest age');
}

/** Ages are completed years on the day of the institution, and both limits are included. */
export const ageLimitCases: readonly Case[] = [
  definePortCase(base, 'ports.midnight.birthday', {
    needs: 'care-services.available',
    requires: ['patients.register'],
    title: 'available: an age limit changes at midnight of the institution at the beginning of the birthday',
    run: (subject) =>
      expectAgeLimits(subject, async (serviceId, patientId, now) => {
        const found = await subject.getPort('care-services').available({ patientId }, subject.createCall({ now }));
        return found.some(({ id }) => id === serviceId);
      }),
  }),
  definePortCase(base, 'ports.age-limits.slots', {
    needs: 'appointments.slots',
    requires: ['care-services.available', 'patients.register'],
    title: 'slots: an age limit includes the youngest and the oldest age, to the day',
    run: (subject) =>
      expectAgeLimits(subject, async (serviceId, patientId, now) => {
        const query = { serviceId, patientId };
        return (await subject.getPort('appointments').slots(query, subject.createCall({ now }))).items.length > 0;
      }),
  }),
  definePortCase(base, 'ports.age-limits.book', {
    level: 'destructive',
    needs: 'appointments.book',
    requires: ['appointments.slots', 'care-services.available', 'patients.register'],
    title: 'book: an age limit includes the youngest and the oldest age, to the day',
    rule: 'days-between-bookings',
    run: (subject) =>
      expectAgeLimits(subject, async (serviceId, patientId, now) => {
        const slot = await findFreeSlot(subject, { health_care_service_id: serviceId });
        const booking = { serviceId, practitionerIds: [slot.practitioner_id], start: slot.date };
        try {
          await subject.getPort('appointments').book(patientId, booking, subject.createCall({ now }));
          return true;
        } catch (error) {
          if (error instanceof Failure && error.kind === 'invalid' && error.at === 'serviceId') return false;
          throw error;
        }
      }),
  }),
];

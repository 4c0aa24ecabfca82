import assert from 'node:assert/strict';
import { Failure, type Instant, type Page, type PageRequest, type SlotQuery } from '../../ports/index.ts';
import {
  bookA,
  createCoverage,
  createDni,
  findFreeSlot,
  registerPatient,
  takePatient,
  takeTicketPatient,
} from '../arrange.ts';
import { type Case, definePortCase } from '../case.ts';
import { expectCount, expectFailure, expectIds, expectPromised } from '../expect.ts';
import { addMinutes, computeDayAhead, findMidnight, toDay, toIds, toInstant, toSlashDay } from '../queries.ts';
import type { PortsSubject } from '../subject.ts';
import { Skipped, tooShort } from '../thrown.ts';

const base = { level: 'safe', section: '2' } as const;
const writeBase = { ...base, level: 'write' } as const;

const addYears = (subject: PortsSubject, years: number): Instant => {
  const date = subject.now();
  date.setUTCFullYear(date.getUTCFullYear() + years);
  return date.toISOString();
};

/** Ports use `call.now`, and no other clock. */
export const clockCases: readonly Case[] = [
  definePortCase({ ...base, needs: 'appointments.slots' }, 'ports.clock.slots', {
    title: 'slots: a slot that is past by the clock of the call is not offered',
    run: async (subject) => {
      const appointments = subject.getPort('appointments');
      const query = { serviceId: subject.fixtures.services.bookable };
      const { items: before } = await appointments.slots(query, subject.createCall());
      const toStarts = (slots: typeof before) => [...new Set(slots.map(({ start }) => start))];
      const starts = toStarts(before);
      if (starts.length < 2) throw new Skipped('there are no free slots at two times');
      const middle = starts[Math.floor((starts.length - 1) / 2)] ?? '';
      const justAfter = new Date(Date.parse(toInstant(subject, middle)) + 1).toISOString();
      const { items: after } = await appointments.slots(query, subject.createCall({ now: justAfter }));
      const last = starts.at(-1) ?? '';
      assert.deepEqual(
        toStarts(after).filter((start) => start <= last),
        starts.filter((start) => start > middle),
      );
    },
  }),
  definePortCase({ ...base, level: 'write', needs: 'appointments.book' }, 'ports.clock.book', {
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
  definePortCase({ ...base, needs: 'appointments.cancel', requires: ['appointments.list'] }, 'ports.clock.cancelable', {
    title: 'list and cancel: an appointment that is past by the clock of the call is not cancelable',
    run: async (subject) => {
      const appointments = subject.getPort('appointments');
      const id = subject.fixtures.patients.complete;
      const query = { order: 'ascending', status: 'active' } as const;
      const now = await appointments.list(id, query, subject.createCall());
      const future = now.items.find(({ cancelable }) => cancelable);
      expectPromised(future, 'an appointment of patients.complete that can be canceled');
      const later = subject.createCall({ now: addYears(subject, 1) });
      const then = await appointments.list(id, query, later);
      assert.ok(then.items.length > 0, 'the appointments of patients.complete are not listed a year later');
      const late = then.items.filter(({ cancelable }) => cancelable).map((each) => each.id);
      assert.deepEqual(late, [], 'these appointments are still cancelable a year later');
      await expectFailure(appointments.cancel(id, future.id, later), { code: 'not_cancelable' });
    },
  }),
  definePortCase({ ...base, needs: 'care-services.available' }, 'ports.clock.age', {
    title: 'available: a child is of age by the clock of the call',
    run: async (subject) => {
      const { patients, services } = subject.fixtures;
      const listIds = async (now: Instant) =>
        (
          await subject.getPort('care-services').available({ patientId: patients.child }, subject.createCall({ now }))
        ).map(({ id }) => id);
      const [child, adult] = [await listIds(addYears(subject, 0)), await listIds(addYears(subject, 20))];
      const { bookable, childrenOnly } = services;
      expectIds(child, 'available for patients.child', { has: [childrenOnly], lacks: [bookable] });
      expectIds(adult, 'available for patients.child in 20 years', { has: [bookable], lacks: [childrenOnly] });
    },
  }),
  definePortCase({ ...base, needs: 'care-services.frequent' }, 'ports.clock.frequent', {
    requires: ['insurance.coverages'],
    title: 'frequent: bookings more than 24 months before the clock of the call do not count',
    run: async (subject) => {
      const { patients, coverages } = subject.fixtures;
      const who = { patientId: patients.complete, coverageId: coverages.active };
      const services = subject.getPort('care-services');
      assert.notDeepEqual(await services.frequent(who, subject.createCall()), []);
      assert.deepEqual(await services.frequent(who, subject.createCall({ now: addYears(subject, 4) })), []);
    },
  }),
  definePortCase({ ...base, level: 'destructive', needs: 'care-services.frequent' }, 'ports.clock.frequent-months', {
    requires: ['appointments.book', 'appointments.slots', 'insurance.create', 'patients.register'],
    rule: 'verified-later',
    title: 'frequent: a booking counts for 24 months by the clock of the call, and no longer',
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

type IsOffered = (serviceId: string, patientId: string, now: Instant) => Promise<boolean>;

/**
 * Asserts the age limits of a service. Patients can use it from the midnight of the institution at which they reach the
 * youngest age. It ends at the midnight at which they exceed the oldest age.
 */
async function expectAgeLimits(subject: PortsSubject, isOffered: IsOffered): Promise<void> {
  const { services } = subject.fixtures;
  const all = await subject.getPort('care-services').available({}, subject.createCall());
  const { minAge } = all.find(({ id }) => id === services.bookable) ?? {};
  const { maxAge } = all.find(({ id }) => id === services.childrenOnly) ?? {};
  expectPromised(typeof minAge === 'number', 'the minAge of services.bookable, a service for adults,');
  expectPromised(typeof maxAge === 'number', 'the maxAge of services.childrenOnly');
  // A person born on 29 February has no birthday in most years.
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
  definePortCase({ ...writeBase, needs: 'care-services.available' }, 'ports.midnight.birthday', {
    requires: ['patients.register'],
    rule: 'verified-later',
    title: 'available: an age limit changes at midnight of the institution at the beginning of the birthday',
    run: (subject) =>
      expectAgeLimits(subject, async (serviceId, patientId, now) => {
        const found = await subject.getPort('care-services').available({ patientId }, subject.createCall({ now }));
        return found.some(({ id }) => id === serviceId);
      }),
  }),
  definePortCase({ ...writeBase, needs: 'appointments.slots' }, 'ports.age-limits.slots', {
    requires: ['care-services.available', 'patients.register'],
    rule: 'verified-later',
    title: 'slots: an age limit includes the youngest and the oldest age, to the day',
    run: (subject) =>
      expectAgeLimits(subject, async (serviceId, patientId, now) => {
        const query = { serviceId, patientId };
        return (await subject.getPort('appointments').slots(query, subject.createCall({ now }))).items.length > 0;
      }),
  }),
  definePortCase({ ...writeBase, level: 'destructive', needs: 'appointments.book' }, 'ports.age-limits.book', {
    requires: ['appointments.slots', 'care-services.available', 'patients.register'],
    title: 'book: an age limit includes the youngest and the oldest age, to the day',
    rule: ['days-between-bookings', 'verified-later'],
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

/** Books an appointment. Returns its start, and a function that reads whether it is cancelable at a moment. */
async function bookForCancelling(subject: PortsSubject) {
  const slot = await findFreeSlot(subject);
  const patientId = await takePatient(subject);
  const appointmentId = await bookA(subject, patientId, slot);
  const isCancelable = async (now: Instant): Promise<boolean> => {
    const call = subject.createCall({ now });
    const { items } = await subject.getPort('appointments').list(patientId, { order: 'ascending' }, call);
    const found = items.find(({ id }) => id === appointmentId);
    assert.ok(found, 'the appointment is not listed');
    return found.cancelable;
  };
  return { patientId, appointmentId, start: toInstant(subject, slot.date), isCancelable };
}

const cancelableBase = {
  level: 'destructive',
  requires: ['appointments.slots', 'appointments.book'],
  section: '3',
} as const;

/** The time until which an appointment can be canceled. */
export const cancelableCases: readonly Case[] = [
  definePortCase({ ...cancelableBase, needs: 'appointments.list', rule: 'no-canceling' }, 'ports.cancelable.zone', {
    fixtures: ['cancelUntilHours'],
    title: 'list: cancelable ends this many hours before the start in the institution’s zone, and in no other zone',
    run: async (subject) => {
      const { start, isCancelable } = await bookForCancelling(subject);
      const limit = addMinutes(start, -60 * subject.fixtures.cancelUntilHours);
      assert.deepEqual(
        [await isCancelable(addMinutes(limit, -1)), await isCancelable(addMinutes(limit, 1))],
        [true, false],
        `cancelable a minute before and after ${limit}, which is ${subject.fixtures.cancelUntilHours} hours before the start`,
      );
    },
  }),
  definePortCase({ ...cancelableBase, needs: 'appointments.list', section: '2' }, 'ports.midnight.cancelable', {
    title: 'list: cancelable does not change at midnight of UTC',
    run: async (subject) => {
      const { start, isCancelable } = await bookForCancelling(subject);
      for (const daysBefore of [0, 1, 2]) {
        const midnight = `${addMinutes(start, -daysBefore * 1440).slice(0, 10)}T00:00:00.000Z`;
        // If the start is at a round hour, the limit may fall on this midnight.
        if (midnight >= start || (Date.parse(start) - Date.parse(midnight)) % 3_600_000 === 0) continue;
        const before = await isCancelable(addMinutes(midnight, -1));
        const after = await isCancelable(addMinutes(midnight, 1));
        assert.equal(after, before, `${daysBefore} days before the appointment`);
      }
      assert.equal(await isCancelable(addMinutes(start, 1)), false, 'cancelable after the start');
    },
  }),
  definePortCase({ ...cancelableBase, needs: 'appointments.cancel' }, 'ports.cancelable.agrees', {
    requires: ['appointments.list'],
    title:
      'cancel: an appointment that list calls cancelable can be canceled up to the last minute, and is refused in the next',
    run: async (subject) => {
      const { patientId, appointmentId, start, isCancelable } = await bookForCancelling(subject);
      let [yes, no] = [Math.floor(subject.now().getTime() / 60_000), Math.floor(Date.parse(start) / 60_000) + 1];
      const toMoment = (minute: number) => new Date(minute * 60_000).toISOString();
      const ends = [await isCancelable(toMoment(yes)), await isCancelable(toMoment(no))];
      assert.deepEqual(ends, [true, false], 'cancelable now and a minute after the start');
      while (no - yes > 1) {
        const middle = Math.floor((yes + no) / 2);
        if (await isCancelable(toMoment(middle))) yes = middle;
        else no = middle;
      }
      const cancel = (minute: number) =>
        subject.getPort('appointments').cancel(patientId, appointmentId, subject.createCall({ now: toMoment(minute) }));
      await expectFailure(
        cancel(no),
        { code: 'not_cancelable' },
        'cancel accepts an appointment that list calls not cancelable',
      );
      await cancel(yes);
      assert.equal(await isCancelable(toMoment(yes)), false, 'cancelable after the cancellation');
    },
  }),
];

/** Lists the starts of the free slots of the bookable service at that moment, narrowed to days. */
async function listStarts(
  subject: PortsSubject,
  now: Instant,
  days: Pick<SlotQuery, 'from' | 'to'> = {},
): Promise<string[]> {
  const query = { serviceId: subject.fixtures.services.bookable, ...days };
  const { items } = await subject.getPort('appointments').slots(query, subject.createCall({ now }));
  return items.map(({ start }) => start);
}

/** Days begin at midnight of the institution's zone, and of no other zone. */
export const midnightCases: readonly Case[] = [
  definePortCase({ ...writeBase, level: 'safe', needs: 'appointments.slots' }, 'ports.midnight.slots', {
    title:
      'slots: the slots of a day are offered until midnight of the institution, and the horizon counts from its day',
    run: async (subject) => {
      const starts = await listStarts(subject, subject.createCall().now);
      const [day = ''] = (starts.at(Math.floor(starts.length / 2)) ?? '').split('T');
      const [before, after] = findMidnight(subject, day);
      const isOfDay = (start: string) => start.startsWith(day);
      // A slot that begins between the two moments is rightly offered at the first one alone.
      const leaveOut = (first: string, last: string, found: readonly string[]) =>
        found.filter((start) => toInstant(subject, start) < first || toInstant(subject, start) > last);
      const ofDay = leaveOut(before, after, starts.filter(isOfDay));
      if (ofDay.length === 0) throw new Skipped('the slots of that day begin at its midnight alone');
      for (const now of [before, after]) {
        assert.deepEqual(leaveOut(before, after, (await listStarts(subject, now)).filter(isOfDay)), ofDay);
        const asked = await listStarts(subject, now, { from: day, to: day });
        assert.deepEqual(leaveOut(before, after, asked), ofDay);
      }
      // Any of the last days of the horizon may have no slots, so the case tries three.
      for (const days of [0, 1, 2]) {
        const midnight = `${addMinutes(before, days * 1440).slice(0, 10)}T00:00:00.000Z`;
        const [first, last] = [addMinutes(midnight, -1), addMinutes(midnight, 1)];
        const [early, late] = [await listStarts(subject, first), await listStarts(subject, last)];
        assert.deepEqual(
          leaveOut(first, last, late),
          leaveOut(first, last, early),
          'the offers change at midnight of UTC',
        );
      }
    },
  }),
  definePortCase({ ...writeBase, level: 'safe', needs: 'appointments.slots' }, 'ports.midnight.horizon', {
    title: 'slots: the last day of the horizon is offered, and the day after is not',
    run: async (subject) => {
      const { bookingHorizonDays } = subject.fixtures;
      const starts = await listStarts(subject, subject.createCall().now);
      const [day = ''] = (starts.at(-1) ?? '').split('T');
      const ofDay = starts.filter((start) => start.startsWith(day));
      // The last slots may end before the horizon: the case puts the clock back until the horizon ends on a day with
      // slots.
      const last = addMinutes(toInstant(subject, `${day}T12:00:00`), -bookingHorizonDays * 1440);
      assert.deepEqual(await listStarts(subject, last, { from: day, to: day }), ofDay, 'on the last day');
      assert.deepEqual(
        await listStarts(subject, addMinutes(last, -1440), { from: day, to: day }),
        [],
        'on the day after',
      );
    },
  }),
  definePortCase({ ...writeBase, needs: 'appointments.book' }, 'ports.midnight.horizon-book', {
    requires: ['appointments.slots'],
    title: 'book: a slot after the horizon is refused',
    run: async (subject) => {
      const slot = await findFreeSlot(subject);
      const noon = toInstant(subject, `${slot.date.slice(0, 10)}T12:00:00`);
      const now = addMinutes(noon, -(subject.fixtures.bookingHorizonDays + 1) * 1440);
      const { health_care_service_id: serviceId, practitioner_id, date: start } = slot;
      const id = await takePatient(subject);
      const booking = { serviceId, practitionerIds: [practitioner_id], start };
      const early = subject.getPort('appointments').book(id, booking, subject.createCall({ now }));
      await expectFailure(early, { kind: 'invalid' }, 'a slot is booked before the horizon reaches its day');
    },
  }),
  definePortCase({ ...writeBase, needs: 'patients.register' }, 'ports.midnight.birth', {
    title: 'register: the birth date may be today in the institution’s zone, and tomorrow is refused until midnight',
    run: async (subject) => {
      const birthDate = computeDayAhead(subject, 2);
      const [before, after] = findMidnight(subject, birthDate);
      const identifier = { type: 'DNI', value: String(createDni()) } as const;
      const person = {
        identifier,
        birthDate,
        gender: 'Female',
        phone: '+54 9 11 5555-0123',
        email: `contract-${identifier.value}@example.org`,
        name: 'Olga',
        lastName: 'Prueba',
      } as const;
      const register = (now: Instant) => subject.getPort('patients').register(person, subject.createCall({ now }));
      const unborn = { kind: 'invalid', at: 'birthDate' } as const;
      await expectFailure(register(before), unborn, 'a birth date is accepted before its day begins');
      const born = await register(after).catch((failure: Failure) => assert.fail(`it fails with ${failure.kind}`));
      assert.equal(born.birthDate, birthDate);
    },
  }),
  definePortCase(
    { ...writeBase, needs: 'tickets.open', requires: ['tickets.list'], rule: 'own-clock' },
    'ports.midnight.tickets',
    {
      title: 'list: a ticket belongs to the day in the institution’s zone on which it was filed',
      run: async (subject) => {
        const tickets = subject.getPort('tickets');
        const patientId = await takeTicketPatient(subject);
        const [yesterday, today] = [computeDayAhead(subject, 1), computeDayAhead(subject, 2)];
        const { id, checked } = subject.fixtures.ticketType;
        const ticket = { observations: 'Por favor', fields: [{ id: checked.id, value: checked.fits }] };
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

/** The kind of a Failure. Throws any other error. */
function toFailureKind(error: unknown): string {
  if (error instanceof Failure) return error.kind;
  throw error;
}

/** Reads return what the write answered. */
export const toldCases: readonly Case[] = [
  definePortCase(
    { ...writeBase, needs: 'patients.update', requires: ['patients.get'] },
    'ports.patients.update.version',
    {
      requires: ['patients.register'],
      title:
        'update takes only the version that the patient has, once even for simultaneous callers, and changes it, if patients have versions',
      run: async (subject) => {
        const id = await registerPatient(subject);
        const patients = subject.getPort('patients');
        const get = () => patients.get(id, subject.createCall());
        const update = (name: string, ifMatch: readonly string[]) =>
          patients.update(id, { name }, subject.createCall({ ifMatch }));
        const { version } = await get();
        if (version === undefined) throw new Skipped('patients have no versions');
        await update('Irma', [version]);
        const changed = await get();
        assert.notEqual(changed.version, version, 'the version stays the same after a change');
        const stale = { kind: 'conflict', code: 'precondition_failed' } as const;
        await expectFailure(update('Olga', [version]), stale, 'update takes a version that the patient had before');
        assert.deepEqual(await get(), changed);
        await update('Olga', [version, changed.version ?? '']);
        const { version: latest = '' } = await get();
        const names = ['Ada', 'Berta', 'Clara', 'Delia', 'Elisa'];
        const outcomes = await Promise.all(
          names.map((name) => update(name, [latest]).then(() => 'done', toFailureKind)),
        );
        const done = outcomes.filter((outcome) => outcome === 'done').length;
        const advice = 'send the version with the write, and let the system compare it';
        assert.ok(done <= 1, `${done} of ${names.length} simultaneous updates of one version succeed: ${advice}`);
      },
    },
  ),
  definePortCase({ ...writeBase, needs: 'tickets.open', requires: ['tickets.list'] }, 'ports.tickets.open.told', {
    title: 'open: the response is the ticket of list, with its time',
    run: async (subject) => {
      const patientId = await takeTicketPatient(subject);
      const { id, checked } = subject.fixtures.ticketType;
      const ticket = { observations: 'Por favor', fields: [{ id: checked.id, value: checked.fits }] };
      const told = await subject.getPort('tickets').open(patientId, id, ticket, subject.createCall());
      const listed = await subject.getPort('tickets').list(patientId, {}, subject.createCall());
      assert.deepEqual(
        listed.find((each) => each.id === told.id),
        told,
      );
    },
  }),
];

/** Asserts that every page is its part of the whole list, with the total number of rows. */
async function expectPages(list: (page?: PageRequest) => Promise<Page<unknown>>): Promise<void> {
  const { items, total } = await list();
  expectCount(items, total, 'rows in the whole list');
  if (total < 2) throw new Skipped(tooShort);
  for (const limit of [1, 7, total, 100]) {
    const last = Math.ceil(total / limit);
    for (const page of new Set([0, 1, Math.floor(last / 2), last - 1, last, 9_999])) {
      const expected = { items: items.slice(page * limit, (page + 1) * limit), total };
      assert.deepEqual(await list({ page, limit }), expected);
    }
  }
}

/** A page is a part of the whole list, independent of how an adapter reads it. */
export const pageCases: readonly Case[] = [
  definePortCase({ level: 'safe', needs: 'appointments.slots', section: '8' }, 'ports.pages.slots', {
    title: 'slots: each page is a part of the whole list, and has the total number of slots',
    run: (subject) => {
      const call = subject.createCall();
      const query = { serviceId: subject.fixtures.services.bookable };
      return expectPages((page) => subject.getPort('appointments').slots({ ...query, ...(page && { page }) }, call));
    },
  }),
  definePortCase({ level: 'safe', needs: 'appointments.list', section: '8' }, 'ports.pages.appointments', {
    title: 'list: each page is a part of the whole list in its order, and has the total number of appointments',
    run: async (subject) => {
      const call = subject.createCall();
      const { complete } = subject.fixtures.patients;
      for (const order of ['ascending', 'descending'] as const) {
        await expectPages((page) =>
          subject.getPort('appointments').list(complete, { order, ...(page && { page }) }, call),
        );
      }
    },
  }),
];

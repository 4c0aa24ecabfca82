import assert from 'node:assert/strict';
import { bookA, createCoverage, findFreeSlot, takePatient } from '../arrange.ts';
import { type Case, defineCase } from '../case.ts';
import { computeDayAhead } from '../days.ts';
import { expectFault } from '../expect.ts';
import { checkPages } from '../pages.ts';
import { buildSlotSearch, listDistinct, listSlotsA, listSlotsB, type SlotB } from '../queries.ts';
import type { Request, Subject } from '../subject.ts';

const base = { level: 'safe', needs: 'appointments.slots', section: '4.B' } as const;

const toRequest = (subject: Subject, body: object): Request => ({
  route: 'POST /v1/available-slots',
  body: { ...buildSlotSearch(subject), ...body },
});

/** The slots of the usual search, narrowed further by `dateConfig`. */
const listSlotsWithin = (subject: Subject, dateConfig: object): Promise<SlotB[]> =>
  listSlotsB(subject, { dateConfig: { ...buildSlotSearch(subject).dateConfig, ...dateConfig } });

const toWeekday = (day: string): string =>
  new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' }).format(new Date(day)).toUpperCase();

const computeEnd = ({ appointmentStart, minutesDuration }: SlotB): number =>
  parseMinutes(appointmentStart) + Number(minutesDuration);
const parseMinutes = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));

/** Available slots in Group B. */
export const slotCasesB: readonly Case[] = [
  defineCase(base, 'slots.b.same', {
    title: 'both groups offer the same slots',
    run: async (subject) => {
      const day = (await findFreeSlot(subject)).date.slice(0, 10);
      const ofA = (await listSlotsA(subject)).filter(({ date }) => date.startsWith(day));
      const ofB = await listSlotsB(subject, { dateConfig: { dateFrom: day, dateTo: day } });
      assert.deepEqual(
        ofB.map((slot) => ({
          date: `${slot.appointmentDate}T${slot.appointmentStart}:00`,
          health_care_service_id: slot.hcsId,
          practitioner_id: slot.practitionerId,
          location_id: slot.locationId,
          mode: slot.modality,
        })),
        ofA,
      );
    },
  }),
  defineCase(base, 'slots.b.days', {
    title: 'dateFrom and dateTo are days of the institution, both included',
    run: async (subject) => {
      const days = listDistinct(await listSlotsB(subject), 'appointmentDate');
      const [from, to] = [days[1] ?? '', days[3] ?? ''];
      assert.deepEqual(
        listDistinct(await listSlotsWithin(subject, { dateFrom: from, dateTo: to }), 'appointmentDate'),
        days.slice(1, 4),
      );
    },
  }),
  defineCase(base, 'slots.b.weekdays', {
    title: 'daysOfWeek narrows to the named days, and an empty list means any',
    run: async (subject) => {
      const all = await listSlotsB(subject);
      const daysOfWeek = [toWeekday(all[0]?.appointmentDate ?? '')];
      const some = await listSlotsWithin(subject, { daysOfWeek });
      assert.ok(some.length > 0);
      assert.deepEqual([...new Set(some.map(({ appointmentDate }) => toWeekday(appointmentDate)))], daysOfWeek);
      assert.ok(all.some(({ appointmentDate }) => toWeekday(appointmentDate) !== daysOfWeek[0]));
      assert.deepEqual(await listSlotsWithin(subject, { daysOfWeek: [] }), all);
    },
  }),
  defineCase(base, 'slots.b.hours', {
    title: 'hourFrom and hourTo narrow to slots that lie between them',
    run: async (subject) => {
      const day = (await listSlotsB(subject))[0]?.appointmentDate;
      const all = await listSlotsWithin(subject, { dateFrom: day, dateTo: day });
      const hourFrom = all[1]?.appointmentStart ?? '';
      const hourTo = all.at(-1)?.appointmentStart ?? '';
      const some = await listSlotsWithin(subject, { dateFrom: day, dateTo: day, hourFrom, hourTo });
      const between = all.filter(
        (slot) => slot.appointmentStart >= hourFrom && computeEnd(slot) <= parseMinutes(hourTo),
      );
      assert.ok(between.length > 0 && between.length < all.length);
      assert.deepEqual(some, between);
    },
  }),
  defineCase(base, 'slots.b.modality', {
    title: 'modalityVirtual narrows to virtual or in-person slots, and null to neither',
    run: async (subject) => {
      const { bookable, virtual } = subject.fixtures.services;
      for (const [hcsId, modality, isVirtual] of [
        [bookable, 'in-person', false],
        [virtual, 'virtual', true],
      ] as const) {
        const any = await listSlotsB(subject, { hcsId });
        assert.deepEqual(listDistinct(any, 'modality'), [modality]);
        assert.deepEqual(await listSlotsB(subject, { hcsId, modalityVirtual: isVirtual }), any);
        assert.deepEqual(await listSlotsB(subject, { hcsId, modalityVirtual: !isVirtual }), []);
      }
    },
  }),
  defineCase(base, 'slots.b.who-and-where', {
    title: 'practitionerId and locationId narrow, and null means any',
    run: async (subject) => {
      const { practitioners, locations } = subject.fixtures;
      const his = await listSlotsB(subject, { practitionerId: practitioners.bookable });
      assert.deepEqual(listDistinct(his, 'practitionerId'), [practitioners.bookable]);
      assert.deepEqual(await listSlotsB(subject, { practitionerId: practitioners.second }), []);
      const first = await listSlotsB(subject, { locationId: locations.first });
      assert.deepEqual(listDistinct(first, 'locationId'), [locations.first]);
    },
  }),
  defineCase(base, 'slots.b.patient', {
    title: 'a patient whom the service excludes gets an empty page',
    run: async (subject) => {
      const { patients } = subject.fixtures;
      assert.deepEqual(await listSlotsB(subject, { patientId: patients.child }), []);
      assert.notDeepEqual(await listSlotsB(subject, { patientId: patients.complete }), []);
    },
  }),
  defineCase(base, 'slots.b.coverage', {
    level: 'write',
    requires: ['insurance.create', 'insurance.coverages'],
    fixtures: ['services.restricted'],
    title: 'a patient or coverage that the service excludes gets an empty page, also where both are given',
    run: async (subject) => {
      const { patients, coverages, services, plans } = subject.fixtures;
      const insured = { patientId: patients.complete, patientCoverageId: coverages.active };
      assert.notDeepEqual(await listSlotsB(subject, insured), []);
      const child = { patientId: patients.child, patientCoverageId: coverages.ofChild };
      assert.deepEqual(await listSlotsB(subject, child), []);
      const patientId = await takePatient(subject);
      const refused = await createCoverage(subject, patientId, plans.refused);
      const search = { patientId, patientCoverageId: refused };
      assert.notDeepEqual(await listSlotsB(subject, search), []);
      assert.deepEqual(await listSlotsB(subject, { ...search, hcsId: services.restricted }), []);
    },
  }),
  defineCase(base, 'slots.b.unknown-things', {
    title: 'the search of Group B names the field whose thing does not exist',
    run: async (subject) => {
      for (const field of ['hcsId', 'practitionerId', 'locationId', 'patientId', 'patientCoverageId']) {
        await expectFault(subject, toRequest(subject, { [field]: subject.fixtures.unknown }), `body /${field}`);
      }
    },
  }),
  defineCase(base, 'slots.b.somebody-else', {
    requires: ['insurance.coverages'],
    title: 'the search of Group B refuses a coverage of somebody else',
    run: async (subject) => {
      const { patients, coverages } = subject.fixtures;
      const mixed = { patientId: patients.complete, patientCoverageId: coverages.ofBare };
      await expectFault(subject, toRequest(subject, mixed), 'body /patientCoverageId');
    },
  }),
  defineCase(base, 'slots.b.range', {
    title: 'the search takes 62 days, and refuses more, and days or hours that run backwards',
    run: async (subject) => {
      const dateFrom = '2027-01-01';
      await listSlotsB(subject, { dateConfig: { dateFrom, dateTo: '2027-03-03' } });
      for (const [dateConfig, field] of [
        [{ dateFrom, dateTo: '2027-03-04' }, 'dateTo'],
        [{ dateFrom, dateTo: '2026-12-31' }, 'dateTo'],
        [{ hourFrom: '10:00', hourTo: '09:00' }, 'hourTo'],
      ] as const) {
        await expectFault(subject, toRequest(subject, { dateConfig }), `body /dateConfig/${field}`);
      }
    },
  }),
  defineCase(base, 'slots.b.misfits', {
    title: 'the search names each field of dateConfig whose value does not fit',
    run: async (subject) => {
      for (const [field, misfit] of Object.entries({
        dateFrom: '2026-02-30',
        dateTo: '2026/03/01',
        daysOfWeek: 'MONDAY',
        hourFrom: '25:00',
        hourTo: '9',
        unheardOf: 1,
      })) {
        await expectFault(
          subject,
          toRequest(subject, { dateConfig: { [field]: misfit } }),
          `body /dateConfig/${field}`,
        );
      }
      const days = { dateConfig: { daysOfWeek: ['MONDAY', 'Tuesday'] } };
      await expectFault(subject, toRequest(subject, days), 'body /dateConfig/daysOfWeek/1');
    },
  }),
  defineCase(base, 'slots.b.pages', {
    section: '8',
    title: 'the pages of the available slots count from 0, hold each slot once and tell how many there are',
    run: async (subject) => {
      const body = {
        ...buildSlotSearch(subject),
        dateConfig: { dateFrom: computeDayAhead(subject, 6), dateTo: computeDayAhead(subject, 9) },
      };
      await checkPages(subject, { route: 'POST /v1/available-slots', body });
    },
  }),
  defineCase(base, 'slots.b.booked', {
    level: 'destructive',
    requires: ['appointments.book'],
    title: 'a slot that was booked in Group A is no longer offered in Group B',
    run: async (subject) => {
      const slot = await findFreeSlot(subject);
      const day = slot.date.slice(0, 10);
      const starts = async () =>
        (await listSlotsB(subject, { dateConfig: { dateFrom: day, dateTo: day } })).map(
          (other) => other.appointmentStart,
        );
      assert.ok((await starts()).includes(slot.date.slice(11, 16)));
      await bookA(subject, await takePatient(subject), slot);
      assert.ok(!(await starts()).includes(slot.date.slice(11, 16)));
    },
  }),
];

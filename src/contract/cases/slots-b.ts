import assert from 'node:assert/strict';
import { findFreeSlot } from '../arrange.ts';
import { type Case, defineCase } from '../case.ts';
import { computeDayAhead } from '../days.ts';
import { checkPages } from '../pages.ts';
import { buildSlotSearch, listDistinct, listSlotsA, listSlotsB, type SlotB } from '../queries.ts';
import type { Subject } from '../subject.ts';

const base = { level: 'safe', needs: 'appointments.slots', section: '4.B' } as const;

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
  defineCase(base, 'slots.b.pages', {
    section: '8',
    title: 'the pages of the available slots count from 0, hold each slot once and tell how many there are',
    rule: 'lead-time',
    run: async (subject) => {
      const body = {
        ...buildSlotSearch(subject),
        dateConfig: { dateFrom: computeDayAhead(subject, 6), dateTo: computeDayAhead(subject, 9) },
      };
      await checkPages(subject, { route: 'POST /v1/available-slots', body });
    },
  }),
];

import type { Call } from '../../../src/ports/index.ts';
import { addDays, formatBound, type Zone } from '../../../src/toolkit/zone.ts';
import { isOnDayOfWeek, type SlotHours } from '../../common/slot-lists.ts';
import type { FhirContext } from '../context.ts';
import type { Resource } from '../schema/resources.ts';
import { listSlots, withAppointments } from './slot-facts.ts';
import { canSearchTogether, keepOffered, type SlotSearch, toQuery } from './slots.ts';

/** Of how many spans of days the slots are counted for a deep page; for days of the week it may be five times as many. */
const MAX_COUNTS = 16;

/**
 * Splits the time of a search into spans whose slots the server can count: days or hours of days that are asked for, or
 * several days together. Undefined where that is too many spans, or where a change of the clocks skips the hour.
 */
export function splitIntoDays(search: SlotSearch, hours: SlotHours | undefined, zone: Zone): SlotSearch[] | undefined {
  const { hourFrom, hourTo } = hours ?? {};
  const [from, until] = [Date.parse(search.from), Date.parse(search.until)];
  const step = hours ? 1 : Math.ceil((until - from) / 86_400_000 / MAX_COUNTS);
  const days: SlotSearch[] = [];
  for (let day = zone.toLocalDay(search.from); Date.parse(zone.toStartOfDay(day)) < until; ) {
    const next = addDays(day, step);
    const begin = hourFrom === undefined ? Date.parse(zone.toStartOfDay(day)) : zone.toEpoch(`${day}T${hourFrom}:00`);
    const close = hourTo === undefined ? Date.parse(zone.toStartOfDay(next)) : zone.toEpoch(`${day}T${hourTo}:00`);
    if (begin === undefined || close === undefined) return undefined;
    const span = { begins: Math.max(from, begin), ends: Math.min(until, close) };
    if (span.begins < span.ends && isOnDayOfWeek(day, hours ?? {})) {
      days.push({ ...search, from: formatBound(span.begins), until: formatBound(span.ends) });
    }
    // The last day of the calendar has no next one.
    if (next === day) break;
    day = next;
  }
  return days.length > 5 * MAX_COUNTS ? undefined : days;
}

/** The last slots of a time tell whether slots of it end behind it, which no search asks for; the longest one may be before. */
const lastOnes = { _sort: '-start', _count: '20', _total: 'accurate' } as const;

/** Rows of a list by their place in it; `end` is not among them. */
export interface RowRange {
  readonly first: number;
  readonly end: number;
}

/** Which slots of which schedules `readSlotDays` reads. */
export interface WantedDays {
  /** References to the schedules. */
  readonly ids: readonly string[];
  readonly days: readonly SlotSearch[];
  readonly rows: RowRange;
  /** Slots must end in the day or the hours in which they begin. */
  readonly mustEnd: boolean;
}

/**
 * Reads those rows of the slots that are offered, and how many slots there are: one request counts each of the days, and one
 * reads from those that have these rows. Undefined where the server cannot, or where slots must end in their time and some do not.
 */
export async function readSlotDays(
  context: FhirContext,
  { ids, days, rows, mustEnd }: WantedDays,
  call: Call,
): Promise<{ readonly slots: readonly Resource<'Slot'>[]; readonly total: number } | undefined> {
  const { client } = context;
  if (!canSearchTogether(context, ids)) return undefined;
  const counting = mustEnd ? lastOnes : { _summary: 'count' };
  const counted = days.map((day) => ({ ...toQuery(context, ids, day, true), ...counting }));
  const counts = await client.searchAtOnce('Slot', counted, call);
  let total = 0;
  const wanted: { readonly day: SlotSearch; readonly skip: number; readonly count: number }[] = [];
  for (const [index, day] of days.entries()) {
    const { total: size, matches = [] } = counts?.[index] ?? {};
    if (size === undefined || matches.some((slot) => Date.parse(slot.end) > Date.parse(day.until))) return undefined;
    const [skip, count] = [Math.max(0, rows.first - total), Math.min(size, rows.end - total)];
    if (count > skip) wanted.push({ day, skip, count });
    total += size;
  }
  if (wanted.length === 0) return { slots: [], total };
  const shown = { ...withAppointments, _sort: 'start,_id' };
  const asked = wanted.map(({ day, count }) => ({
    ...toQuery(context, ids, day, true),
    ...shown,
    _count: String(count),
  }));
  const found = await client.searchAtOnce('Slot', asked, call);
  const slots: Resource<'Slot'>[] = [];
  for (const [index, { day, skip, count }] of wanted.entries()) {
    const own = found?.[index];
    if (!own || own.matches.length < count || own.unreadable.length > 0) return undefined;
    slots.push(...keepOffered(context, listSlots(own).slice(skip, count), day));
  }
  return { slots, total };
}

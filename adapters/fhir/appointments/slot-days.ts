import type { Call } from '../../../src/ports/index.ts';
import { addDays, formatBound, type Zone } from '../../../src/toolkit/zone.ts';
import { isOnDayOfWeek, type SlotHours } from '../../common/slot-lists.ts';
import type { FhirContext } from '../context.ts';
import type { Resource } from '../schema/resources.ts';
import { listSlots, withAppointments } from './slot-facts.ts';
import { canSearchTogether, keepOffered, type SlotSearch, toQuery } from './slots.ts';

/** The number of time spans whose slots are counted for a deep page. Days of the week may need five times as many. */
const MAX_COUNTS = 16;

/**
 * Splits the time of a search into spans whose slots the server can count: single days, hours of single days, or
 * several days. Undefined if there are too many spans, or if a clock change skips the hour.
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
    // The last day of the calendar has no successor.
    if (next === day) break;
    day = next;
  }
  return days.length > 5 * MAX_COUNTS ? undefined : days;
}

/**
 * The last slots of a span show whether a slot ends after the span, which no search can ask for. A longer slot may
 * precede them.
 */
const lastOnes = { _sort: '-start', _count: '20', _total: 'accurate' } as const;

/** A range of rows by their index; `end` is excluded. */
export interface RowRange {
  readonly first: number;
  readonly end: number;
}

/** The slots for `readSlotDays`. */
export interface WantedDays {
  /** References to the schedules. */
  readonly ids: readonly string[];
  readonly days: readonly SlotSearch[];
  readonly rows: RowRange;
  /** True if slots must end within the day or the hours of their start. */
  readonly mustEnd: boolean;
}

/**
 * Reads the range of rows of the offered slots, and counts the slots. It counts each day by one request, and reads the
 * days of the range by another one. Undefined if the server does not support this, or if some slots end after their
 * span.
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

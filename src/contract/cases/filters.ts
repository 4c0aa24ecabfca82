import assert from 'node:assert/strict';
import type { Capability } from '../../ports/index.ts';
import { bookA, pickAny, takePatient, takePatientWith, takeTicketPatient } from '../arrange.ts';
import { type Case, defineCase, definePortCase } from '../case.ts';
import { expectCount, expectPromised, getBody } from '../expect.ts';
import {
  buildSlotSearch,
  computeDayAhead,
  listAppointmentsB,
  listSlotsA,
  listSlotsB,
  pickBelow,
  sortById,
  toDay,
  toInstant,
  toStart,
} from '../queries.ts';
import type { AppointmentB, Paged, SlotB, TicketBody } from '../resources.ts';
import type { Query, Request, Subject } from '../subject.ts';

/** One value of a parameter. */
interface Criterion<T> {
  readonly name: string;
  readonly value: unknown;
  /** True if the parameter selects the row. */
  readonly fits: (row: T) => boolean;
}

/** A list with its filters. */
interface FilteredList<T> {
  readonly whole: readonly T[];
  /** The values of each parameter. */
  readonly parameters: readonly (readonly Criterion<T>[])[];
  readonly list: (criteria: readonly Criterion<T>[]) => Promise<readonly T[]>;
  /** False for criteria that the operation refuses together. Default: true. */
  readonly isAllowed?: (criteria: readonly Criterion<T>[]) => boolean;
}

/** The number of rows of the first list that the other one lacks. */
function countOthers(rows: readonly unknown[], others: readonly unknown[]): number {
  const known = new Set(others.map((row) => JSON.stringify(row)));
  return rows.filter((row) => !known.has(JSON.stringify(row))).length;
}

/** Asserts that each value alone, with each value of each other parameter, and all together select the rows that meet every criterion. */
async function expectFiltered<T>({ whole, parameters, list, isAllowed = () => true }: FilteredList<T>): Promise<void> {
  const alone = parameters.flat().map((criterion) => [criterion]);
  const together = parameters.flatMap(([first]) => first ?? []);
  const byTwos = parameters.flatMap((values, index) =>
    parameters.slice(index + 1).flatMap((others) => values.flatMap((one) => others.map((other) => [one, other]))),
  );
  for (const criteria of [...alone, ...byTwos, together].filter(isAllowed)) {
    const expected = whole.filter((row) => criteria.every(({ fits }) => fits(row)));
    const names = criteria.map(({ name, value }) => `${name} ${String(value)}`).join(', ');
    const found = await list(criteria);
    const [missing, others] = [countOthers(expected, found), countOthers(found, expected)];
    const what = `narrowed by ${names}, the list has ${found.length} of ${whole.length} rows`;
    assert.ok(missing === 0, `${what}, and lacks ${missing} that meet the criteria`);
    const notListed = countOthers(found, whole);
    assert.ok(notListed === 0, `${what}, and ${notListed} other rows, which the whole list lacks`);
    assert.ok(others === 0, `${what}, and ${others} of them do not meet the criteria`);
    assert.deepEqual(found, expected, `${what} in another order than the whole list`);
  }
}

const toValues = (criteria: readonly Criterion<never>[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(criteria.map(({ name, value }) => [name, value]));

/** Asserts that the page of one row has the number of rows in its total. */
async function expectTotal(subject: Subject, request: Request, rows: readonly unknown[]): Promise<void> {
  const query = { ...request.query, limit: '1', page: '0' };
  const { pagination } = await getBody<Paged<unknown>>(subject, { ...request, query });
  expectCount(rows, pagination.totalElements, 'rows on all pages, by the total of the first,');
}

const toMinutes = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
const toEnd = ({ appointmentStart, minutesDuration }: SlotB): number =>
  toMinutes(appointmentStart) + Number(minutesDuration);
const toTime = (minutes: number): string =>
  [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');
/** A time of day has no 24:00. */
const isTimeOfDay = (minutes: number): boolean => minutes < 1440;
const toWeekday = (day: string): string =>
  new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' }).format(new Date(day)).toUpperCase();

/** The day of a start in the institution's zone. If its day in UTC differs, that day too: an adapter may confuse them. */
function listDaysOf(subject: Subject, start: string): readonly string[] {
  return [...new Set([start.slice(0, 10), toInstant(subject, start).slice(0, 10)])];
}

/** The parameters of the search for slots that select this slot, and others. */
function listSlotParameters(slot: SlotB, days: readonly string[]): FilteredList<SlotB>['parameters'] {
  const { practitionerId, locationId, modality, appointmentDate: day, appointmentStart: start } = slot;
  const end = toEnd(slot);
  const weekday = toWeekday(day);
  return [
    [{ name: 'practitionerId', value: practitionerId, fits: (each) => each.practitionerId === practitionerId }],
    [{ name: 'locationId', value: locationId, fits: (each) => each.locationId === locationId }],
    [{ name: 'modalityVirtual', value: modality === 'virtual', fits: (each) => each.modality === modality }],
    days.map((value) => ({ name: 'dateFrom', value, fits: (each) => each.appointmentDate >= value })),
    days.map((value) => ({ name: 'dateTo', value, fits: (each) => each.appointmentDate <= value })),
    [{ name: 'daysOfWeek', value: [weekday], fits: (each) => toWeekday(each.appointmentDate) === weekday }],
    // A minute after a start and before an end, too: a slot has to lie between both hours as a whole.
    [toMinutes(start), toMinutes(start) + 1].filter(isTimeOfDay).map((from) => ({
      ...{ name: 'hourFrom', value: toTime(from) },
      fits: (each) => toMinutes(each.appointmentStart) >= from,
    })),
    [end, end - 1]
      .filter(isTimeOfDay)
      .map((to) => ({ name: 'hourTo', value: toTime(to), fits: (each) => toEnd(each) <= to })),
  ];
}

const ofDates: readonly string[] = ['dateFrom', 'dateTo', 'daysOfWeek', 'hourFrom', 'hourTo'];

/** False if an end lies before a start, which the operation refuses. */
const isForward = (criteria: readonly Criterion<never>[]): boolean => {
  const { dateFrom = '', dateTo = '~', hourFrom = '', hourTo = '~' } = toValues(criteria);
  return String(dateFrom) <= String(dateTo) && String(hourFrom) <= String(hourTo);
};

async function filterSlots(subject: Subject): Promise<FilteredList<SlotB>> {
  const whole = await listSlotsB(subject);
  // The bounds of the first or the last slot would leave out none.
  const isInner = (of: (slot: SlotB) => string) => {
    const values = whole.map(of).toSorted();
    return (slot: SlotB) => of(slot) > (values[0] ?? '') && of(slot) < (values.at(-1) ?? '');
  };
  const inner = whole.filter(isInner((each) => each.appointmentDate)).filter(isInner((each) => each.appointmentStart));
  // From an early day on, the list is long: an adapter may ask its system for it in several parts.
  const early = inner.slice(0, Math.ceil(inner.length / 3));
  const candidates = early.length > 0 ? early : whole;
  const slot = candidates[pickBelow(candidates.length)];
  expectPromised(slot, 'a free slot of services.bookable');
  const { dateFrom, dateTo } = buildSlotSearch(subject).dateConfig;
  const isOfTwo = (days: readonly string[]) => days.length > 1 && days.every((day) => dateFrom <= day && day <= dateTo);
  const late = whole.map((each) => listDaysOf(subject, toStart(each))).find(isOfTwo) ?? [];
  const days = [...new Set([slot.appointmentDate, ...late])];
  return {
    whole,
    parameters: listSlotParameters(slot, days),
    isAllowed: isForward,
    list: async (criteria) => {
      const values = toValues(criteria);
      const entries = Object.entries(values);
      const search = buildSlotSearch(subject);
      const dates = entries.filter(([name]) => ofDates.includes(name));
      const others = entries.filter(([name]) => !ofDates.includes(name));
      const dateConfig = { ...search.dateConfig, ...Object.fromEntries(dates) };
      const body = { ...search, ...Object.fromEntries(others), dateConfig };
      const found = await listSlotsB(subject, body);
      await expectTotal(subject, { route: 'POST /v1/available-slots', body }, found);
      return found;
    },
  };
}

/** The most days from which a list of appointments is asked for. */
const MAX_DAYS = 8;

async function filterAppointments(subject: Subject): Promise<FilteredList<AppointmentB>> {
  const patientId = subject.fixtures.patients.complete;
  const whole = sortById(await listAppointmentsB(subject, patientId));
  expectPromised(whole.length > 0, 'an appointment of patients.complete');
  // Before others, the days of appointments whose day in UTC differs.
  const ofStarts = whole.map((each) => listDaysOf(subject, toStart(each))).toSorted((a, b) => b.length - a.length);
  const days = [...new Set(ofStarts.flat())].slice(0, MAX_DAYS);
  const statuses = ['active', 'canceled'].map((status) => ({
    name: 'appointmentStatus',
    value: status,
    fits: (each: AppointmentB) => each.appointmentStatus === status,
  }));
  return {
    whole,
    parameters: [
      days.map((day) => ({ name: 'dateFrom', value: day, fits: (each) => each.appointmentDate >= day })),
      statuses,
      ['ASC', 'DESC'].map((value) => ({ name: 'sortDirection', value, fits: () => true })),
    ],
    list: async (criteria) => {
      const query = toValues(criteria) as Query;
      const found = await listAppointmentsB(subject, patientId, query);
      const starts = found.map(toStart);
      const sorted = query.sortDirection === 'DESC' ? starts.toSorted().toReversed() : starts.toSorted();
      assert.deepEqual(starts, sorted, 'the appointments are not sorted by their starts');
      await expectTotal(subject, { route: 'GET /v1/appointments', query: { patientId, ...query } }, found);
      return sortById(found);
    },
  };
}

const addDay = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);

async function filterTickets(subject: Subject): Promise<FilteredList<TicketBody>> {
  const listTickets = (each: Subject, id: string, query: Query = {}): Promise<TicketBody[]> =>
    getBody(each, { route: 'GET /patients/{id}/ticket/', params: { id }, query });
  const { id, list } = await takePatientWith(subject, listTickets, takeTicketPatient);
  const { ticketType, typedTicketType, unknown } = subject.fixtures;
  for (const [type, field] of [
    [ticketType.id, { id: ticketType.checked.id, value: ticketType.checked.fits }],
    [typedTicketType.id, { id: typedTicketType.number, value: '3' }],
  ] as const) {
    const body = { observations: 'Por favor', fields: [field] };
    const params = { id, ticket_type_id: type };
    await getBody(subject, { route: 'POST /patients/{id}/ticket_type/{ticket_type_id}/ticket', params, body }, 201);
  }
  const whole = await list();
  const [{ status, createdAt } = { status: '', createdAt: '' }] = whole;
  expectCount(whole, 2, 'tickets');
  const day = toDay(subject, createdAt);
  const toOwnDay = (ticket: TicketBody) => toDay(subject, ticket.createdAt);
  return {
    whole,
    parameters: [
      [ticketType.id, typedTicketType.id, unknown].map((value) => ({
        ...{ name: 'ticket_type_id', value },
        fits: ({ ticket_type_id }) => ticket_type_id === value,
      })),
      // The last begins with a known status, for a system that reads it as a part of a query.
      [status, 'nonesuch', `${status.slice(0, 30)}&+#%25`].map((value) => ({
        name: 'status',
        value,
        fits: (ticket) => ticket.status === value,
      })),
      [day, addDay(day, 1)].map((value) => ({
        ...{ name: 'start_date', value },
        fits: (ticket) => toOwnDay(ticket) >= value,
      })),
      // No end lies before a start.
      [{ name: 'end_date', value: addDay(day, 1), fits: (ticket) => toOwnDay(ticket) <= addDay(day, 1) }],
    ],
    list: (criteria) => list(toValues(criteria) as Query),
  };
}

const defineFilterCase = <T>(
  base: { readonly level: 'safe' | 'write'; readonly needs: Capability; readonly requires?: readonly Capability[] },
  title: string,
  filter: (subject: Subject) => Promise<FilteredList<T>>,
): Case =>
  defineCase({ ...base, section: '4.B' }, `filters.${base.needs}`, {
    title,
    run: async (subject) => expectFiltered(await filter(subject)),
  });

/** A list holds the rows that meet every criterion, whatever is combined with whatever. */
export const filterCases: readonly Case[] = [
  defineFilterCase(
    { level: 'safe', needs: 'appointments.slots' },
    'practitioner, location, modality, days, both inclusive, days of the week and hours narrow the slots, each alone and several together, and the total with them',
    filterSlots,
  ),
  defineFilterCase(
    { level: 'safe', needs: 'appointments.list' },
    'dateFrom and appointmentStatus narrow the appointments, each alone and together, in either order, and the total with them',
    filterAppointments,
  ),
  defineFilterCase(
    { level: 'write', needs: 'tickets.list', requires: ['tickets.open', 'tickets.type'] },
    'type, status and days narrow the tickets, each alone and several together',
    filterTickets,
  ),
];

/** The days of filters count in the institution's zone. */
export const dayFilterCases: readonly Case[] = [
  definePortCase({ level: 'destructive', needs: 'appointments.list', section: '2' }, 'ports.midnight.appointments', {
    requires: ['appointments.slots', 'appointments.book'],
    title:
      'list: an appointment is listed from its day in the institution’s zone, even if its day in UTC differs, and not from the next',
    run: async (subject) => {
      const soon = computeDayAhead(subject, 5);
      const slots = (await listSlotsA(subject)).filter(({ date }) => date > soon);
      const late = slots.filter(({ date }) => listDaysOf(subject, date).length > 1);
      const slot = pickAny(late.length > 0 ? late : slots);
      const id = await takePatient(subject);
      const appointmentId = await bookA(subject, id, slot);
      const next = addDay(slot.date.slice(0, 10), 1);
      for (const from of new Set([...listDaysOf(subject, slot.date), next])) {
        const query = { order: 'ascending', from } as const;
        const { items } = await subject.getPort('appointments').list(id, query, subject.createCall());
        const isListed = items.some((each) => each.id === appointmentId);
        const found = `an appointment at ${slot.date} is ${isListed ? '' : 'not '}listed from ${from}`;
        assert.ok(isListed === from <= slot.date, `${found}: compare its day in ${subject.fixtures.timeZone}`);
      }
    },
  }),
];

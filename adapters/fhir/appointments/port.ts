import { badAnswer } from '../../../src/http-client/failures.ts';
import {
  type AppointmentQuery,
  type AppointmentStatus,
  type Appointments,
  type Call,
  Failure,
  type Modality,
  type Page,
  type Slot,
  type SlotPage,
  type SlotQuery,
  takePage,
} from '../../../src/ports/index.ts';
import { ignoreFailure } from '../../../src/toolkit/failures.ts';
import { addDays, formatBound } from '../../../src/toolkit/zone.ts';
import { isEligible } from '../../common/care-services.ts';
import { createPromisedFailure, requireFound } from '../../common/failures.ts';
import { findApplicant, readPayer } from '../care-services/eligibility.ts';
import { getServiceCode, readLimits } from '../care-services/read.ts';
import type { FhirContext } from '../context.ts';
import {
  allAppointments,
  findInPatientCompartment,
  formatPatients,
  type MergedPerson,
  searchPatientCompartment,
} from '../patients/person.ts';
import { formatToken, type SearchQuery } from '../rest/query.ts';
import { type SearchResult, toRows } from '../rest/search-result.ts';
import type { TransactionEntry } from '../rest/transaction-entries.ts';
import { keepDecimals } from '../rest/transport.ts';
import { parseReferenceId, type Reference } from '../schema/datatypes.ts';
import { computeMinutesBetween, toMinute } from '../schema/read.ts';
import type { Resource } from '../schema/resources.ts';
import { appointmentStatuses, hl7 } from '../schema/terminology.ts';
import { confirmWrite, retryOnConflict } from '../writes.ts';
import { bookSlots } from './book.ts';
import {
  fetchReferenced,
  isCancelableNow,
  toAppointment,
  toAppointmentStatus,
  toModality,
  toStatusFor,
} from './read.ts';
import {
  type BookableSchedule,
  computeBookingHorizon,
  countSlots,
  findAvailableService,
  findInTime,
  isForService,
  listIds,
  MAX_ROWS,
  readScheduleIndex,
  readSlotDays,
  type SlotSearch,
  walkSlots,
} from './slots.ts';

/** Appointments as `Appointment`s, free time as `Slot`s that the institution publishes. */
export const createAppointments = (context: FhirContext): Appointments => ({
  async list(patientId, query, call) {
    const { found, person, rows, total } = await readPage(context, patientId, query, call);
    const referenced = await fetchReferenced(found, context, call);
    const toRow = (each: Resource<'Appointment'>) => toAppointment(each, person, found, referenced, context, call);
    return { items: await toRows(found, rows, toRow, call), total };
  },

  slots: (query, call) => findFreeSlots(context, query, call),
  book: (patientId, booking, call) => bookSlots(context, patientId, booking, call),
  cancel: (patientId, appointmentId, call) => cancelAppointment(context, patientId, appointmentId, call),
});

const byPatient = { coding: [{ system: hl7.cancellationReason, code: 'pat' }] };

/**
 * Cancels an appointment and frees its future slots, unless others have them too, in one transaction; the contract is that of `Appointments.cancel`.
 * After a conflict it tries once more, since what it then reads tells whether it is canceled already.
 */
async function cancelAppointment(context: FhirContext, patientId: string, id: string, call: Call): Promise<void> {
  const { client, transactions } = context;
  const read = async (call: Call) => {
    const query = { _include: 'Appointment:slot' };
    const own = await findInPatientCompartment(client, 'Appointment', patientId, id, call, query);
    const status = own && toStatusFor(own.ids, own.resource);
    if (!own || !status) throw new Failure('not_found', 'the patient has no such appointment');
    return { ...own, isCanceled: status === 'canceled' };
  };
  const exact = keepDecimals(call);
  const cancelOnce = async (earlier: number) => {
    const { resource: appointment, found, ids, isCanceled } = await read(exact);
    if (isCanceled) return true;
    if (!isCancelableNow(ids, appointment, context, call)) throw createPromisedFailure('not_cancelable');
    const slots = await findSlotsToFree(context, appointment, found, earlier, exact);
    const canceled: TransactionEntry = {
      resource: appointment,
      changes: { status: 'cancelled', cancelationReason: byPatient },
    };
    const freed = slots.map((slot): TransactionEntry => ({ resource: slot, changes: { status: 'free' } }));
    await transactions.send([canceled, ...freed], call);
    return true;
  };
  const find = async (lastLook: Call) => (await read(lastLook)).isCanceled || undefined;
  await confirmWrite(() => retryOnConflict(cancelOnce, call, 1), find, call);
}

/** Booked, or held for an appointment that waits. */
const isTaken = (slot: Resource<'Slot'> | undefined): boolean =>
  slot !== undefined && ['busy', 'busy-tentative'].includes(slot.status);

/** The future slots of the appointment that no other active appointment names. */
async function findSlotsToFree(
  { client }: FhirContext,
  { id, slot = [] }: Resource<'Appointment'>,
  found: SearchResult<'Appointment'>,
  earlier: number,
  call: Call,
) {
  // What came along may be as old as what is read by id: it was not busy before it was booked, or has another version now.
  const isCurrent = (each: Reference) => earlier === 0 && isTaken(found.resolve(each, 'Slot'));
  const unsure = slot.filter((each) => !isCurrent(each)).flatMap((each) => parseReferenceId(each, 'Slot') ?? []);
  found.add(await client.readMany('Slot', unsure, call, { lenient: true }));
  const own = slot
    .flatMap((each) => found.resolve(each, 'Slot') ?? [])
    .filter((each) => isTaken(each) && Date.parse(each.start) > Date.parse(call.now));
  if (own.length === 0) return own;
  const query = { slot: own.map((each) => `Slot/${each.id}`).join(','), status: appointmentStatuses.active.join(',') };
  const { matches } = await client.search('Appointment', query, call);
  const others = matches.filter((each) => each.id !== id && toAppointmentStatus(each) === 'active');
  const kept = new Set(others.flatMap((other) => (other.slot ?? []).map((each) => parseReferenceId(each, 'Slot'))));
  return own.filter((each) => !kept.has(each.id));
}

/** The most matches that servers agree to skip. */
const MAX_OFFSET = 10_000;

/** Any date. */
const EVER = 'ge1900-01-01';

/**
 * Reads one page; all where the server does not count, cannot skip so far, or counts what the patient has declined. A canceled
 * appointment that never had a time is none.
 */
async function readPage(
  { client, zone }: FhirContext,
  patientId: string,
  { from, status, order, page }: AppointmentQuery,
  call: Call,
) {
  const date = from && `ge${zone.toStartOfDay(from)}`;
  const all: SearchQuery = {
    date,
    _sort: order === 'ascending' ? 'date' : '-date',
    _include: ['Appointment:actor', 'Appointment:supporting-info'],
    '_include:iterate': ['Coverage:payor', 'PractitionerRole:practitioner'],
  };
  let who: string | MergedPerson = patientId;
  const offset = page ? page.page * page.limit : 0;
  if (page && offset <= MAX_OFFSET) {
    const paging = { _count: String(page.limit), _offset: String(offset), _total: 'accurate' };
    // What was canceled without ever having a time must not count; servers find by date only what has one.
    const query = {
      ...all,
      status: listStatuses(status).join(','),
      ...(status !== 'active' && { date: date ?? EVER }),
      ...paging,
    };
    const options = { onePage: true, lenient: true } as const;
    const { found, person } = await searchPatientCompartment(client, 'Appointment', who, query, call, options);
    assertAsked(found.matches, status);
    who = person;
    // A server may give smaller pages than it is asked for; the next one of the caller would begin behind the rest.
    const unreadable = found.unreadable.filter(({ type }) => type === 'Appointment');
    const isCut = found.more && found.matches.length + unreadable.length < page.limit;
    if (found.total !== undefined && !isCut && !(status && (await mayHaveDeclined(person)))) {
      return { found, person, rows: found.matches, total: found.total };
    }
  }
  const options = { ...allAppointments, lenient: true } as const;
  // What is canceled for the patient alone is not canceled for the server.
  const asked = status === 'active' ? status : undefined;
  const query = { ...all, status: listStatuses(asked).join(','), _count: '200' };
  const { found, person } = await searchPatientCompartment(client, 'Appointment', who, query, call, options);
  assertAsked(found.matches, asked);
  const { items, total } = takePage(
    found.matches
      .filter((each) => each.start !== undefined || each.status !== 'cancelled')
      .filter((each) => !status || toStatusFor(person.ids, each) === status),
    page,
  );
  return { found, person, rows: items, total };

  /** Leaving out what was not asked for would make the server’s total wrong. @throws Failure bad_answer */
  function assertAsked(matches: readonly Resource<'Appointment'>[], asked: AppointmentStatus | undefined): void {
    const since = from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(zone.toStartOfDay(from));
    const isAsked = (each: Resource<'Appointment'>) =>
      listStatuses(asked).includes(each.status) && !(Date.parse(each.start ?? '') < since);
    if (!matches.every(isAsked)) throw badAnswer('unasked_appointment');
  }

  /** Whether the server may count appointments as active that are canceled for the patient, who has declined. */
  async function mayHaveDeclined({ ids }: MergedPerson): Promise<boolean> {
    const query = {
      date,
      patient: formatPatients(ids),
      status: listStatuses('active').join(','),
      'part-status': 'declined',
    };
    return (await client.count('Appointment', query, call).catch(ignoreFailure)) !== 0;
  }
}

const listStatuses = (status?: AppointmentStatus): readonly string[] =>
  status ? appointmentStatuses[status] : Object.values(appointmentStatuses).flat();

/** Of how many spans of days the slots are counted for a deep page; for days of the week it may be five times as many. */
const MAX_COUNTS = 16;

/** Up to this row a page is read from the first slot on, and has no gaps where some cannot be booked. */
const MAX_FROM_START = 1_000;

/** The free slots that the institution has published; the contract is that of `Appointments.slots`. */
async function findFreeSlots(context: FhirContext, query: SlotQuery, call: Call): Promise<SlotPage> {
  const { zone } = context;
  const { practitionerId, locationId, modality } = query;
  const service = requireFound(await findAvailableService(context, query.serviceId, call), 'service', 'serviceId');
  const index = await readScheduleIndex(context, call);
  requireFound(await index.exists('Practitioner', practitionerId, call), 'practitioner', 'practitionerId');
  requireFound(await index.exists('Location', locationId, call), 'location', 'locationId');
  const limits = readLimits(service, context);
  const applicant = await findApplicant(context, query, call);
  const coverage = await readPayer(applicant, [limits], context, call);
  if (!isEligible(limits, { ...applicant, coverage }, zone.toLocalDay(call.now))) return takePage([], query.page);
  const schedules = index.findByService(service, practitionerId, locationId);
  // A minute that has begun is past.
  const from = pickLater(formatBound(toMinute(call.now) + 60_000), query.from && zone.toStartOfDay(query.from));
  const horizon = computeBookingHorizon(context, call);
  const until = pickEarlier(horizon, query.to && zone.toEndOfDay(query.to));
  if (schedules.length === 0 || Date.parse(from) >= Date.parse(until)) return takePage([], query.page);
  const schedulesOf = Map.groupBy(schedules, ({ id }) => id);
  const toOffers = (slots: readonly Resource<'Slot'>[]) =>
    slots.flatMap((slot) => {
      if (!isForService(slot, service, context)) return [];
      const own = schedulesOf.get(parseReferenceId(slot.schedule, 'Schedule') ?? '') ?? [];
      return own
        .map((schedule) => ({ slot, schedule, kind: toModality(slot.serviceCategory) ?? schedule.modality }))
        .filter(({ kind }) => (modality ?? kind) === kind);
    });
  const toSlot = ({ slot, schedule, kind }: ReturnType<typeof toOffers>[number]): Slot => ({
    id: slot.id,
    start: zone.toLocalTime(formatBound(toMinute(slot.start))),
    minutes: computeMinutesBetween(slot.start, slot.end),
    serviceId: service.id,
    practitionerId: schedule.practitionerId,
    locationId: schedule.siteId,
    modality: kind,
  });
  const { narrowed } = query;
  const { page, fits = () => true } = narrowed ?? { page: query.page };
  const first = page ? page.page * page.limit : 0;
  const end = page ? first + page.limit : MAX_ROWS;
  // Each practitioner of a schedule is offered its slots, and the server counts them once.
  const isCountable = page !== undefined && schedulesOf.size === schedules.length;
  const ofKind = schedules.filter((each) => (modality ?? each.modality) === each.modality);
  const findPage = async () =>
    (isCountable && (narrowed !== undefined || end > MAX_FROM_START) && (await readDays())) ||
    (await (isCountable && !narrowed ? read(ofKind, true) : read(schedules, false)));
  const found = await findInTime(context, findPage, call);
  const beyond = page ? 0 : found.total - found.items.length;
  for (let row = 0; row < beyond; row++) call.omit({ resourceType: 'Slot', element: 'start' });
  return narrowed ? { ...found, isNarrowed: true } : found;

  /** Only the days of the page are read; undefined where the server cannot, or cannot count what is offered. */
  async function readDays(): Promise<Page<Slot> | undefined> {
    const days: SlotSearch[] = [];
    const { hourFrom, hourTo } = narrowed ?? {};
    const step = narrowed ? 1 : Math.ceil((Date.parse(until) - Date.parse(from)) / 86_400_000 / MAX_COUNTS);
    for (let day = zone.toLocalDay(from); Date.parse(zone.toStartOfDay(day)) < Date.parse(until); ) {
      const next = addDays(day, step);
      const begin = hourFrom === undefined ? Date.parse(zone.toStartOfDay(day)) : zone.toEpoch(`${day}T${hourFrom}:00`);
      const close = hourTo === undefined ? Date.parse(zone.toStartOfDay(next)) : zone.toEpoch(`${day}T${hourTo}:00`);
      // The clocks skip that hour.
      if (begin === undefined || close === undefined) return undefined;
      const bounds = { from: pickLater(from, formatBound(begin)), until: pickEarlier(until, formatBound(close)) };
      const isOpen = Date.parse(bounds.from) < Date.parse(bounds.until);
      if (isOpen && (narrowed?.fitsDay(day) ?? true)) days.push({ status: 'free', ...bounds });
      day = next;
    }
    if (days.length > 5 * MAX_COUNTS) return undefined;
    const rows = { first, end, mustEnd: hourTo !== undefined };
    const read = await readSlotDays(context, listIds(ofKind), days, rows, call);
    if (!read || !(await areAsScheduled(context, schedules, service, modality, call))) return undefined;
    return { items: toOffers(read.slots).map(toSlot).filter(fits), total: read.total };
  }

  /** Only the beginning is read where the server can count what is offered, else all of it, of which the page is kept. */
  async function read(some: readonly BookableSchedule[], isCounted: boolean): Promise<Page<Slot>> {
    const items: Slot[] = [];
    const isPart = some.length < schedules.length;
    const areCounted = () => areAsScheduled(context, schedules, service, modality, call);
    const search: SlotSearch = { status: 'free', from, until, ...(isCounted && { first: end }) };
    let count = 0;
    for await (const { slots, more, total } of walkSlots(context, listIds(some), search, call)) {
      const offers = toOffers(slots);
      const rows = offers.map(toSlot).filter(fits);
      items.push(...rows.slice(Math.max(0, first - count), Math.max(0, end - count)));
      count += rows.length;
      isCounted &&= total !== undefined && offers.length === slots.length;
      if (!more || count < end || !isCounted) continue;
      if (total !== undefined && (await areCounted())) return { items, total };
      if (isPart) return read(schedules, false);
      isCounted = false;
    }
    return isPart && !(isCounted && (await areCounted())) ? read(schedules, false) : { items, total: count };
  }
}

/** Whether no slot, past ones too, is for another service than its schedule's, or another kind of visit than asked. */
async function areAsScheduled(
  context: FhirContext,
  schedules: readonly BookableSchedule[],
  service: Resource<'HealthcareService'>,
  modality: Modality | undefined,
  call: Call,
): Promise<boolean> {
  const count = (some: readonly BookableSchedule[], parameter: string, system: string, code = '') =>
    countSlots(context, listIds(some), { [parameter]: formatToken(system, code) }, call);
  const system = context.codes.system('hcs');
  const named = await count(schedules, 'service-type', system);
  const own = getServiceCode(service, system);
  if (named !== 0 && (own === undefined || named !== (await count(schedules, 'service-type', system, own))))
    return false;
  if (modality === undefined) return named !== undefined;
  const { virtual = [], 'in-person': others = [] } = Object.groupBy(schedules, (each) => each.modality);
  const countKind = (some: readonly BookableSchedule[], code?: string) =>
    count(some, 'service-category', hl7.actCode, code);
  return (await countKind(others, 'VR')) === 0 && (await countKind(virtual)) === (await countKind(virtual, 'VR'));
}

const pickLater = (a: string, b = a): string => (Date.parse(b) > Date.parse(a) ? b : a);
const pickEarlier = (a: string, b = a): string => (Date.parse(b) < Date.parse(a) ? b : a);

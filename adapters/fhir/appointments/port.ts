import { badAnswer } from '../../../src/http-client/failures.ts';
import {
  type AppointmentQuery,
  type AppointmentStatus,
  type Appointments,
  type Call,
  Failure,
  type Instant,
  takePage,
} from '../../../src/ports/index.ts';
import { ignoreFailure } from '../../../src/toolkit/failures.ts';
import { createPromisedFailure } from '../../common/failures.ts';
import type { FhirContext } from '../context.ts';
import {
  allAppointments,
  findInPatientCompartment,
  formatPatients,
  type MergedPerson,
  searchPatientCompartment,
} from '../patients/person.ts';
import type { FhirClient } from '../rest/client.ts';
import type { SearchQuery } from '../rest/query.ts';
import { type SearchResult, toRows } from '../rest/search-result.ts';
import type { TransactionEntry } from '../rest/transaction-entries.ts';
import { keepDecimals } from '../rest/transport.ts';
import { parseReferenceId, type Reference } from '../schema/datatypes.ts';
import type { Resource } from '../schema/resources.ts';
import { appointmentStatuses, hl7 } from '../schema/terminology.ts';
import { confirmWrite, retryOnConflict } from '../writes.ts';
import { bookSlots } from './book.ts';
import { findFreeSlots } from './free-slots.ts';
import { fetchReferenced, isCancelableNow, toAppointment, toAppointmentStatus, toStatusFor } from './read.ts';

/** Appointments are `Appointment` resources, and free times are published `Slot`s. */
export const createAppointments = (context: FhirContext): Appointments => ({
  async list(patientId, query, call) {
    const { found, person, rows, total } = await readPage(context, patientId, query, call);
    const referenced = await fetchReferenced(found, context, call);
    const toRow = (each: Resource<'Appointment'>) => toAppointment(each, { ...referenced, person }, context, call);
    return { items: await toRows(found, rows, toRow, call), total };
  },

  slots: (query, call) => findFreeSlots(context, query, call),
  book: (patientId, booking, call) => bookSlots(context, patientId, booking, call),
  cancel: (patientId, appointmentId, call) => cancelAppointment(context, patientId, appointmentId, call),
});

const byPatient = { coding: [{ system: hl7.cancellationReason, code: 'pat' }] };

/**
 * Cancels an appointment and frees its future slots in one transaction, as `Appointments.cancel` specifies. Slots of
 * other appointments stay busy. After a conflict it tries once more, because another read shows whether the appointment
 * is already canceled.
 */
async function cancelAppointment(context: FhirContext, patientId: string, id: string, call: Call): Promise<void> {
  const { client, transactions } = context;
  const read = async (call: Call) => {
    const wanted = { patientId, id, query: { _include: 'Appointment:slot' } };
    const own = await findInPatientCompartment(client, 'Appointment', wanted, call);
    const status = own && toStatusFor(own.ids, own.resource);
    if (!own || !status) throw new Failure('not_found', 'the patient has no such appointment');
    return { ...own, isCanceled: status === 'canceled' };
  };
  const exact = keepDecimals(call);
  const cancelOnce = async (earlier: number) => {
    const { resource: appointment, found, ids, isCanceled } = await read(exact);
    if (isCanceled) return true;
    if (!isCancelableNow(ids, appointment, context, call)) throw createPromisedFailure('not_cancelable');
    const slots = await findSlotsToFree(context, { appointment, found, earlier }, exact);
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

/** True if the slot is booked, or reserved for a waiting appointment. */
const isTaken = (slot: Resource<'Slot'> | undefined): boolean =>
  slot !== undefined && ['busy', 'busy-tentative'].includes(slot.status);

/** A read appointment with its slots. */
interface ReadAppointment {
  readonly appointment: Resource<'Appointment'>;
  readonly found: SearchResult<'Appointment'>;
  /** The number of failed attempts to write it. */
  readonly earlier: number;
}

/** The future slots of the appointment that have no other active appointment. */
async function findSlotsToFree(
  { client }: FhirContext,
  { appointment: { id, slot = [] }, found, earlier }: ReadAppointment,
  call: Call,
) {
  // An included slot may be as old as a cached read by id: it was not yet busy then, or had another version.
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

/** The maximum number of matches that servers skip. */
const MAX_OFFSET = 10_000;

/** Matches any date. */
const EVER = 'ge1900-01-01';

/**
 * Reads one page. Reads all appointments if the server does not count, sort or skip, cannot skip so far, or counts
 * declined ones. A canceled appointment without a time is left out.
 */
async function readPage(
  { client, zone }: FhirContext,
  patientId: string,
  { from, status, order, page }: AppointmentQuery,
  call: Call,
) {
  const start = from && zone.toStartOfDay(from);
  const date = start && `ge${start}`;
  const all: SearchQuery = {
    date,
    _sort: order === 'ascending' ? 'date' : '-date',
    _include: ['Appointment:actor', 'Appointment:supporting-info'],
    '_include:iterate': ['Coverage:payor', 'PractitionerRole:practitioner'],
  };
  let who: string | MergedPerson = patientId;
  const { ladder } = client;
  const isPaged = () => pageParts.every((part) => ladder.heeds('Appointment', part));
  const offset = page ? page.page * page.limit : 0;
  if (page && offset <= MAX_OFFSET && isPaged()) {
    const paging = { _count: String(page.limit), _offset: String(offset), _total: 'accurate' };
    // Canceled appointments without a time must not count. Servers find only appointments with a time by date.
    const dated = status === 'active' ? all : { ...all, date: date ?? EVER };
    const query = { ...dated, ...paging, status: listStatuses(status).join(',') };
    const search = { who, query, onePage: true, lenient: true } as const;
    const { found, person } = await searchPatientCompartment(client, 'Appointment', search, call);
    assertAsked(found.matches, status, start);
    who = person;
    // A server may return smaller pages than requested. The caller's next page would then skip the rest.
    const unreadable = found.unreadable.filter(({ type }) => type === 'Appointment');
    const rows = found.matches.length + unreadable.length;
    const isCut = found.more && rows < page.limit;
    if (rows > page.limit) ladder.notice('Appointment', '_offset');
    if (!isInOrder(found.matches, order)) ladder.notice('Appointment', '_sort');
    const hasOthers = found.total !== undefined && found.total > rows && rows > 0;
    if (hasOthers && !isCut && !ladder.isTried('Appointment', '_offset')) {
      await tryPaging(client, { query, page: found, order }, person, call);
    }
    const isPage = isPaged() && pageParts.every((part) => !found.lacks.has(part));
    if (isPage && found.total !== undefined && !isCut) {
      const isUnsure = status && (await mayHaveDeclined(client, person, date, call));
      if (!isUnsure) return { found, person, rows: found.matches, total: found.total };
    }
  }
  // An appointment that is canceled only for the patient has another status on the server.
  const asked = status === 'active' ? status : undefined;
  const query = { ...all, status: listStatuses(asked).join(','), _count: '200' };
  const search = { who, query, ...allAppointments, lenient: true } as const;
  const { found, person } = await searchPatientCompartment(client, 'Appointment', search, call);
  assertAsked(found.matches, asked, start);
  const inOrder = isInOrder(found.matches, order) ? found.matches : toOrdered(found.matches, order);
  const { items, total } = takePage(
    inOrder
      .filter((each) => each.start !== undefined || each.status !== 'cancelled')
      .filter((each) => !status || toStatusFor(person.ids, each) === status),
    page,
  );
  return { found, person, rows: items, total };
}

/** A page of appointments, with its query and its order. */
interface PageRead {
  readonly query: SearchQuery;
  readonly page: SearchResult<'Appointment'>;
  readonly order: AppointmentQuery['order'];
}

/** Compares the page with another one, once an hour: some servers ignore the offset or the order. */
async function tryPaging(
  client: FhirClient,
  { query, page, order }: PageRead,
  person: MergedPerson,
  call: Call,
): Promise<void> {
  const { ladder } = client;
  const isFirst = query._offset === '0';
  const { _include, '_include:iterate': _, ...criteria } = query;
  const other = { ...criteria, patient: formatPatients(person.ids), _offset: isFirst ? query._count : '0' };
  const { matches } = await client.search('Appointment', other, call, { onePage: true, lenient: true });
  const ids = new Set(page.matches.map(({ id }) => id));
  if (matches.some(({ id }) => ids.has(id))) ladder.notice('Appointment', '_offset');
  else ladder.confirm('Appointment', '_offset');
  const both = isFirst ? [...page.matches, ...matches] : [...matches, ...page.matches];
  if (!isInOrder(both, order)) ladder.notice('Appointment', '_sort');
}

/** Dropping unexpected matches would make the server's total wrong. @throws Failure bad_answer */
function assertAsked(
  matches: readonly Resource<'Appointment'>[],
  asked: AppointmentStatus | undefined,
  from: Instant | undefined,
): void {
  const since = from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(from);
  const isAsked = (each: Resource<'Appointment'>) =>
    listStatuses(asked).includes(each.status) && !(Date.parse(each.start ?? '') < since);
  if (!matches.every(isAsked)) throw badAnswer('unasked_appointment');
}

/** Returns true if the server may count declined appointments as active. */
async function mayHaveDeclined(
  client: FhirClient,
  { ids }: MergedPerson,
  date: string | undefined,
  call: Call,
): Promise<boolean> {
  const query = {
    date,
    patient: formatPatients(ids),
    status: listStatuses('active').join(','),
    'part-status': 'declined',
  };
  return (await client.count('Appointment', query, call).catch(ignoreFailure)) !== 0;
}

/** Parameters that a server needs for a page of a list. */
const pageParts = ['_offset', '_total', '_sort'] as const;

const getStart = ({ start }: Resource<'Appointment'>): number => Date.parse(start ?? '');

/** True if the appointments with a time are in the requested order. */
function isInOrder(all: readonly Resource<'Appointment'>[], order: AppointmentQuery['order']): boolean {
  const starts = all.map(getStart).filter((start) => !Number.isNaN(start));
  const sign = order === 'ascending' ? 1 : -1;
  return starts.every((start, index) => (start - (starts[index - 1] ?? start)) * sign >= 0);
}

/** Sorts by time. Appointments without a time come last. */
function toOrdered(all: readonly Resource<'Appointment'>[], order: AppointmentQuery['order']) {
  const sign = order === 'ascending' ? 1 : -1;
  const compare = (one: number, other: number) =>
    Number.isNaN(one) ? 1 : Number.isNaN(other) ? -1 : (one - other) * sign;
  return all.toSorted((one, other) => compare(getStart(one), getStart(other)));
}

const listStatuses = (status?: AppointmentStatus): readonly string[] =>
  status ? appointmentStatuses[status] : Object.values(appointmentStatuses).flat();

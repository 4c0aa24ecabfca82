import type { Appointment, AppointmentQuery, Call, Page } from '../../../src/ports/index.ts';
import { takePage } from '../../../src/ports/take-page.ts';
import { badAnswer } from '../../../src/toolkit/http-client/failures.ts';
import type { FhirContext } from '../context.ts';
import { allAppointments, searchPatientCompartment } from '../patients/compartment.ts';
import type { Person } from '../patients/merged.ts';
import { toRows } from '../rest/search-result.ts';
import type { Query } from '../rest/url.ts';
import type { Resource } from '../schema/resources.ts';
import { appointmentStatuses } from '../schema/terminology.ts';
import { fetchReferenced, toAppointment, toAppointmentStatus, toStatusFor } from './read.ts';

/** The most matches that servers agree to skip. */
const MAX_OFFSET = 10_000;

/** Any date. */
const EVER = 'ge1900-01-01';

/** The patient's appointments; a canceled one that never had a time is none; the contract is that of `Appointments.list`. */
export async function listAppointments(
  context: FhirContext,
  patientId: string,
  query: AppointmentQuery,
  call: Call,
): Promise<Page<Appointment>> {
  const { found, person, rows, total } = await readPage(context, patientId, query, call);
  const since = query.from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(context.zone.toStartOfDay(query.from));
  const isAsked = (each: Resource<'Appointment'>) =>
    toAppointmentStatus(each) !== undefined &&
    (query.status ?? toAppointmentStatus(each)) === toAppointmentStatus(each) &&
    !(Date.parse(each.start ?? '') < since);
  // Leaving out what was not asked for would make the server’s total wrong.
  if (!found.matches.every(isAsked)) throw badAnswer('unasked_appointment');
  const referenced = await fetchReferenced(found, context, call);
  const toRow = (each: Resource<'Appointment'>) => toAppointment(each, person, found, referenced, context, call);
  const items = await toRows(found, rows, toRow, call);
  return { items, total };
}

/** Reads one page; all pages from the beginning where the server does not count or cannot skip so far. */
async function readPage(
  { client, zone }: FhirContext,
  patientId: string,
  { from, status, order, page }: AppointmentQuery,
  call: Call,
) {
  const statuses = status ? appointmentStatuses[status] : Object.values(appointmentStatuses).flat();
  const all: Query = {
    status: statuses.join(','),
    date: from && `ge${zone.toStartOfDay(from)}`,
    _sort: order === 'ascending' ? 'date' : '-date',
    _include: ['Appointment:actor', 'Appointment:supporting-info'],
    '_include:iterate': ['Coverage:payor', 'PractitionerRole:practitioner'],
  };
  const pickWanted = ({ ids }: Person, matches: readonly Resource<'Appointment'>[]) =>
    matches.filter((each) => !status || toStatusFor(ids, each) === status);
  let who: string | Person = patientId;
  const offset = page ? page.page * page.limit : 0;
  if (page && offset <= MAX_OFFSET) {
    const paging = { _count: String(page.limit), _offset: String(offset), _total: 'accurate' };
    // What was canceled without ever having a time must not count; servers find by date only what has one.
    const query = { ...all, ...(status !== 'active' && { date: all.date ?? EVER }), ...paging };
    const options = { onePage: true, lenient: true } as const;
    const { found, person } = await searchPatientCompartment(client, 'Appointment', who, query, call, options);
    who = person;
    // A server may give smaller pages than it is asked for; the next one of the caller would begin behind the rest.
    const unreadable = found.unreadable.filter(({ type }) => type === 'Appointment');
    const isCut = found.more && found.matches.length + unreadable.length < page.limit;
    if (found.total !== undefined && !isCut) {
      return { found, person, rows: pickWanted(person, found.matches), total: found.total };
    }
  }
  const options = { ...allAppointments, lenient: true } as const;
  const query = { ...all, _count: '200' };
  const { found, person } = await searchPatientCompartment(client, 'Appointment', who, query, call, options);
  const timed = found.matches.filter((each) => each.start !== undefined || each.status !== 'cancelled');
  const { items, total } = takePage(pickWanted(person, timed), page);
  return { found, person, rows: items, total };
}

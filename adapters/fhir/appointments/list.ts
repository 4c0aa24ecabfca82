import type { Appointment, AppointmentQuery, AppointmentStatus, Call, Page } from '../../../src/ports/index.ts';
import { takePage } from '../../../src/ports/take-page.ts';
import { badAnswer } from '../../../src/toolkit/http-client/failures.ts';
import { ignoreFailure } from '../../../src/toolkit/ignore-failure.ts';
import type { FhirContext } from '../context.ts';
import { allAppointments, formatPatients, searchPatientCompartment } from '../patients/compartment.ts';
import type { Person } from '../patients/merged.ts';
import { toRows } from '../rest/search-result.ts';
import type { Query } from '../rest/url.ts';
import type { Resource } from '../schema/resources.ts';
import { appointmentStatuses } from '../schema/terminology.ts';
import { fetchReferenced, toAppointment, toStatusFor } from './read.ts';

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
  const referenced = await fetchReferenced(found, context, call);
  const toRow = (each: Resource<'Appointment'>) => toAppointment(each, person, found, referenced, context, call);
  const items = await toRows(found, rows, toRow, call);
  return { items, total };
}

/** Reads one page; all where the server does not count, cannot skip so far, or counts what the patient has declined. */
async function readPage(
  { client, zone }: FhirContext,
  patientId: string,
  { from, status, order, page }: AppointmentQuery,
  call: Call,
) {
  const date = from && `ge${zone.toStartOfDay(from)}`;
  const all: Query = {
    date,
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
  const timed = found.matches.filter((each) => each.start !== undefined || each.status !== 'cancelled');
  const { items, total } = takePage(pickWanted(person, timed), page);
  return { found, person, rows: items, total };

  /** Leaving out what was not asked for would make the server’s total wrong. @throws Failure bad_answer */
  function assertAsked(matches: readonly Resource<'Appointment'>[], asked: AppointmentStatus | undefined): void {
    const since = from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(zone.toStartOfDay(from));
    const isAsked = (each: Resource<'Appointment'>) =>
      listStatuses(asked).includes(each.status) && !(Date.parse(each.start ?? '') < since);
    if (!matches.every(isAsked)) throw badAnswer('unasked_appointment');
  }

  /** Whether the server may count appointments as active that are canceled for the patient, who has declined. */
  async function mayHaveDeclined({ ids }: Person): Promise<boolean> {
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

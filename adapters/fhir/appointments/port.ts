import {
  type Appointment,
  type AppointmentQuery,
  Appointments,
  type Booking,
  type Call,
  Failure,
  type Page,
  type Slot,
  type SlotQuery,
} from '../../../src/ports/index.ts';
import { badAnswer } from '../../http-client/failures.ts';
import type { FhirContext } from '../context.ts';
import type { SearchResult } from '../rest/bundle.ts';
import { isPartialTransaction } from '../rest/errors.ts';
import type { Query } from '../rest/url.ts';
import { isId, parseReferenceId } from '../schema/datatypes.ts';
import type { Resource } from '../schema/resources.ts';
import { appointmentStatuses, hl7 } from '../schema/terminology.ts';
import { assertBelongsTo } from '../writes/patient-compartment.ts';
import { book } from './book.ts';
import { fetchReferenced, isCancelable, listActors, toAppointment, toAppointmentStatus } from './read.ts';
import { findFreeSlots } from './slots.ts';

type FhirAppointment = Resource<'Appointment'>;

/** Servers refuse to skip more than so many. */
const MAX_OFFSET = 10_000;

const includes = {
  _include: ['Appointment:actor', 'Appointment:supporting-info'],
  '_include:iterate': ['Coverage:payor', 'PractitionerRole:practitioner'],
};

/** Appointments as `Appointment`s, free time as `Slot`s that the institution publishes. */
export class FhirAppointments extends Appointments {
  readonly #context: FhirContext;

  constructor(context: FhirContext) {
    super();
    this.#context = context;
  }

  async list(patientId: string, query: AppointmentQuery, call: Call): Promise<Page<Appointment>> {
    const { client } = this.#context;
    if (!isId(patientId)) throw patientNotFound();
    const { found, rows, total } = await this.#readPage(patientId, query, call);
    this.#assertMatchesQuery(found, patientId, query);
    const isKnown = found.has(`Patient/${patientId}`);
    if (!isKnown && !(await client.read('Patient', patientId, call))) throw patientNotFound();
    await fetchReferenced(found, this.#context, call);
    return { items: rows.map((each) => toAppointment(each, patientId, found, this.#context, call)), total };
  }

  slots(query: SlotQuery, call: Call): Promise<readonly Slot[]> {
    return findFreeSlots(this.#context, query, call);
  }

  book(patientId: string, booking: Booking, call: Call): Promise<{ readonly id: string }> {
    return book(this.#context, patientId, booking, call);
  }

  async cancel(patientId: string, appointmentId: string, call: Call): Promise<void> {
    const { transactions } = this.#context;
    for (let fresh = false; ; fresh = true) {
      const found = await this.#findOwn(patientId, appointmentId, call);
      const [appointment] = found.matches;
      if (!appointment) throw new Failure('not_found', 'the patient has no such appointment');
      if (toAppointmentStatus(appointment) === 'canceled') return;
      if (!isCancelable(appointment, this.#context, call.now)) {
        throw new Failure('conflict', 'it is too late to cancel', { code: 'not_cancelable' });
      }
      const slots = await this.#findSlotsToFree(appointment, found, call);
      const canceled = { ...appointment, status: 'cancelled', cancelationReason: byPatient };
      const freed = slots.map((slot) => ({ update: { ...slot, status: 'free' } }));
      try {
        await transactions.send([{ update: canceled }, ...freed], call);
        return;
      } catch (error) {
        // Somebody changed it meanwhile, or the answer was lost: what is there now tells.
        const isOpen = error instanceof Failure && ['conflict', 'outcome_unknown'].includes(error.kind);
        if (!isOpen || isPartialTransaction(error) || fresh || call.signal.aborted) throw error;
      }
    }
  }

  /** A server that does not count, or cannot skip so far, is read from the beginning. */
  async #readPage(patientId: string, { from, status, order, page }: AppointmentQuery, call: Call) {
    const { client, zone } = this.#context;
    const statuses = status ? appointmentStatuses[status] : Object.values(appointmentStatuses).flat();
    const all: Query = {
      patient: `Patient/${patientId}`,
      status: statuses.join(','),
      date: from && `ge${zone.toStartOfDay(from)}`,
      _sort: order === 'ascending' ? 'date' : '-date',
      ...includes,
    };
    const offset = page ? page.page * page.limit : 0;
    if (page && offset <= MAX_OFFSET) {
      const query = { ...all, _count: String(page.limit), _offset: String(offset), _total: 'accurate' };
      const found = await client.search('Appointment', query, call, { onePage: true });
      if (found.total !== undefined) return { found, rows: found.matches, total: found.total };
    }
    const found = await client.search('Appointment', { ...all, _count: '200' }, call);
    const rows = page ? found.matches.slice(offset, offset + page.limit) : found.matches;
    return { found, rows, total: found.matches.length };
  }

  /** Rows that were not asked for cannot be dropped: the server has counted them. */
  #assertMatchesQuery(
    { matches }: SearchResult<'Appointment'>,
    patientId: string,
    { from, status }: AppointmentQuery,
  ): void {
    assertBelongsTo(patientId, matches, listActors);
    const since = from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(this.#context.zone.toStartOfDay(from));
    const isAsked = (each: FhirAppointment) =>
      (status === undefined || toAppointmentStatus(each) === status) && !(Date.parse(each.start ?? '') < since);
    if (!matches.every(isAsked)) throw badAnswer('unasked_appointment');
  }

  /** The patient's appointment with its slots; nothing when it is another's. */
  async #findOwn(patientId: string, id: string, call: Call): Promise<SearchResult<'Appointment'>> {
    const { client } = this.#context;
    if (!isId(patientId) || !isId(id)) throw new Failure('not_found', 'the patient has no such appointment');
    const query = { _id: id, patient: `Patient/${patientId}`, _include: 'Appointment:slot' };
    const found = await client.search('Appointment', query, call);
    const [appointment] = found.matches;
    const isOwn =
      appointment && listActors(appointment).some((actor) => parseReferenceId(actor, 'Patient') === patientId);
    if (isOwn && appointment.id === id && toAppointmentStatus(appointment)) return found;
    throw new Failure('not_found', 'the patient has no such appointment');
  }

  async #findSlotsToFree({ slot = [] }: FhirAppointment, found: SearchResult<'Appointment'>, call: Call) {
    await this.#context.client.fetchMissing(
      found,
      'Slot',
      slot.map((each) => parseReferenceId(each, 'Slot')),
      call,
    );
    return slot
      .flatMap((each) => found.resolve(each, 'Slot') ?? [])
      .filter(({ status, start }) => status === 'busy' && Date.parse(start) > Date.parse(call.now));
  }
}

const patientNotFound = () => new Failure('not_found', 'there is no such patient');

const byPatient = { coding: [{ system: hl7.cancellationReason, code: 'pat' }] };

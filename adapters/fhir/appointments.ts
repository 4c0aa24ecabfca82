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
} from '../../src/ports/index.ts';
import { actorsOf, completed, isCancelable, statusOf, toAppointment } from './appointment-record.ts';
import type { Backend } from './backend.ts';
import { book } from './booking.ts';
import type { Found } from './bundle.ts';
import { appointmentStatuses, hl7 } from './codes.ts';
import { badAnswer } from './decode.ts';
import { idOf } from './elements.ts';
import { expectOwn } from './ownership.ts';
import { isHalfDone } from './probe.ts';
import type { Resource } from './resources.ts';
import { freeSlots } from './slots.ts';
import { isId, type Query } from './url.ts';

type FhirAppointment = Resource<'Appointment'>;

/** Servers refuse to skip more than so many. */
const DEEPEST_OFFSET = 10_000;

const includes = {
  _include: ['Appointment:actor', 'Appointment:supporting-info'],
  '_include:iterate': ['Coverage:payor', 'PractitionerRole:practitioner'],
};

/** Appointments as `Appointment`s, free time as `Slot`s that the institution publishes. */
export class FhirAppointments extends Appointments {
  readonly #backend: Backend;

  constructor(backend: Backend) {
    super();
    this.#backend = backend;
  }

  async list(patientId: string, query: AppointmentQuery, call: Call): Promise<Page<Appointment>> {
    const { client } = this.#backend;
    if (!isId(patientId)) throw noPatient();
    const { found, rows, total } = await this.#page(patientId, query, call);
    this.#expectAsked(found, patientId, query);
    const isKnown = found.has(`Patient/${patientId}`);
    if (!isKnown && !(await client.read('Patient', patientId, call))) throw noPatient();
    await completed(found, this.#backend, call);
    return { items: rows.map((each) => toAppointment(each, patientId, found, this.#backend, call)), total };
  }

  slots(query: SlotQuery, call: Call): Promise<readonly Slot[]> {
    return freeSlots(this.#backend, query, call);
  }

  book(patientId: string, booking: Booking, call: Call): Promise<{ readonly id: string }> {
    return book(this.#backend, patientId, booking, call);
  }

  async cancel(patientId: string, appointmentId: string, call: Call): Promise<void> {
    const { transactions } = this.#backend;
    for (let fresh = false; ; fresh = true) {
      const found = await this.#own(patientId, appointmentId, call);
      const [appointment] = found.matches;
      if (!appointment) throw new Failure('not_found', 'the patient has no such appointment');
      if (statusOf(appointment) === 'canceled') return;
      if (!isCancelable(appointment, this.#backend, call.now)) {
        throw new Failure('conflict', 'it is too late to cancel', { code: 'not_cancelable' });
      }
      const slots = await this.#slotsToFree(appointment, found, call);
      const canceled = { ...appointment, status: 'cancelled', cancelationReason: byPatient };
      const freed = slots.map((slot) => ({ update: { ...slot, status: 'free' } }));
      try {
        await transactions.send([{ update: canceled }, ...freed], call);
        return;
      } catch (error) {
        // Somebody changed it meanwhile, or the answer was lost: what is there now tells.
        const isOpen = error instanceof Failure && ['conflict', 'outcome_unknown'].includes(error.kind);
        if (!isOpen || isHalfDone(error) || fresh || call.signal.aborted) throw error;
      }
    }
  }

  /** A server that does not count, or cannot skip so far, is read from the beginning. */
  async #page(patientId: string, { from, status, order, page }: AppointmentQuery, call: Call) {
    const { client, zone } = this.#backend;
    const statuses = status ? appointmentStatuses[status] : Object.values(appointmentStatuses).flat();
    const all: Query = {
      patient: `Patient/${patientId}`,
      status: statuses.join(','),
      date: from && `ge${zone.startOf(from)}`,
      _sort: order === 'ascending' ? 'date' : '-date',
      ...includes,
    };
    const offset = page ? page.page * page.limit : 0;
    if (page && offset <= DEEPEST_OFFSET) {
      const query = { ...all, _count: String(page.limit), _offset: String(offset), _total: 'accurate' };
      const found = await client.search('Appointment', query, call, { onePage: true });
      if (found.total !== undefined) return { found, rows: found.matches, total: found.total };
    }
    const found = await client.search('Appointment', { ...all, _count: '200' }, call);
    const rows = page ? found.matches.slice(offset, offset + page.limit) : found.matches;
    return { found, rows, total: found.matches.length };
  }

  /** Rows that were not asked for cannot be dropped: the server has counted them. */
  #expectAsked({ matches }: Found<'Appointment'>, patientId: string, { from, status }: AppointmentQuery): void {
    expectOwn(patientId, matches, actorsOf);
    const since = from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(this.#backend.zone.startOf(from));
    const isAsked = (each: FhirAppointment) =>
      (status === undefined || statusOf(each) === status) && !(Date.parse(each.start ?? '') < since);
    if (!matches.every(isAsked)) throw badAnswer('unasked_appointment');
  }

  /** The patient's appointment with its slots; nothing when it is another's. */
  async #own(patientId: string, id: string, call: Call): Promise<Found<'Appointment'>> {
    const { client } = this.#backend;
    if (!isId(patientId) || !isId(id)) throw new Failure('not_found', 'the patient has no such appointment');
    const query = { _id: id, patient: `Patient/${patientId}`, _include: 'Appointment:slot' };
    const found = await client.search('Appointment', query, call);
    const [appointment] = found.matches;
    const isOwn = appointment && actorsOf(appointment).some((actor) => idOf(actor, 'Patient') === patientId);
    if (isOwn && appointment.id === id && statusOf(appointment)) return found;
    throw new Failure('not_found', 'the patient has no such appointment');
  }

  async #slotsToFree({ slot = [] }: FhirAppointment, found: Found<'Appointment'>, call: Call) {
    await this.#backend.client.complete(
      found,
      'Slot',
      slot.map((each) => idOf(each, 'Slot')),
      call,
    );
    return slot
      .flatMap((each) => found.follow(each, 'Slot') ?? [])
      .filter(({ status, start }) => status === 'busy' && Date.parse(start) > Date.parse(call.now));
  }
}

const noPatient = () => new Failure('not_found', 'there is no such patient');

const byPatient = { coding: [{ system: hl7.cancellationReason, code: 'pat' }] };

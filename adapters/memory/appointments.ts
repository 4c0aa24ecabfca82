import {
  type Appointment,
  type AppointmentQuery,
  Appointments,
  type Booking,
  type Call,
  Failure,
  type Instant,
  type Page,
  type Slot,
  type SlotQuery,
} from '../../src/ports/index.ts';
import type { Booked } from './agenda.ts';
import { appointmentFor } from './booking.ts';
import { inTime } from './deadline.ts';
import { freeSlots } from './slots.ts';
import type { World } from './world.ts';

/** No method waits for anything between its first check and its last change: each is one turn, and so atomic. */
export class MemoryAppointments extends Appointments {
  readonly #world: World;

  constructor(world: World) {
    super();
    this.#world = world;
  }

  async list(patientId: string, query: AppointmentQuery, call: Call): Promise<Page<Appointment>> {
    inTime(call);
    const { patients, agenda } = this.#world;
    patients.get(patientId);
    const { from, status, order, page } = query;
    const found = agenda
      .of(patientId)
      .filter((booked) => (from === undefined || booked.start >= from) && (!status || booked.status === status))
      .sort((a, b) => (order === 'ascending' ? 1 : -1) * (a.stretch.begins - b.stretch.begins));
    const rows = page ? found.slice(page.page * page.limit, (page.page + 1) * page.limit) : found;
    return { items: rows.map((booked) => this.#toAppointment(booked, call.now)), total: found.length };
  }

  async slots(query: SlotQuery, call: Call): Promise<readonly Slot[]> {
    inTime(call);
    return freeSlots(this.#world, query, call.now);
  }

  async book(patientId: string, booking: Booking, call: Call): Promise<{ readonly id: string }> {
    inTime(call);
    const { patients, agenda } = this.#world;
    const booked = appointmentFor(this.#world, patients.get(patientId), booking, call.now);
    agenda.add(booked);
    return { id: booked.id };
  }

  async cancel(patientId: string, appointmentId: string, call: Call): Promise<void> {
    inTime(call);
    const { patients, agenda } = this.#world;
    patients.get(patientId);
    const booked = agenda.of(patientId).find(({ id }) => id === appointmentId);
    if (!booked) throw new Failure('not_found', 'the patient has no such appointment');
    if (booked.status === 'canceled') return;
    if (!this.#isCancelable(booked, call.now)) {
      throw new Failure('conflict', 'it is too late to cancel the appointment', { code: 'not_cancelable' });
    }
    agenda.cancel(booked);
  }

  #toAppointment(booked: Booked, now: Instant): Appointment {
    const { stretch: _, coverageId, ...shown } = booked;
    const coverage = coverageId === undefined ? undefined : this.#world.coverages.get(coverageId);
    return { ...shown, cancelable: this.#isCancelable(booked, now), ...(coverage && { coverage }) };
  }

  #isCancelable({ status, stretch }: Booked, now: Instant): boolean {
    const ahead = stretch.begins - Date.parse(now);
    return status === 'active' && ahead > 0 && ahead >= this.#world.cancelUntilHours * 3_600_000;
  }
}

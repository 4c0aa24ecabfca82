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
import { throwIfAborted } from '../abort.ts';
import type { StoredAppointment } from './appointment-store.ts';
import { createAppointment } from './booking.ts';
import { findFreeSlots } from './slots.ts';
import type { World } from './world.ts';

/** No method waits for anything between its first check and its last change: each is one turn, and so atomic. */
export class MemoryAppointments extends Appointments {
  readonly #world: World;

  constructor(world: World) {
    super();
    this.#world = world;
  }

  async list(patientId: string, query: AppointmentQuery, call: Call): Promise<Page<Appointment>> {
    throwIfAborted(call);
    const { patients, appointments } = this.#world;
    patients.get(patientId);
    const { from, status, order, page } = query;
    const found = appointments
      .findByPatient(patientId)
      .filter((booked) => (from === undefined || booked.start >= from) && (!status || booked.status === status))
      .sort((a, b) => (order === 'ascending' ? 1 : -1) * (a.interval.begins - b.interval.begins));
    const rows = page ? found.slice(page.page * page.limit, (page.page + 1) * page.limit) : found;
    return { items: rows.map((booked) => this.#toAppointment(booked, call.now)), total: found.length };
  }

  async slots(query: SlotQuery, call: Call): Promise<readonly Slot[]> {
    throwIfAborted(call);
    return findFreeSlots(this.#world, query, call.now);
  }

  async book(patientId: string, booking: Booking, call: Call): Promise<{ readonly id: string }> {
    throwIfAborted(call);
    const { patients, appointments } = this.#world;
    const booked = createAppointment(this.#world, patients.get(patientId), booking, call.now);
    appointments.add(booked);
    return { id: booked.id };
  }

  async cancel(patientId: string, appointmentId: string, call: Call): Promise<void> {
    throwIfAborted(call);
    const { patients, appointments } = this.#world;
    patients.get(patientId);
    const booked = appointments.findByPatient(patientId).find(({ id }) => id === appointmentId);
    if (!booked) throw new Failure('not_found', 'the patient has no such appointment');
    if (booked.status === 'canceled') return;
    if (!this.#isCancelable(booked, call.now)) {
      throw new Failure('conflict', 'it is too late to cancel the appointment', { code: 'not_cancelable' });
    }
    appointments.cancel(booked);
  }

  #toAppointment(booked: StoredAppointment, now: Instant): Appointment {
    const { interval: _, coverageId, ...shown } = booked;
    const coverage = coverageId === undefined ? undefined : this.#world.coverages.get(coverageId);
    return { ...shown, cancelable: this.#isCancelable(booked, now), ...(coverage && { coverage }) };
  }

  #isCancelable({ status, interval }: StoredAppointment, now: Instant): boolean {
    const ahead = interval.begins - Date.parse(now);
    return status === 'active' && ahead > 0 && ahead >= this.#world.cancelUntilHours * 3_600_000;
  }
}

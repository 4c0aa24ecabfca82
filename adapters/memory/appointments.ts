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

/** Every method is atomic: it awaits nothing between its first check and its last change. */
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
      .filter((each) => (from === undefined || each.start >= from) && (!status || each.status === status))
      .sort((a, b) => (order === 'ascending' ? 1 : -1) * (a.interval.begins - b.interval.begins));
    const rows = page ? found.slice(page.page * page.limit, (page.page + 1) * page.limit) : found;
    return { items: rows.map((row) => this.#toAppointment(row, call.now)), total: found.length };
  }

  async slots(query: SlotQuery, call: Call): Promise<readonly Slot[]> {
    throwIfAborted(call);
    return findFreeSlots(this.#world, query, call.now);
  }

  async book(patientId: string, booking: Booking, call: Call): Promise<{ readonly id: string }> {
    throwIfAborted(call);
    const { patients, appointments, bookings } = this.#world;
    return bookings.once(call, [patientId, booking], () => {
      const appointment = createAppointment(this.#world, patients.get(patientId), booking, call.now);
      appointments.add(appointment);
      return { id: appointment.id };
    });
  }

  async cancel(patientId: string, appointmentId: string, call: Call): Promise<void> {
    throwIfAborted(call);
    const { appointments } = this.#world;
    const appointment = appointments.findByPatient(patientId).find(({ id }) => id === appointmentId);
    if (!appointment) throw new Failure('not_found', 'the patient has no such appointment');
    if (appointment.status === 'canceled') return;
    if (!this.#isCancelable(appointment, call.now)) {
      throw new Failure('conflict', 'it is too late to cancel the appointment', { code: 'not_cancelable' });
    }
    appointments.cancel(appointment);
  }

  #toAppointment(stored: StoredAppointment, now: Instant): Appointment {
    const { interval: _, coverageId, ...appointment } = stored;
    const coverage = coverageId === undefined ? undefined : this.#world.coverages.get(coverageId);
    return { ...appointment, cancelable: this.#isCancelable(stored, now), ...(coverage && { coverage }) };
  }

  #isCancelable({ status, interval }: StoredAppointment, now: Instant): boolean {
    const remaining = interval.begins - Date.parse(now);
    return status === 'active' && remaining > 0 && remaining >= this.#world.cancelUntilHours * 3_600_000;
  }
}

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
import { takePage } from '../../src/ports/take-page.ts';
import { throwIfAborted } from '../abort.ts';
import { isCancelable } from '../cancelable.ts';
import { createPromisedFailure } from '../promised-failures.ts';
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
      .filter((each) => (from === undefined || each.start >= from) && (!status || each.status === status));
    // Those that begin together stay in the order of their booking.
    if (order === 'descending') found.sort((a, b) => b.interval.begins - a.interval.begins);
    const { items, total } = takePage(found, page);
    return { items: items.map((row) => this.#toAppointment(row, call)), total };
  }

  async slots(query: SlotQuery, call: Call): Promise<Page<Slot>> {
    throwIfAborted(call);
    return findFreeSlots(this.#world, query, call.now);
  }

  async book(patientId: string, booking: Booking, call: Call): Promise<{ readonly id: string }> {
    throwIfAborted(call);
    const { appointments, bookings } = this.#world;
    return bookings.once(call, [patientId, booking], () => {
      const appointment = createAppointment(this.#world, patientId, booking, call);
      appointments.add(appointment);
      return { id: appointment.id };
    });
  }

  async cancel(patientId: string, appointmentId: string, call: Call): Promise<void> {
    throwIfAborted(call);
    const { appointments, cancelUntilHours } = this.#world;
    const appointment = appointments.findByPatient(patientId).find(({ id }) => id === appointmentId);
    if (!appointment) throw new Failure('not_found', 'the patient has no such appointment');
    if (appointment.status === 'canceled') return;
    if (!isCancelable({ ...appointment, ...appointment.interval }, cancelUntilHours, call))
      throw createPromisedFailure('not_cancelable');
    appointments.cancel(appointment);
  }

  #toAppointment(stored: StoredAppointment, call: Call): Appointment {
    const { interval, coverageId, ...appointment } = stored;
    const cancelable = isCancelable({ ...stored, ...interval }, this.#world.cancelUntilHours, call);
    const coverage = coverageId === undefined ? undefined : this.#world.coverages.get(coverageId);
    return { ...appointment, cancelable, ...(coverage && { coverage }) };
  }
}

import { type Appointment, type Appointments, type Call, Failure } from '../../src/ports/index.ts';
import { takePage } from '../../src/ports/take-page.ts';
import { isCancelable } from '../common/cancelable.ts';
import { createPromisedFailure } from '../common/promised-failures.ts';
import type { StoredAppointment } from './appointment-store.ts';
import { createAppointment } from './booking.ts';
import { findFreeSlots } from './slots.ts';
import type { World } from './world.ts';

/** Every method is atomic: it awaits nothing between its first check and its last change. */
export function createAppointments(world: World): Appointments {
  return {
    async list(patientId, query, call) {
      const { patients, appointments } = world;
      patients.get(patientId);
      const { from, status, order, page } = query;
      const found = appointments
        .findByPatient(patientId)
        .filter((each) => (from === undefined || each.start >= from) && (!status || each.status === status));
      // Those that begin together stay in the order of their booking.
      if (order === 'descending') found.sort((a, b) => b.interval.begins - a.interval.begins);
      const { items, total } = takePage(found, page);
      return { items: items.map((row) => toAppointment(row, call)), total };
    },

    slots: async (query, call) => findFreeSlots(world, query, call.now),

    async book(patientId, booking, call) {
      const { appointments, bookings } = world;
      return bookings.once(call, [patientId, booking], () => {
        const appointment = createAppointment(world, patientId, booking, call);
        appointments.add(appointment);
        return { id: appointment.id };
      });
    },

    async cancel(patientId, appointmentId, call) {
      const { appointments, cancelUntilHours } = world;
      const appointment = appointments.findByPatient(patientId).find(({ id }) => id === appointmentId);
      if (!appointment) throw new Failure('not_found', 'the patient has no such appointment');
      if (appointment.status === 'canceled') return;
      if (!isCancelable({ ...appointment, ...appointment.interval }, cancelUntilHours, call))
        throw createPromisedFailure('not_cancelable');
      appointments.cancel(appointment);
    },
  };

  function toAppointment(stored: StoredAppointment, call: Call): Appointment {
    const { interval, coverageId, ...appointment } = stored;
    const cancelable = isCancelable({ ...stored, ...interval }, world.cancelUntilHours, call);
    const coverage = coverageId === undefined ? undefined : world.coverages.get(coverageId);
    return { ...appointment, cancelable, ...(coverage && { coverage }) };
  }
}

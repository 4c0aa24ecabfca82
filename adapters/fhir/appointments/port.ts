import type { Appointments } from '../../../src/ports/index.ts';
import type { FhirContext } from '../context.ts';
import { bookSlots } from './book.ts';
import { cancelAppointment } from './cancel.ts';
import { listAppointments } from './list.ts';
import { findFreeSlots } from './slots.ts';

/** Appointments as `Appointment`s, free time as `Slot`s that the institution publishes. */
export const createAppointments = (context: FhirContext): Appointments => ({
  list: (patientId, query, call) => listAppointments(context, patientId, query, call),
  slots: (query, call) => findFreeSlots(context, query, call),
  book: (patientId, booking, call) => bookSlots(context, patientId, booking, call),
  cancel: (patientId, appointmentId, call) => cancelAppointment(context, patientId, appointmentId, call),
});

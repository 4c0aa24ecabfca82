import {
  type Appointment,
  type AppointmentQuery,
  Appointments,
  type Booking,
  type Call,
  type Page,
  type Slot,
  type SlotQuery,
} from '../../../src/ports/index.ts';
import type { FhirContext } from '../context.ts';
import { bookSlots } from './book.ts';
import { cancelAppointment } from './cancel.ts';
import { listAppointments } from './list.ts';
import { findFreeSlots } from './slots.ts';

/** Appointments as `Appointment`s, free time as `Slot`s that the institution publishes. */
export class FhirAppointments extends Appointments {
  readonly #context: FhirContext;

  constructor(context: FhirContext) {
    super();
    this.#context = context;
  }

  list(patientId: string, query: AppointmentQuery, call: Call): Promise<Page<Appointment>> {
    return listAppointments(this.#context, patientId, query, call);
  }

  slots(query: SlotQuery, call: Call): Promise<Page<Slot>> {
    return findFreeSlots(this.#context, query, call);
  }

  book(patientId: string, booking: Booking, call: Call): Promise<{ readonly id: string }> {
    return bookSlots(this.#context, patientId, booking, call);
  }

  cancel(patientId: string, appointmentId: string, call: Call): Promise<void> {
    return cancelAppointment(this.#context, patientId, appointmentId, call);
  }
}

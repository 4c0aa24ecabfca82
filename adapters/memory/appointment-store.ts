import type { Appointment } from '../../src/ports/index.ts';
import { BusyIntervals, type Interval } from '../common/busy-intervals.ts';
import { Lists } from './lists.ts';

/** An appointment without what depends on the moment of reading (`cancelable`) or changes on its own (`coverage`). */
export interface StoredAppointment extends Omit<Appointment, 'cancelable' | 'coverage'> {
  readonly coverageId?: string;
  /** The time of the slots that it takes. */
  readonly interval: Interval;
}

/** All appointments, those of a patient in order of their begin, and when they keep practitioners busy. */
export class AppointmentStore {
  readonly #byPatient = new Lists<StoredAppointment>();
  readonly #busy = new BusyIntervals();

  /** In order of begin, those that begin together in that of their booking. */
  findByPatient(patientId: string): readonly StoredAppointment[] {
    return this.#byPatient.get(patientId);
  }

  add(appointment: StoredAppointment): void {
    const { patientId, interval } = appointment;
    const before = this.#byPatient.get(patientId).findLastIndex((other) => other.interval.begins <= interval.begins);
    this.#byPatient.add(patientId, appointment, before + 1);
    if (appointment.status !== 'active') return;
    for (const { id } of appointment.practitioners) this.#busy.add(id, appointment.interval);
  }

  /** Cancels the appointment and frees its slots. */
  cancel(appointment: StoredAppointment): void {
    this.#byPatient.replace(appointment.patientId, Object.freeze({ ...appointment, status: 'canceled' }));
    for (const { id } of appointment.practitioners) this.#busy.remove(id, appointment.interval);
  }

  /** Whether the practitioner has no active appointment then, at any location and for any service. */
  isPractitionerFree(id: string, interval: Interval): boolean {
    return this.#busy.isFree(id, interval);
  }
}

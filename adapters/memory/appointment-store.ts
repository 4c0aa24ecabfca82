import type { Appointment } from '../../src/ports/index.ts';
import { BusyIntervals, type Interval, overlaps } from './busy-intervals.ts';
import { Lists } from './lists.ts';

/** An appointment as it is kept: what depends on the moment of the reading, or changes elsewhere, is not in it. */
export interface StoredAppointment extends Omit<Appointment, 'cancelable' | 'coverage'> {
  readonly coverageId?: string;
  /** The slots that it takes. */
  readonly interval: Interval;
}

/** All appointments, by patient, and when they keep practitioners busy. */
export class AppointmentStore {
  readonly #byPatient = new Lists<StoredAppointment>();
  readonly #timetable = new BusyIntervals();

  findByPatient(patientId: string): readonly StoredAppointment[] {
    return this.#byPatient.get(patientId);
  }

  add(booked: StoredAppointment): void {
    this.#byPatient.add(booked.patientId, booked);
    if (booked.status !== 'active') return;
    for (const { id } of booked.practitioners) this.#timetable.add(id, booked.interval);
  }

  /** Cancels it and frees its slots. */
  cancel(booked: StoredAppointment): void {
    this.#byPatient.replace(booked.patientId, Object.freeze({ ...booked, status: 'canceled' }));
    for (const { id } of booked.practitioners) this.#timetable.remove(id, booked.interval);
  }

  /** Whether no active appointment keeps one of them busy then, at whatever place and for whatever service. */
  arePractitionersFree(practitionerIds: readonly string[], interval: Interval): boolean {
    return practitionerIds.every((id) => this.#timetable.isFree(id, interval));
  }

  isPatientFree(patientId: string, interval: Interval): boolean {
    return !this.findByPatient(patientId).some(
      (other) => other.status === 'active' && overlaps(other.interval, interval),
    );
  }
}

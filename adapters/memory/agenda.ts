import type { Appointment } from '../../src/ports/index.ts';
import { Lists } from './lists.ts';
import { overlap, type Stretch, Timetable } from './timetable.ts';

/** An appointment as it is kept: what depends on the moment of the reading, or changes elsewhere, is not in it. */
export interface Booked extends Omit<Appointment, 'cancelable' | 'coverage'> {
  readonly coverageId?: string;
  /** The slots that it takes. */
  readonly stretch: Stretch;
}

/** All appointments, by patient, and when they keep practitioners busy. */
export class Agenda {
  readonly #byPatient = new Lists<Booked>();
  readonly #timetable = new Timetable();

  of(patientId: string): readonly Booked[] {
    return this.#byPatient.of(patientId);
  }

  add(booked: Booked): void {
    this.#byPatient.add(booked.patientId, booked);
    if (booked.status !== 'active') return;
    for (const { id } of booked.practitioners) this.#timetable.add(id, booked.stretch);
  }

  /** Cancels it and frees its slots. */
  cancel(booked: Booked): void {
    this.#byPatient.replace(booked.patientId, Object.freeze({ ...booked, status: 'canceled' }));
    for (const { id } of booked.practitioners) this.#timetable.remove(id, booked.stretch);
  }

  /** Whether no active appointment keeps one of them busy then, at whatever place and for whatever service. */
  areFree(practitionerIds: readonly string[], stretch: Stretch): boolean {
    return practitionerIds.every((id) => this.#timetable.isFree(id, stretch));
  }

  isPatientFree(patientId: string, stretch: Stretch): boolean {
    return !this.of(patientId).some((other) => other.status === 'active' && overlap(other.stretch, stretch));
  }
}

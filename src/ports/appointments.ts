import type { Call } from './call.ts';
import type { Coverage } from './insurance.ts';
import type { Page, PageRequest } from './lists.ts';
import type { Day, LocalDateTime, LocalTime, Weekday } from './time.ts';

export type AppointmentStatus = 'active' | 'canceled';
export type Modality = 'in-person' | 'virtual';

/** Something with an id and the words that a person reads for it. */
export interface Named {
  readonly id: string;
  readonly name: string;
}

/** A time that is, was or would have been kept for a patient. */
export interface Appointment {
  readonly id: string;
  readonly patientId: string;
  readonly start: LocalDateTime;
  readonly minutes: number;
  readonly status: AppointmentStatus;
  readonly modality: Modality;
  /** True if `cancel` would succeed at this moment. */
  readonly cancelable: boolean;
  /** At least one; the first is the one whom the appointment is with. */
  readonly practitioners: readonly Named[];
  readonly location: Named;
  readonly services: readonly Named[];
  /** Absent when the patient pays. */
  readonly coverage?: Coverage;
  /** What is paid online. */
  readonly payment?: { readonly link?: string; readonly status: string };
  /** What the patient pays on the day, in the institution's currency. */
  readonly copay?: number;
  /** True if the insurer's authorisation is at hand. */
  readonly authorization?: boolean;
}

/** Which appointments, and in what order. All criteria that are present must hold. */
export interface AppointmentQuery {
  /** Appointments that start on this day of the institution's zone or later. */
  readonly from?: Day;
  readonly status?: AppointmentStatus;
  /** By start. */
  readonly order: 'ascending' | 'descending';
  /** Absent: all of them on one page. */
  readonly page?: PageRequest;
}

/** A time at which somebody may be booked. It is free, in the future and within the booking horizon. */
export interface Slot {
  /** By which `Booking.slotId` names it; the same when the time is free again after a cancellation. */
  readonly id: string;
  readonly start: LocalDateTime;
  readonly minutes: number;
  readonly serviceId: string;
  readonly practitionerId: string;
  readonly locationId: string;
  readonly modality: Modality;
}

/** All criteria that are present must hold. */
export interface SlotQuery {
  readonly serviceId: string;
  readonly practitionerId?: string;
  readonly locationId?: string;
  readonly modality?: Modality;
  /** When given with `coverageId`, the coverage must be the patient's. A patient whose age or sex the service excludes gets no slots. */
  readonly patientId?: string;
  /** A coverage whose plan the service does not accept gets no slots. */
  readonly coverageId?: string;
  /** First and last day in the institution's zone, both included. */
  readonly from?: Day;
  readonly to?: Day;
  /** Slots that begin on these days of the week; at least one. */
  readonly daysOfWeek?: readonly Weekday[];
  /** Slots that begin at this local time of a day or later. */
  readonly hourFrom?: LocalTime;
  /** Slots that end at this local time of the day on which they begin, or earlier. */
  readonly hourTo?: LocalTime;
  /** Absent: all of them on one page. */
  readonly page?: PageRequest;
}

/** What is to be booked for a patient. */
export interface Booking {
  readonly serviceId: string;
  /** At least one. A slot is sought with the first; every other one must have free slots that begin then and last as long. */
  readonly practitionerIds: readonly string[];
  readonly start: LocalDateTime;
  /** Absent: one slot. Longer than one slot: contiguous free slots, all taken or none. */
  readonly minutes?: number;
  /** Absent: the patient pays. */
  readonly coverageId?: string;
  readonly locationId?: string;
  /** The slot that the caller was shown; it must agree with start, service and first practitioner. */
  readonly slotId?: string;
  readonly copay?: number;
  readonly authorization?: boolean;
}

/** The patients' appointments and the times that can be booked. API document, sections 2, 3, 4.A and 4.B. */
export abstract class Appointments {
  /**
   * The patient's appointments by start; an empty page when there are none.
   * @throws not_found when there is no such patient.
   */
  abstract list(patientId: string, query: AppointmentQuery, call: Call): Promise<Page<Appointment>>;

  /**
   * Slots that `book` would accept now, by start.
   * @throws invalid at `serviceId`, `practitionerId`, `locationId`, `patientId` or `coverageId` when it does not exist, as
   *   a service that is no longer active does not, and at `coverageId` when it is not the patient's; of several the first in this order.
   */
  abstract slots(query: SlotQuery, call: Call): Promise<Page<Slot>>;

  /**
   * Takes the slot, or fails and changes nothing. Of parallel bookings of one slot exactly one succeeds. The patient may
   * hold another appointment at that time. Of several faults it tells the first in the order below.
   * @throws not_found when there is no such patient.
   * @throws invalid at `patientId` when the patient's record is closed: the person died, or it is not in use.
   * @throws invalid at `serviceId`, `practitionerIds`, `locationId` or `coverageId` when it does not exist, as for `slots`, at
   *   `coverageId` when it is somebody else's or inactive or the service does not accept its plan, at `serviceId` when it
   *   is not for the patient's age or sex, at `start` when it does not exist in the institution's zone or is past, at
   *   `slotId` when that slot does not agree.
   * @throws invalid `slot_unknown` at `start` when no such slot was ever offered; at `minutes` when too few slots follow, and at
   *   `locationId` when the practitioner offers the service elsewhere alone, where the adapter can tell.
   * @throws conflict `slot_taken` when it is no longer free.
   */
  abstract book(patientId: string, booking: Booking, call: Call): Promise<{ readonly id: string }>;

  /**
   * Cancels and frees the slot. Cancelling what is canceled already succeeds and changes nothing. Optional.
   * @throws not_found when there is no such patient, or the patient has no such appointment.
   * @throws conflict `not_cancelable` when it is too late to cancel, or the appointment is for other patients too.
   */
  abstract cancel(patientId: string, appointmentId: string, call: Call): Promise<void>;
}

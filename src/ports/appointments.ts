import type { Call } from './call.ts';
import type { Coverage } from './insurance.ts';
import type { Page, PageRequest } from './lists.ts';
import type { Day, LocalDateTime, LocalTime, Weekday } from './time.ts';

export type AppointmentStatus = 'active' | 'canceled';
export type Modality = 'in-person' | 'virtual';

/** A record's id and its display name. */
export interface Named {
  readonly id: string;
  readonly name: string;
}

/** An appointment of a patient: past, future or canceled. */
export interface Appointment {
  readonly id: string;
  readonly patientId: string;
  readonly start: LocalDateTime;
  readonly minutes: number;
  readonly status: AppointmentStatus;
  readonly modality: Modality;
  /** True if `cancel` would succeed at this moment. */
  readonly cancelable: boolean;
  /** At least one. The first is the lead practitioner. */
  readonly practitioners: readonly Named[];
  readonly location: Named;
  readonly services: readonly Named[];
  /** Absent if the patient pays. */
  readonly coverage?: Coverage;
  /** The online payment of the appointment. */
  readonly payment?: { readonly link?: string; readonly status: string };
  /** The patient's payment on the day, in the institution's currency. */
  readonly copay?: number;
  /** True if the insurer has authorized the appointment. */
  readonly authorization?: boolean;
}

/** Selects and orders appointments. An appointment must meet all criteria that are present. */
export interface AppointmentQuery {
  /** Appointments that start on this day of the institution's zone or later. */
  readonly from?: Day;
  readonly status?: AppointmentStatus;
  /** By start. */
  readonly order: 'ascending' | 'descending';
  /** Absent: all appointments on one page. */
  readonly page?: PageRequest;
}

/** A time that can be booked. It is free, in the future and within the booking horizon. */
export interface Slot {
  /** The id for `Booking.slotId`. It stays the same when a cancellation frees the slot again. */
  readonly id: string;
  readonly start: LocalDateTime;
  readonly minutes: number;
  readonly serviceId: string;
  readonly practitionerId: string;
  readonly locationId: string;
  readonly modality: Modality;
}

/** Selects slots. A slot must meet all criteria that are present. */
export interface SlotQuery {
  readonly serviceId: string;
  readonly practitionerId?: string;
  readonly locationId?: string;
  readonly modality?: Modality;
  /**
   * If `coverageId` is also present, the coverage must be the patient's. A patient whose age or sex the service
   * excludes gets no slots.
   */
  readonly patientId?: string;
  /** A coverage whose plan the service does not accept gets no slots. */
  readonly coverageId?: string;
  /** First and last day in the institution's zone, both inclusive. */
  readonly from?: Day;
  readonly to?: Day;
  /** Slots that begin on these days of the week; at least one. */
  readonly daysOfWeek?: readonly Weekday[];
  /** Slots that begin at this local time of a day or later. */
  readonly hourFrom?: LocalTime;
  /** Slots that end at this local time of the day on which they begin, or earlier. */
  readonly hourTo?: LocalTime;
  /** Absent: all slots on one page. */
  readonly page?: PageRequest;
}

/** A request to book an appointment. */
export interface Booking {
  readonly serviceId: string;
  /**
   * At least one. The slot is one of the first practitioner's. Every other practitioner must have free slots at that
   * start, as long in total.
   */
  readonly practitionerIds: readonly string[];
  readonly start: LocalDateTime;
  /** Absent: one slot. A longer booking takes contiguous free slots: all of them or none. */
  readonly minutes?: number;
  /** Absent: the patient pays. */
  readonly coverageId?: string;
  readonly locationId?: string;
  /** The slot that the caller saw. It must agree with start, service and first practitioner. */
  readonly slotId?: string;
  readonly copay?: number;
  readonly authorization?: boolean;
}

/** The patients' appointments and the slots that can be booked. API document, sections 2, 3, 4.A and 4.B. */
export abstract class Appointments {
  /**
   * Lists the patient's appointments by start. The page is empty if there are none.
   * @throws not_found when there is no such patient.
   */
  abstract list(patientId: string, query: AppointmentQuery, call: Call): Promise<Page<Appointment>>;

  /**
   * Lists the slots that `book` would accept now, by start. A service that is no longer active counts as nonexistent.
   * @throws invalid at `serviceId`, `practitionerId`, `locationId`, `patientId` or `coverageId` when it does not exist.
   * @throws invalid at `coverageId` when the coverage is not the patient's. Of several faults it reports the first in
   * this order.
   */
  abstract slots(query: SlotQuery, call: Call): Promise<Page<Slot>>;

  /**
   * Takes the slot, or fails and changes nothing. Of parallel bookings of one slot exactly one succeeds. The patient
   * may have another appointment at that time. Of several faults it reports the first in the order below.
   * @throws not_found when there is no such patient.
   * @throws invalid at `patientId` when the record is closed: the person died, or the record is not in use.
   * @throws invalid at `serviceId`, `practitionerIds`, `locationId` or `coverageId` when it does not exist, as for
   * `slots`.
   * @throws invalid at `coverageId` when it is inactive, another patient's, or its plan is not accepted by the service.
   * @throws invalid at `serviceId` when the service is not for the patient's age or sex.
   * @throws invalid at `start` when it is past or does not exist in the institution's zone.
   * @throws invalid at `slotId` when that slot does not agree.
   * @throws invalid `slot_unknown` at `start` when no such slot was ever offered. If the adapter can distinguish the
   * cases, `slot_unknown` is at `minutes` when too few slots follow, and at `locationId` when the practitioner offers
   * the service only elsewhere.
   * @throws conflict `slot_taken` when the slot is no longer free.
   */
  abstract book(patientId: string, booking: Booking, call: Call): Promise<{ readonly id: string }>;

  /**
   * Cancels the appointment and frees its slot. Optional. For a canceled appointment it succeeds and changes nothing.
   * @throws not_found when there is no such patient, or the patient has no such appointment.
   * @throws conflict `not_cancelable` when it is too late to cancel, or the appointment is for other patients too.
   */
  abstract cancel(patientId: string, appointmentId: string, call: Call): Promise<void>;
}

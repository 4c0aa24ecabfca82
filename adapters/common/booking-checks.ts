import { type Booking, type Call, type Coverage, Failure, type Instant } from '../../src/ports/index.ts';
import type { Zone } from '../../src/toolkit/zone.ts';
import {
  checkApplicant,
  checkOpenRecord,
  isPaidBy,
  meetsAgeAndSex,
  type Payer,
  type Person,
  type ServiceLimits,
} from './eligibility.ts';
import { requireFound } from './require-found.ts';

/** What was found of all that a booking names. */
export interface FoundForBooking<S extends ServiceLimits> {
  readonly patient: Person | undefined;
  /** Undefined also when the institution does not offer it now. */
  readonly service: S | undefined;
  /** Whether all of them exist. */
  readonly hasPractitioners: boolean;
  /** Whether it exists; not asked where the booking names none. */
  readonly hasLocation: boolean;
  readonly coverage: (Payer & Pick<Coverage, 'patientId'>) | undefined;
}

/**
 * The service, and when the appointment starts, once all is checked that needs no slots.
 * @throws Failure as `Appointments.book` promises and in its order, up to a start that is past.
 */
export function checkBooking<S extends ServiceLimits>(
  patientId: string,
  booking: Booking,
  found: FoundForBooking<S>,
  zone: Zone,
  { now }: Pick<Call, 'now'>,
): { readonly service: S; readonly start: Instant } {
  const { patient, coverage } = found;
  if (!patient) throw new Failure('not_found', 'there is no such patient');
  checkOpenRecord(patient, 'patientId');
  const service = requireFound(found.service, 'service', 'serviceId');
  requireFound(found.hasPractitioners, 'practitioner', 'practitionerIds');
  if (booking.practitionerIds.length === 0) {
    throw new Failure('invalid', 'an appointment needs at least one practitioner', { at: 'practitionerIds' });
  }
  requireFound(booking.locationId === undefined || found.hasLocation, 'location', 'locationId');
  const { coverageId } = booking;
  if (coverageId !== undefined) checkApplicant({ patientId, coverageId }, found);
  if (coverage && !coverage.active) throw new Failure('invalid', 'the coverage is inactive', { at: 'coverageId' });
  if (coverage && !isPaidBy(service, coverage)) {
    throw new Failure('invalid', 'the service does not accept the plan of this coverage', { at: 'coverageId' });
  }
  if (!meetsAgeAndSex(service, patient, zone.toLocalDay(now))) {
    throw new Failure('invalid', 'the service is not for patients of this age or sex', { at: 'serviceId' });
  }
  if (booking.minutes !== undefined && !(booking.minutes > 0)) {
    throw new Failure('invalid', 'an appointment takes at least one minute', { at: 'minutes' });
  }
  const start = zone.toInstant(booking.start, 'start');
  if (Date.parse(start) <= Date.parse(now)) throw new Failure('invalid', 'the time is in the past', { at: 'start' });
  return { service, start };
}

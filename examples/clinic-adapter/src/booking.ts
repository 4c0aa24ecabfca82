import {
  type Booking,
  type Call,
  checkBooking,
  computeLastDay,
  computeMinutes,
  createPromisedFailure,
  pickSlots,
  throwOfferMismatch,
} from 'puente/adapter';
import type { Catalogue } from './catalogue.ts';
import type { Clinic } from './clinic.ts';
import { parseKey } from './columns.ts';
import { hasLocation } from './directory.ts';
import { findCoverage } from './insurance.ts';
import { findPatient } from './patients.ts';
import { hasPractitioner } from './practitioners.ts';
import type { TurnoFilter, Turnos } from './turnos.ts';

export interface BookingDesk {
  readonly clinic: Clinic;
  readonly catalogue: Catalogue;
  readonly turnos: Turnos;
}

/**
 * Books within a transaction, and returns the number of the appointment.
 * @throws Failure as `Appointments.book` promises.
 */
export function book(desk: BookingDesk, patientId: string, booking: Booking, call: Call): string {
  const { clinic, catalogue, turnos } = desk;
  const { serviceId, practitionerIds, locationId, coverageId } = booking;
  const found = {
    patient: findPatient(clinic, patientId),
    service: catalogue.find(serviceId),
    hasPractitioners: practitionerIds.every((id) => hasPractitioner(clinic, id)),
    hasLocation: locationId !== undefined && hasLocation(clinic, locationId),
    coverage: findCoverage(clinic, coverageId),
  };
  const { start } = checkBooking(patientId, booking, found, { zone: clinic.rules.zone, now: call.now });
  const number = turnos.take(pickTurnos(desk, booking, Date.parse(start), call), patientId);
  clinic.run(
    `UPDATE turnos SET nro_afil = :nro_afil, copago = :copago, autorizado = :autorizado, min_pedidos = :min_pedidos
     WHERE nro_turno = :nro_turno`,
    {
      nro_turno: parseKey(number),
      nro_afil: parseKey(coverageId),
      copago: booking.copay ?? null,
      autorizado: booking.authorization === undefined ? null : booking.authorization ? 'S' : 'N',
      min_pedidos: booking.minutes ?? null,
    },
  );
  return number;
}

/** The rows of the first practitioner, then those of the others. */
function pickTurnos({ clinic, turnos }: BookingDesk, booking: Booking, begins: number, call: Call) {
  const { start, minutes, slotId, serviceId, locationId } = booking;
  const [practitionerId, ...others] = new Set(booking.practitionerIds);
  const day = start.slice(0, 10);
  const listDay = (filter: Partial<TurnoFilter>) => turnos.list({ ...filter, from: day, to: day }, call);
  const own = listDay({ serviceId, practitionerId, locationId });
  if (slotId !== undefined && !own.some((turno) => turno.id === slotId && turno.begins === begins))
    throwOfferMismatch();
  const { zone, bookingHorizonDays } = clinic.rules;
  if (day > computeLastDay(zone, bookingHorizonDays, call)) throw createPromisedFailure('slot_unknown');
  const picked = pickSlots(own, { begins, minutes, slotId });
  const ofOthers = others.flatMap((id) =>
    pickSlots(listDay({ practitionerId: id }), { begins, minutes: computeMinutes(picked) }),
  );
  return [...picked, ...ofOthers] as const;
}

import {
  type Appointments,
  type Call,
  computeLastDay,
  createPromisedFailure,
  Failure,
  isAhead,
  isEligible,
  requireFound,
  type SlotQuery,
  takePage,
  takeSlots,
  throwIfAborted,
} from 'puente/adapter';
import { AppointmentRows } from './appointment-rows.ts';
import { book } from './booking.ts';
import { findApplicant } from './care-services.ts';
import type { Catalogue } from './catalogue.ts';
import type { Clinic } from './clinic.ts';
import { parseKey } from './columns.ts';
import { hasLocation } from './directory.ts';
import { writeOnce } from './once.ts';
import { requirePatient } from './patients.ts';
import { hasPractitioner } from './practitioners.ts';
import type { Turnos } from './turnos.ts';

export const createAppointments = (clinic: Clinic, catalogue: Catalogue, turnos: Turnos): Appointments => {
  const rows = new AppointmentRows(clinic);

  return {
    list: async (patientId, { from, status, order, page }, call) => {
      throwIfAborted(call);
      const found = rows
        .list(requirePatient(clinic, patientId), call)
        .filter((each) => each.start >= (from ?? '') && each.status === (status ?? each.status));
      return takePage(order === 'ascending' ? found : found.toReversed(), page);
    },

    slots: async (query, call) => {
      throwIfAborted(call);
      const { serviceId, practitionerId, locationId } = query;
      const service = requireFound(catalogue.find(serviceId), 'service', 'serviceId');
      const isKnown = practitionerId === undefined || hasPractitioner(clinic, practitionerId);
      requireFound(isKnown, 'practitioner', 'practitionerId');
      requireFound(locationId === undefined || hasLocation(clinic, locationId), 'location', 'locationId');
      if (!isEligible(service, findApplicant(clinic, query), clinic.rules.zone.toLocalDay(call.now)))
        return takeSlots([], query);
      const free = turnos
        .list({ serviceId, practitionerId, locationId, ...limitDays(clinic, query, call) }, call)
        .filter(({ isFree, begins }) => isFree && isAhead(begins, Date.parse(call.now)))
        .map(({ slot }) => slot);
      return takeSlots(free, query);
    },

    book: async (patientId, booking, call) => {
      throwIfAborted(call);
      return writeOnce(clinic, call, [patientId, booking], () =>
        book({ clinic, catalogue, turnos }, patientId, booking, call),
      );
    },

    cancel: async (patientId, appointmentId, call) => {
      throwIfAborted(call);
      clinic.transaction(() => {
        const found = rows.find(requirePatient(clinic, patientId), parseKey(appointmentId), call);
        if (!found) throw new Failure('not_found', 'the patient has no such appointment');
        if (found.status === 'canceled') return;
        if (!found.cancelable) throw createPromisedFailure('not_cancelable');
        turnos.free(appointmentId);
      });
    },
  };
};

/** The days of the query, as far as they can be booked. */
function limitDays(clinic: Clinic, { from = '', to = '9999' }: SlotQuery, call: Call) {
  const { zone, bookingHorizonDays } = clinic.rules;
  const today = zone.toLocalDay(call.now);
  const last = computeLastDay(zone, bookingHorizonDays, call);
  return { from: from > today ? from : today, to: to < last ? to : last };
}

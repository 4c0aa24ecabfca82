import type { AppointmentParticipant } from '@medplum/fhirtypes';
import { computeStart } from '../../../adapters/memory/relative-times.ts';
import type { Appointment, Schedule } from '../../../adapters/memory/world-schema.ts';
import type { Context } from './plan.ts';
import type { Seed } from './resource-ids.ts';
import { buildSlot, toServiceElements, toTimes } from './schedules.ts';
import type { Booking } from './uploader.ts';

/** An appointment of the world with its schedule and the times of its slot. */
interface PlacedAppointment extends Appointment {
  readonly schedule: Schedule;
  readonly times: { readonly start: string; readonly end: string };
  /** The slot that it takes; none when it was canceled. */
  readonly slot: Seed<'Slot'> | undefined;
}

/** All appointments, those of the past too, but for those in a slot that a change of the clocks skips. */
export function placeAppointments(context: Context): PlacedAppointment[] {
  const schedules = new Map(context.world.schedules.map((schedule) => [schedule.id, schedule]));
  return context.world.appointments.flatMap((appointment) => {
    const schedule = schedules.get(appointment.scheduleId)!;
    const start = computeStart(appointment, context.today);
    const times = toTimes(schedule, start, context);
    if (!times) return [];
    const slot = appointment.status === 'active' ? buildSlot(schedule, start, context) : undefined;
    return { ...appointment, schedule, times, slot };
  });
}

/** The appointment as it is booked; its slot must have been created. */
export function buildBooking(appointment: PlacedAppointment, context: Context): Booking {
  const { id, schedule, times, patientId, coverageId, slot } = appointment;
  const { ids, now } = context;
  const slotId = slot && ids.getId('Slot', slot.id);
  const extension = toExtensions(appointment, context);
  const toParticipant = (
    actor: { readonly reference: string },
    required: AppointmentParticipant['required'] = 'required',
  ): AppointmentParticipant => ({ actor, required, status: 'accepted' });
  return {
    id,
    slotId,
    resource: {
      resourceType: 'Appointment',
      ...(extension.length > 0 && { extension }),
      status: !slot ? 'cancelled' : times.start < now ? 'fulfilled' : 'booked',
      ...toServiceElements(schedule, context),
      ...times,
      minutesDuration: schedule.minutes,
      ...(slot && { slot: [ids.refer('Slot', slot.id)] }),
      ...(coverageId !== undefined && { supportingInformation: [ids.refer('Coverage', coverageId)] }),
      participant: [
        toParticipant(ids.refer('Patient', patientId)),
        toParticipant(ids.refer('Practitioner', schedule.practitionerId)),
        toParticipant(ids.refer('Location', schedule.locationId)),
        toParticipant(ids.refer('HealthcareService', schedule.serviceId), 'information-only'),
      ],
    },
  };
}

function toExtensions({ payment, copay, authorization }: Appointment, { codes, currency }: Context) {
  const parts = [
    ...(payment
      ? [
          { url: 'link', valueUrl: payment.link },
          { url: 'status', valueCode: payment.status },
        ]
      : []),
    ...(copay === undefined ? [] : [{ url: 'copay', valueMoney: { value: copay, currency } }]),
  ];
  return [
    ...(parts.length > 0 ? [{ url: codes.extension('appointment-payment'), extension: parts }] : []),
    ...(authorization === undefined
      ? []
      : [{ url: codes.extension('appointment-authorization'), valueBoolean: authorization }]),
  ];
}

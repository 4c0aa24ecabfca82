import { hl7 } from '../../../adapters/fhir/schema/terminology.ts';
import { addDays } from '../../../adapters/zone.ts';
import { type Appointment, type Schedule, type Service, weekdays } from './hospital.ts';
import { toCode } from './institution.ts';
import type { Booking, Context, Known, Seed, Step } from './plan.ts';
import { concept } from './terms.ts';

/** The weekly diaries. */
export const schedules = (context: Context): Step => ({
  title: 'schedules',
  seeds: context.hospital.schedules.map(
    (schedule): Seed => ({
      type: 'Schedule',
      name: schedule.id,
      elements: (known) => ({
        active: true,
        ...toServiceCategory(schedule, known, context),
        actor: [known.to('Practitioner', schedule.practitionerId), known.to('Location', schedule.locationId)],
      }),
    }),
  ),
});

/** The slots of all schedules from the day of the seeding on. */
export function slots(days: number, context: Context): Seed[] {
  const { hospital, zone, now } = context;
  const today = zone.toLocalDay(now);
  const all = Array.from({ length: days + 1 }, (_, ahead) => addDays(today, ahead)).flatMap((day) =>
    hospital.schedules.flatMap((schedule) =>
      listStarts(day, schedule).map((start) => findSlot(start, schedule, context)),
    ),
  );
  return all.filter((slot) => slot !== undefined);
}

/** Local times at which slots begin on that day. */
function listStarts(day: string, { days, from, to, minutes }: Schedule): string[] {
  if (!days.includes(weekdays[getWeekday(day)]!)) return [];
  const count = Math.floor((parseMinutes(to) - parseMinutes(from)) / minutes);
  return Array.from({ length: count }, (_, index) => `${day}T${formatTime(parseMinutes(from) + index * minutes)}:00`);
}

/** 0 for Monday. */
const getWeekday = (day: string): number => (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
const parseMinutes = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
const formatTime = (minutes: number): string =>
  [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');

/** Undefined where a change of the clocks skips it. */
function findSlot(start: string, schedule: Schedule, context: Context): Seed | undefined {
  const times = toTimes(start, schedule, context);
  return (
    times && {
      type: 'Slot',
      name: `${schedule.id}.${start.slice(0, 16).replaceAll(/[-:]/g, '')}`,
      elements: (known) => ({
        ...toServiceCategory(schedule, known, context),
        schedule: known.to('Schedule', schedule.id),
        status: 'free',
        ...times,
      }),
    }
  );
}

function toTimes(start: string, { minutes }: Schedule, { zone }: Context) {
  const begins = zone.toEpoch(start);
  if (begins === undefined) return undefined;
  const [from, to] = [begins, begins + minutes * 60_000].map((epoch) => new Date(epoch).toISOString());
  return { start: from, end: to };
}

/** What the time of a schedule is for: the kind of visit, and the service by code and by reference. */
function toServiceCategory({ serviceId, modality }: Schedule, known: Known, { hospital, codes }: Context) {
  const service = hospital.services.find(({ id }) => id === serviceId) as Service;
  return {
    serviceCategory: [concept(hl7.actCode, modality === 'virtual' ? 'VR' : 'AMB')],
    serviceType: [
      {
        extension: [{ url: hl7.serviceReference, valueReference: known.to('HealthcareService', serviceId) }],
        ...concept(codes.system('hcs'), toCode(service), service.name),
      },
    ],
  };
}

/** The appointments, those of the past too; relative weeks count from the one of the seeding. */
export function bookings(context: Context): Booking[] {
  const { hospital, zone, now } = context;
  const today = zone.toLocalDay(now);
  const monday = addDays(today, -getWeekday(today));
  const byId = new Map(hospital.schedules.map((schedule) => [schedule.id, schedule]));
  return hospital.appointments.flatMap((appointment) => {
    const { scheduleId, week, day, time, status } = appointment;
    const schedule = byId.get(scheduleId)!;
    const start = `${addDays(monday, week * 7 + weekdays.indexOf(day))}T${time}:00`;
    const slot = findSlot(start, schedule, context);
    if (!slot) return [];
    const taken = status === 'active' ? slot : undefined;
    return { appointment: toAppointment(appointment, schedule, start, taken, context), slot: taken };
  });
}

function toAppointment(
  appointment: Appointment,
  schedule: Schedule,
  start: string,
  slot: Seed | undefined,
  context: Context,
): Seed {
  const { patientId, coverageId } = appointment;
  const times = toTimes(start, schedule, context);
  const isPast = (times?.start ?? '') < context.now;
  const extension = toExtensions(appointment, context);
  const participant = (actor: { readonly reference: string }, required = 'required') => ({
    actor,
    required,
    status: 'accepted',
  });
  return {
    type: 'Appointment',
    name: appointment.id,
    elements: (known) => ({
      ...(extension.length > 0 && { extension }),
      status: slot === undefined ? 'cancelled' : isPast ? 'fulfilled' : 'booked',
      ...toServiceCategory(schedule, known, context),
      ...times,
      minutesDuration: schedule.minutes,
      ...(slot && { slot: [known.to('Slot', slot.name)] }),
      ...(coverageId !== undefined && { supportingInformation: [known.to('Coverage', coverageId)] }),
      participant: [
        participant(known.to('Patient', patientId)),
        participant(known.to('Practitioner', schedule.practitionerId)),
        participant(known.to('Location', schedule.locationId)),
        participant(known.to('HealthcareService', schedule.serviceId), 'information-only'),
      ],
    }),
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

import { z } from 'zod';
import type { Appointment } from '../../ports/index.ts';
import { omitUndefined } from '../../ports/omit-undefined.ts';
import { coverageId, locationId, patientId, practitionerId, serviceId } from '../ids.ts';
import { operation } from '../operation.ts';
import { appointmentStatus, dashDay, dayOut, digits, hourMinute, id, modality, sortDirection } from '../scalars.ts';
import { pageAddition, pageBody, pageQuery, toPageBody } from './page.ts';

const appointmentRow = z
  .object({
    id,
    patientId: id,
    practitionersIds: z.array(z.string()),
    hcsId: z.string().nullable(),
    appointmentDate: dayOut,
    appointmentStart: z.string().meta({ description: 'Local time, `hh:mm`.' }),
    minutesDuration: z.string().meta({ description: 'A number as a string of digits.' }),
    appointmentStatus,
    modality,
    patientCoverageId: z.string().nullable().meta({ description: 'Null when the patient pays.' }),
    copay: z.number().nullable().meta({ description: 'In the institution’s currency; null when none is set.' }),
    authorization: z.boolean().nullable().meta({
      description: 'Whether the insurer has authorized it; null when unknown.',
    }),
    locationId: z.string(),
  })
  .meta({ id: 'AppointmentRow' });

const toAppointmentRow = (appointment: Appointment): z.input<typeof appointmentRow> => ({
  id: appointment.id,
  patientId: appointment.patientId,
  practitionersIds: appointment.practitioners.flatMap(({ id }) => id || []),
  hcsId: appointment.services[0]?.id || null,
  appointmentDate: appointment.start.slice(0, 10),
  appointmentStart: appointment.start.slice(11, 16),
  minutesDuration: String(appointment.minutes),
  appointmentStatus: appointment.status,
  modality: appointment.modality,
  patientCoverageId: appointment.coverage?.id ?? null,
  copay: appointment.copay ?? null,
  authorization: appointment.authorization ?? null,
  locationId: appointment.location.id,
});

export const getAppointment = operation({
  name: 'getAppointment',
  route: 'GET /v1/appointments',
  summary: 'List a patient’s appointments (paged)',
  additions: [
    pageAddition,
    'The fields of a row. Appointments are sorted by start time; `sortDirection` is `ASC` by default. `dateFrom` is a day in the institution’s time zone, inclusive. The totals count records that a page leaves out (`Puente-Omitted`).',
  ],
  scope: 'appointments:read',
  uses: ['appointments.list'],
  query: z.object({
    patientId,
    ...pageQuery,
    dateFrom: dashDay.meta({ description: 'Only appointments on this day or later, `YYYY-MM-DD`.' }).optional(),
    appointmentStatus: appointmentStatus.optional(),
    sortDirection: sortDirection.default('ASC'),
  }),
  example: { query: { patientId: 'ana', appointmentStatus: 'active', sortDirection: 'DESC', page: '0', limit: '5' } },
  returns: [200, pageBody(appointmentRow)],
  fails: ['not_found'],
  places: {
    patientId: 'query /patientId',
    from: 'query /dateFrom',
    status: 'query /appointmentStatus',
    order: 'query /sortDirection',
    page: 'query /page',
  },
  handle: async (appointments, { query }, call) => {
    const { page, limit, sortDirection } = query;
    const found = await appointments.list(
      query.patientId,
      omitUndefined({
        from: query.dateFrom,
        status: query.appointmentStatus,
        order: sortDirection === 'ASC' ? ('ascending' as const) : ('descending' as const),
        page: { page, limit },
      }),
      call,
    );
    return toPageBody({ items: found.items.map(toAppointmentRow), total: found.total }, { page, limit });
  },
});

const outOfBounds = 'must be between 1 and 1440';
const durationText = digits(1, 1440).meta({ pattern: '^0{0,5}([1-9]\\d{0,2}|1[0-3]\\d{2}|14[0-3]\\d|1440)$' });

const duration = z
  .union([durationText, z.int().min(1, outOfBounds).max(1440, outOfBounds)], { error: 'must be a number of minutes' })
  .meta({ description: 'Minutes, as a string of digits or a number; by default the length of one slot.' });

export const createAppointment = operation({
  name: 'createAppointment',
  route: 'POST /v1/appointments',
  summary: 'Create an appointment',
  additions: [
    'The body of the response. `patientId`, `practitionersIds`, `hcsId`, `appointmentDate` and `appointmentStart` are required; without `patientCoverageId` the patient pays.',
    '`minutesDuration` may span several consecutive free slots; either all are booked or none. The slots are those of the first of `practitionersIds`; every other one must have free slots that begin at the same time and last as long.',
    '`appointmentId` is the id of an available slot, which must match the date, time and service.',
    'A time at which no slot is offered is 422 `slot_unknown`; a slot that is no longer free is 409 `slot_taken`.',
  ],
  scope: 'appointments:write',
  uses: ['appointments.book'],
  body: z.strictObject({
    patientId,
    practitionersIds: z
      .array(practitionerId)
      .min(1, 'must name at least one practitioner')
      .max(10, 'must name at most 10 practitioners')
      .refine((ids) => new Set(ids).size === ids.length, 'must not name a practitioner twice'),
    hcsId: serviceId,
    appointmentDate: dashDay.meta({ description: 'A day in the institution’s time zone, `YYYY-MM-DD`.' }),
    appointmentStart: hourMinute.meta({ description: 'Local time, `hh:mm`.' }),
    minutesDuration: duration.optional(),
    patientCoverageId: coverageId.optional(),
    copay: z
      .number()
      .nonnegative('must not be negative')
      .meta({ description: 'What the patient pays at the appointment, in the institution’s currency.' })
      .optional(),
    authorization: z.boolean().meta({ description: 'Whether the insurer has authorized it.' }).optional(),
    appointmentId: id.meta({ description: 'The `appointmentId` of the available slot.' }).optional(),
    locationId: locationId.optional(),
  }),
  example: (ahead) => ({
    body: {
      patientId: 'bruno',
      practitionersIds: ['paz'],
      hcsId: 'consulta-clinica',
      appointmentDate: ahead(2, 'WEDNESDAY'),
      appointmentStart: '09:40',
      minutesDuration: '20',
      patientCoverageId: 'bruno-osde',
      copay: 0,
      authorization: false,
      locationId: 'central',
    },
  }),
  returns: [201, z.object({ status: z.literal('booked'), model: z.object({ id }) })],
  fails: ['not_found', 'slot_unknown', 'slot_taken', 'nonexistent_local_time'],
  places: {
    patientId: 'body /patientId',
    serviceId: 'body /hcsId',
    practitionerIds: 'body /practitionersIds',
    start: 'body /appointmentStart',
    minutes: 'body /minutesDuration',
    coverageId: 'body /patientCoverageId',
    locationId: 'body /locationId',
    slotId: 'body /appointmentId',
    copay: 'body /copay',
    authorization: 'body /authorization',
  },
  handle: async (appointments, { body }, call) => {
    const { id } = await appointments.book(
      body.patientId,
      omitUndefined({
        serviceId: body.hcsId,
        practitionerIds: body.practitionersIds,
        start: `${body.appointmentDate}T${body.appointmentStart}:00`,
        minutes: body.minutesDuration,
        coverageId: body.patientCoverageId,
        locationId: body.locationId,
        slotId: body.appointmentId,
        copay: body.copay,
        authorization: body.authorization,
      }),
      call,
    );
    return { status: 'booked' as const, model: { id } };
  },
});

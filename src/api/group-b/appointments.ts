import { z } from 'zod';
import type { Appointment } from '../../ports/index.ts';
import { operation } from '../operation.ts';
import { present } from '../present.ts';
import { dashDay, dayOut, digits, hourMinute, id } from '../scalars.ts';
import { pageAddition, pageBody, pageQuery, toPageBody } from './page.ts';

const status = z.enum(['active', 'canceled']);

const appointmentRow = z
  .object({
    id,
    patientId: id,
    practitionersIds: z.array(z.string()),
    hcsId: z.string().nullable(),
    appointmentDate: dayOut,
    appointmentStart: z.string().meta({ description: 'Local time, `hh:mm`.' }),
    minutesDuration: z.string().meta({ description: 'A number in digits.' }),
    appointmentStatus: status,
    modality: z.enum(['in-person', 'virtual']),
    patientCoverageId: z.string().nullable().meta({ description: 'Null when the patient pays.' }),
    copay: z.number().nullable().meta({ description: 'In the institution’s currency; null when none is set.' }),
    authorization: z.boolean().nullable().meta({
      description: 'Whether the insurer’s authorisation is at hand; null when that is not known.',
    }),
    locationId: z.string(),
  })
  .meta({ id: 'AppointmentRow' });

const toAppointmentRow = (appointment: Appointment): z.input<typeof appointmentRow> => ({
  id: appointment.id,
  patientId: appointment.patientId,
  practitionersIds: appointment.practitioners.map(({ id }) => id),
  hcsId: appointment.services[0]?.id ?? null,
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
  summary: 'A patient’s appointments, page by page',
  additions: [
    pageAddition,
    'The row. Appointments are sorted by their start, `ASC` unless `sortDirection` says otherwise. `dateFrom` is a day in the institution’s zone, included.',
  ],
  scope: 'appointments:read',
  uses: 'appointments.list',
  query: z.object({
    patientId: id,
    ...pageQuery,
    dateFrom: dashDay.meta({ description: 'Only appointments on this day or later, `YYYY-MM-DD`.' }).optional(),
    appointmentStatus: status.optional(),
    sortDirection: z.enum(['ASC', 'DESC']).default('ASC'),
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
      present({
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

const duration = z
  .union([digits(1, 1440), z.int().min(1, 'must lie between 1 and 1440').max(1440, 'must lie between 1 and 1440')], {
    error: 'must be a number of minutes',
  })
  .meta({ description: 'Minutes, in digits or as a number. Absent: one slot.' });

export const createAppointment = operation({
  name: 'createAppointment',
  route: 'POST /v1/appointments',
  summary: 'Create an appointment',
  additions: [
    'The answer. Required are `patientId`, `practitionersIds`, `hcsId`, `appointmentDate` and `appointmentStart`; without `patientCoverageId` the patient pays.',
    '`minutesDuration` may span several free slots in a row, all taken or none. Every one of `practitionersIds` must be free; the slot is the first one’s.',
    '`appointmentId` is the id of an available slot, which must agree with date, time and service.',
    'A time that nobody offers is a 422 with the code `slot_unknown`; one that is no longer free is a 409 with the code `slot_taken`.',
  ],
  scope: 'appointments:write',
  uses: 'appointments.book',
  body: z.strictObject({
    patientId: id,
    practitionersIds: z
      .array(id)
      .min(1, 'must name at least one practitioner')
      .max(10, 'must name at most 10 practitioners')
      .refine((ids) => new Set(ids).size === ids.length, 'must not name a practitioner twice'),
    hcsId: id.meta({ description: 'The health care service.' }),
    appointmentDate: dashDay.meta({ description: 'A day in the institution’s zone, `YYYY-MM-DD`.' }),
    appointmentStart: hourMinute.meta({ description: 'Local time, `hh:mm`.' }),
    minutesDuration: duration.optional(),
    patientCoverageId: id.optional(),
    copay: z
      .number()
      .nonnegative('must not be negative')
      .meta({ description: 'What the patient pays on the day, in the institution’s currency.' })
      .optional(),
    authorization: z.boolean().meta({ description: 'Whether the insurer’s authorisation is at hand.' }).optional(),
    appointmentId: id.meta({ description: 'The `appointmentId` of the available slot.' }).optional(),
    locationId: id.optional(),
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
      present({
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

import { z } from 'zod';
import type { Appointment, AppointmentQuery, Booking, Named, SlotQuery } from '../../ports/index.ts';
import { toRecord } from '../../toolkit/records.ts';
import { operation } from '../operation.ts';
import {
  appointmentId,
  appointmentStatus,
  coverageId,
  dashDay,
  dayOut,
  digits,
  empty,
  flagOut,
  hourMinute,
  id,
  localDateTime,
  localDateTimeOut,
  locationId,
  modality,
  patientId,
  practitionerId,
  serviceId,
  sortDirection,
} from '../scalars.ts';
import { toInsuranceBody } from './insurance.ts';
import { pageAddition, pageBody, pageQuery, toPageBody } from './page.ts';

const described = z.object({ id: z.string(), description: z.string() });

const appointmentBody = z
  .object({
    id,
    date: localDateTimeOut,
    status: appointmentStatus,
    modality,
    payments: z
      .object({ link: z.string().meta({ description: 'A URL.' }), status: z.string() })
      .partial()
      .meta({ description: 'Empty if nothing can be paid online.' }),
    health_insurances: z
      .object({ carrier: z.string(), plan: z.string(), credential_number: z.string(), active: flagOut })
      .partial()
      .meta({ description: 'The health insurance that covers the appointment. Empty if the patient pays.' }),
    practitioner: z.object({ id: z.string(), name: z.string() }),
    cancelable: z.boolean().meta({ description: 'True if it can be canceled now.' }),
    location: described,
    healht_care_service: z.array(described).meta({ description: 'Spelled as in the API document.' }),
  })
  .meta({ id: 'Appointment' });

const toDescribed = ({ id, name }: Named) => ({ id, description: name });

const toAppointmentBody = (appointment: Appointment): z.input<typeof appointmentBody> => ({
  id: appointment.id,
  date: appointment.start,
  status: appointment.status,
  modality: appointment.modality,
  payments: appointment.payment ?? {},
  health_insurances: appointment.coverage ? toInsuranceBody(appointment.coverage) : {},
  practitioner: appointment.practitioners[0] ?? { id: '', name: '' },
  cancelable: appointment.cancelable,
  location: toDescribed(appointment.location),
  healht_care_service: appointment.services.map(toDescribed),
});

export const listAppointments = operation({
  name: 'listAppointments',
  route: 'GET /patients/{id}/appointments',
  summary: 'List a patient’s appointments',
  additions: [
    'Past and canceled appointments are included, sorted by date. `payments` and `health_insurances` may be `{}`.',
  ],
  scope: 'appointments:read',
  uses: ['appointments.list'],
  params: z.object({ id: patientId }),
  example: { params: { id: 'ana' } },
  returns: [200, z.object({ appointments: z.array(appointmentBody) })],
  fails: ['not_found'],
  handle: async (appointments, { params }, call) => {
    const { items } = await appointments.list(params.id, { order: 'ascending' }, call);
    return { appointments: items.map(toAppointmentBody) };
  },
});

export const bookAppointment = operation({
  name: 'bookAppointment',
  route: 'POST /patients/{id}/appointments',
  summary: 'Book an appointment',
  additions: [
    'The `Location` header names the new appointment.',
    '`health_insurance_id` is optional. Without it, the patient pays.',
    'A time without an offered slot is 422 `slot_unknown`. A slot that is no longer free is 409 `slot_taken`.',
  ],
  scope: 'appointments:write',
  uses: ['appointments.book'],
  params: z.object({ id: patientId }),
  body: z.strictObject({
    health_care_service_id: serviceId,
    practitioner_id: practitionerId,
    health_insurance_id: coverageId.optional(),
    date: localDateTime.meta({ description: 'The start of a free slot, in the institution’s time zone.' }),
  }),
  example: (ahead) => ({
    params: { id: 'ana' },
    body: {
      health_care_service_id: 'consulta-clinica',
      practitioner_id: 'paz',
      health_insurance_id: 'ana-osde',
      date: `${ahead(2, 'TUESDAY')}T09:20:00`,
    },
  }),
  returns: [201, empty],
  fails: ['not_found', 'slot_unknown', 'slot_taken', 'nonexistent_local_time'],
  places: {
    patientId: 'path /id',
    serviceId: 'body /health_care_service_id',
    practitionerIds: 'body /practitioner_id',
    coverageId: 'body /health_insurance_id',
    start: 'body /date',
  },
  handle: (appointments, { params, body }, call) =>
    appointments.book(
      params.id,
      toRecord<Pick<Booking, 'serviceId' | 'practitionerIds' | 'coverageId' | 'start'>>({
        serviceId: body.health_care_service_id,
        practitionerIds: [body.practitioner_id],
        coverageId: body.health_insurance_id,
        start: body.date,
      }),
      call,
    ),
  location: ({ params }, { id }) => `/patients/${encodeURIComponent(params.id)}/appointments/${encodeURIComponent(id)}`,
});

export const cancelAppointment = operation({
  name: 'cancelAppointment',
  route: 'PUT /patients/{id}/appointments/{appointment_id}',
  summary: 'Cancel an appointment',
  additions: [
    'An institution may not offer this operation. Canceling a canceled appointment succeeds and changes nothing.',
    'An appointment that is not `cancelable` is 409 `not_cancelable`. A cancellation releases the slot.',
  ],
  scope: 'appointments:write',
  uses: ['appointments.cancel'],
  params: z.object({ id: patientId, appointment_id: appointmentId }),
  body: z.strictObject({ status: z.literal('canceled') }),
  example: { params: { id: 'ana', appointment_id: 'turno-ana-1' }, body: { status: 'canceled' } },
  returns: [200, empty],
  fails: ['not_found', 'not_cancelable'],
  handle: async (appointments, { params }, call) => {
    await appointments.cancel(params.id, params.appointment_id, call);
    return {};
  },
});

const slotBody = z
  .object({
    date: localDateTimeOut,
    health_care_service_id: id,
    practitioner_id: id,
    location_id: id,
    mode: modality,
  })
  .meta({ id: 'AvailableAppointment' });

export const searchAvailableAppointments = operation({
  name: 'searchAvailableAppointments',
  route: 'GET /available-appointments/search',
  summary: 'Search the available slots of a service',
  additions: [
    'Only free future slots within the institution’s booking horizon are listed, sorted by time.',
    '`patient_id` and `health_insurance_id` are optional. The list is empty if the patient does not meet the service’s age or sex limits, or if the insurance plan does not cover the service. A health insurance of another patient is 422.',
  ],
  scope: 'slots:read',
  uses: ['appointments.slots'],
  query: z.object({
    patient_id: patientId.optional(),
    health_insurance_id: coverageId.optional(),
    health_care_service_id: serviceId,
    practitioner_id: practitionerId
      .meta({ description: `Only slots of this practitioner. ${practitionerId.description}` })
      .optional(),
    location_id: locationId.meta({ description: `Only slots at this location. ${locationId.description}` }).optional(),
  }),
  example: {
    query: {
      patient_id: 'ana',
      health_insurance_id: 'ana-osde',
      health_care_service_id: 'consulta-clinica',
      practitioner_id: 'paz',
      location_id: 'central',
    },
  },
  returns: [200, z.object({ appointments: z.array(slotBody) })],
  places: {
    serviceId: 'query /health_care_service_id',
    practitionerId: 'query /practitioner_id',
    locationId: 'query /location_id',
    patientId: 'query /patient_id',
    coverageId: 'query /health_insurance_id',
  },
  handle: async (appointments, { query }, call) => {
    const { items } = await appointments.slots(
      toRecord<Pick<SlotQuery, 'serviceId' | 'practitionerId' | 'locationId' | 'patientId' | 'coverageId'>>({
        serviceId: query.health_care_service_id,
        practitionerId: query.practitioner_id,
        locationId: query.location_id,
        patientId: query.patient_id,
        coverageId: query.health_insurance_id,
      }),
      call,
    );
    return {
      appointments: items.map((slot) => ({
        date: slot.start,
        health_care_service_id: slot.serviceId,
        practitioner_id: slot.practitionerId,
        location_id: slot.locationId,
        mode: slot.modality,
      })),
    };
  },
});

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
    patientCoverageId: z.string().nullable().meta({ description: 'Null if the patient pays.' }),
    copay: z.number().nullable().meta({ description: 'In the institution’s currency. Null if unset.' }),
    authorization: z.boolean().nullable().meta({
      description: 'True if the insurer has authorized it. Null if unknown.',
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
  example: (ahead) => ({
    query: {
      patientId: 'ana',
      dateFrom: ahead(-104, 'MONDAY'),
      appointmentStatus: 'active',
      sortDirection: 'DESC',
      page: '0',
      limit: '5',
    },
  }),
  returns: [200, pageBody(appointmentRow)],
  patientsIn: ({ data }) => data.map((row) => row.patientId),
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
      toRecord<AppointmentQuery>({
        from: query.dateFrom,
        status: query.appointmentStatus,
        order: sortDirection === 'ASC' ? 'ascending' : 'descending',
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
  .meta({ description: 'Minutes, as a string of digits or a number. Default: the length of one slot.' });

export const createAppointment = operation({
  name: 'createAppointment',
  route: 'POST /v1/appointments',
  summary: 'Create an appointment',
  additions: [
    'The body of the response. `patientId`, `practitionersIds`, `hcsId`, `appointmentDate` and `appointmentStart` are required. Without `patientCoverageId`, the patient pays.',
    '`minutesDuration` may span several consecutive free slots, of which all or none are booked. The slots are those of the first of `practitionersIds`. Every other practitioner must have free slots with the same start and duration.',
    '`appointmentId` is the id of an available slot, which must match the date, time and service.',
    'A time without an offered slot is 422 `slot_unknown`. A slot that is no longer free is 409 `slot_taken`.',
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
      .meta({ description: 'Amount that the patient pays at the appointment, in the institution’s currency.' })
      .optional(),
    authorization: z.boolean().meta({ description: 'True if the insurer has authorized it.' }).optional(),
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
      toRecord<Booking>({
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

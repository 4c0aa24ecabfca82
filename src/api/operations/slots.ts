import { z } from 'zod';
import { type Slot, type SlotQuery, weekdays } from '../../ports/index.ts';
import { toRecord } from '../../toolkit/records.ts';
import { operation } from '../operation.ts';
import {
  coverageId,
  dashDay,
  dayOut,
  hourMinute,
  id,
  locationId,
  modality,
  patientId,
  practitionerId,
  serviceId,
} from '../scalars.ts';
import { pageAddition, pageBody, pageQuery, toPageBody } from './page.ts';

const maxDays = 62;

const countDays = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1;

const dateConfig = z
  .strictObject({
    dateFrom: dashDay.meta({ description: 'First day, in the institution’s time zone.' }),
    dateTo: dashDay.meta({ description: 'Last day, inclusive, in the institution’s time zone.' }),
    daysOfWeek: z
      .array(z.enum(weekdays).meta({ id: 'Weekday' }))
      .max(7, 'must name at most 7 days')
      .meta({ description: 'Only these days of the week. An empty list allows any day.' }),
    hourFrom: hourMinute.meta({ description: 'Slots that start at this local time or later.' }),
    hourTo: hourMinute.meta({ description: 'Slots that end at this local time or earlier.' }),
  })
  .partial()
  .refine(({ dateFrom, dateTo }) => !(dateFrom && dateTo && dateTo < dateFrom), {
    error: 'must not be before dateFrom',
    path: ['dateTo'],
  })
  .refine(({ dateFrom, dateTo }) => !(dateFrom && dateTo && countDays(dateFrom, dateTo) > maxDays), {
    error: `the range must have at most ${maxDays} days, both inclusive`,
    path: ['dateTo'],
  })
  .refine(({ hourFrom, hourTo }) => !(hourFrom && hourTo && hourTo < hourFrom), {
    error: 'must not be before hourFrom',
    path: ['hourTo'],
  });

const slotRow = z
  .object({
    appointmentId: id.meta({ description: 'The id of this slot, which `createAppointment` accepts.' }),
    hcsId: id,
    practitionerId: id,
    locationId: id,
    appointmentDate: dayOut,
    appointmentStart: z.string().meta({ description: 'Local time, `hh:mm`.' }),
    minutesDuration: z.string().meta({ description: 'A number as a string of digits.' }),
    modality,
  })
  .meta({ id: 'SlotRow' });

const toSlotRow = (slot: Slot): z.input<typeof slotRow> => ({
  appointmentId: slot.id,
  hcsId: slot.serviceId,
  practitionerId: slot.practitionerId,
  locationId: slot.locationId,
  appointmentDate: slot.start.slice(0, 10),
  appointmentStart: slot.start.slice(11, 16),
  minutesDuration: String(slot.minutes),
  modality: slot.modality,
});

export const getAvailableSlots = operation({
  name: 'getAvailableSlots',
  route: 'POST /v1/available-slots',
  summary: 'Search the available slots of a service (paged)',
  additions: [
    pageAddition,
    'The fields of a row. Only `hcsId` is required. Only free future slots within the institution’s booking horizon are listed, sorted by time.',
    `\`dateFrom\` and \`dateTo\` are days in the institution’s time zone, at most ${maxDays} days apart, both inclusive. \`daysOfWeek\`, \`hourFrom\` and \`hourTo\` narrow the search further.`,
    'The list is empty if the patient does not meet the service’s age or sex limits, or if the coverage’s plan does not cover the service. A coverage of another patient is 422.',
    '`totalElements` may count slots of later pages that are not bookable, such as overbooked ones, or that end after `hourTo`.',
    '`appointmentRequired` is accepted and has no effect: it is a property of the service, and every slot can be booked.',
  ],
  scope: 'slots:read',
  uses: ['appointments.slots'],
  query: z.object(pageQuery),
  body: z.strictObject({
    hcsId: serviceId,
    practitionerId: practitionerId
      .meta({
        description: `Only slots of this practitioner. Null: of any practitioner. ${practitionerId.description}`,
      })
      .optional(),
    modalityVirtual: z
      .boolean()
      .meta({ description: 'True: only virtual slots. False: only in-person ones. Null: both.' })
      .optional(),
    dateConfig: dateConfig.optional(),
    appointmentRequired: z.boolean().meta({ description: 'Has no effect.' }).optional(),
    locationId: locationId
      .meta({ description: `Only slots at this location. Null: at any location. ${locationId.description}` })
      .optional(),
    patientCoverageId: coverageId.optional(),
    patientId: patientId.optional(),
  }),
  example: (ahead) => ({
    query: { page: '0', limit: '10' },
    body: {
      hcsId: 'consulta-clinica',
      practitionerId: null,
      modalityVirtual: false,
      dateConfig: {
        dateFrom: ahead(2, 'MONDAY'),
        dateTo: ahead(2, 'FRIDAY'),
        daysOfWeek: ['MONDAY', 'TUESDAY', 'WEDNESDAY'],
        hourFrom: '09:00',
        hourTo: '12:00',
      },
      appointmentRequired: true,
      locationId: null,
      patientCoverageId: 'ana-osde',
      patientId: 'ana',
    },
  }),
  returns: [200, pageBody(slotRow)],
  places: {
    serviceId: 'body /hcsId',
    practitionerId: 'body /practitionerId',
    locationId: 'body /locationId',
    modality: 'body /modalityVirtual',
    patientId: 'body /patientId',
    coverageId: 'body /patientCoverageId',
    from: 'body /dateConfig/dateFrom',
    to: 'body /dateConfig/dateTo',
    daysOfWeek: 'body /dateConfig/daysOfWeek',
    hourFrom: 'body /dateConfig/hourFrom',
    hourTo: 'body /dateConfig/hourTo',
  },
  handle: async (appointments, { query: page, body }, call) => {
    const { dateFrom, dateTo, daysOfWeek = [], hourFrom, hourTo } = body.dateConfig ?? {};
    const found = await appointments.slots(
      toRecord<SlotQuery>({
        serviceId: body.hcsId,
        practitionerId: body.practitionerId,
        locationId: body.locationId,
        modality: body.modalityVirtual === undefined ? undefined : body.modalityVirtual ? 'virtual' : 'in-person',
        patientId: body.patientId,
        coverageId: body.patientCoverageId,
        from: dateFrom,
        to: dateTo,
        daysOfWeek: daysOfWeek.length === 0 ? undefined : daysOfWeek,
        hourFrom,
        hourTo,
        page,
      }),
      call,
    );
    return toPageBody({ items: found.items.map(toSlotRow), total: found.total }, page);
  },
});

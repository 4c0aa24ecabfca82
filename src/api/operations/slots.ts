import { z } from 'zod';
import { type Slot, type SlotNarrowing, type SlotQuery, takePage, weekdays } from '../../ports/index.ts';
import { toRecord } from '../../toolkit/records.ts';
import { getWeekday, parseMinutes } from '../../toolkit/zone.ts';
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
      .meta({ description: 'Only these days of the week; an empty list means any.' }),
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

/** What the port does not narrow by. */
type Narrowing = Pick<z.output<typeof dateConfig>, 'daysOfWeek' | 'hourFrom' | 'hourTo'>;

const narrows = ({ daysOfWeek = [], hourFrom, hourTo }: Narrowing): boolean =>
  daysOfWeek.length > 0 || hourFrom !== undefined || hourTo !== undefined;

/** Whether a slot lies on one of the days and wholly between the hours. All times are local, so no zone is needed. */
function isWithin(
  { start, minutes }: Pick<Slot, 'start' | 'minutes'>,
  { daysOfWeek = [], hourFrom, hourTo }: Narrowing,
): boolean {
  const weekday = weekdays[getWeekday(start.slice(0, 10))];
  const begins = parseMinutes(start.slice(11));
  return (
    (daysOfWeek.length === 0 || daysOfWeek.some((day) => day === weekday)) &&
    (hourFrom === undefined || begins >= parseMinutes(hourFrom)) &&
    (hourTo === undefined || begins + minutes <= parseMinutes(hourTo))
  );
}

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
    `\`dateFrom\` and \`dateTo\` are days in the institution’s time zone, at most ${maxDays} days apart, both inclusive; \`daysOfWeek\`, \`hourFrom\` and \`hourTo\` narrow the search further.`,
    'The list is empty when the patient does not meet the service’s age or sex limits, or when the coverage’s plan does not cover the service. A coverage of another patient is 422.',
    '`totalElements` may count slots of later pages that will turn out not to be bookable, such as overbooked ones, or to end after `hourTo`.',
    '`appointmentRequired` is accepted and has no effect: it is a property of the service, and every slot can be booked.',
  ],
  scope: 'slots:read',
  uses: ['appointments.slots'],
  query: z.object(pageQuery),
  body: z.strictObject({
    hcsId: serviceId,
    practitionerId: practitionerId
      .meta({ description: `Only slots of this practitioner; null: of any. ${practitionerId.description}` })
      .optional(),
    modalityVirtual: z
      .boolean()
      .meta({ description: 'True: only virtual slots; false: only in-person ones; null: both.' })
      .optional(),
    dateConfig: dateConfig.optional(),
    appointmentRequired: z.boolean().meta({ description: 'Has no effect.' }).optional(),
    locationId: locationId
      .meta({ description: `Only slots at this location; null: at any. ${locationId.description}` })
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
  },
  handle: async (appointments, { query: { page, limit }, body }, call) => {
    const { dateConfig = {} } = body;
    const isNarrowed = narrows(dateConfig);
    const fits = (slot: Pick<Slot, 'start' | 'minutes'>) => isWithin(slot, dateConfig);
    const { daysOfWeek = [], hourFrom, hourTo } = dateConfig;
    const fitsDay = (day: string) => isWithin({ start: `${day}T00:00:00`, minutes: 0 }, { daysOfWeek });
    const answer = await appointments.slots(
      toRecord<SlotQuery>({
        serviceId: body.hcsId,
        practitionerId: body.practitionerId,
        locationId: body.locationId,
        modality: body.modalityVirtual === undefined ? undefined : body.modalityVirtual ? 'virtual' : 'in-person',
        patientId: body.patientId,
        coverageId: body.patientCoverageId,
        from: dateConfig.dateFrom,
        to: dateConfig.dateTo,
        page: isNarrowed ? undefined : { page, limit },
        narrowed: isNarrowed
          ? toRecord<SlotNarrowing>({ page: { page, limit }, fits, fitsDay, hourFrom, hourTo })
          : undefined,
      }),
      call,
    );
    const isWhole = isNarrowed && !answer.isNarrowed;
    const found = isWhole ? takePage(answer.items.filter(fits), { page, limit }) : answer;
    return toPageBody({ items: found.items.map(toSlotRow), total: found.total }, { page, limit });
  },
});

import { z } from 'zod';
import type { Slot } from '../../../src/ports/index.ts';
import {
  catalogue,
  day,
  type FieldsOf,
  flag,
  id,
  localDateTime,
  minutes,
  modality,
  of,
  type Thing,
  time,
  weekday,
  window,
} from './names.ts';

const ofAll = { scheduleId: {}, practitionerId: {}, locationId: {} };
/** Before all days that can be booked. */
export const longAgo = '1900-01-01';

/** What can be booked: slots as rows, or weekly schedules with what is taken of them. */
export const agenda = {
  schedules: {
    about: 'Weekly agendas, of which Puente cuts the slots; for systems without a row for each slot.',
    sharesIds: true,
    record: z.object({
      id,
      weekday,
      from: time,
      to: time,
      minutes,
      validFrom: day.optional(),
      validTo: day.optional(),
      serviceId: id,
      practitionerId: id,
      locationId: id,
      modality: modality.default('in-person'),
    }),
    ...catalogue,
  },
  exceptions: {
    about: 'Days, or parts of them, on which an agenda of `schedules` does not work.',
    record: z
      .object({
        scheduleId: z.string().optional(),
        practitionerId: z.string().optional(),
        locationId: z.string().optional(),
        firstDay: day.optional(),
        lastDay: day.optional(),
        from: time.optional(),
        to: time.optional(),
        /** From one moment to another, over days, in the place of days and times. */
        start: localDateTime.optional(),
        end: localDateTime.optional(),
      })
      .refine(({ firstDay, start }) => firstDay ?? start, { path: ['firstDay'] }),
    needsOneOf: ['firstDay', 'start'],
    widest: {
      ...ofAll,
      firstDay: { firstDay: longAgo, lastDay: '9999-12-31', from: undefined, to: undefined },
      lastDay: { lastDay: '9999-12-31' },
      from: { from: undefined },
      to: { to: undefined },
      start: { start: `${longAgo}T00:00:00`, end: '9999-12-31T00:00:00' },
      end: { end: '9999-12-31T00:00:00' },
    },
    questions: { between: { fromDay: of('exceptions.firstDay'), toDay: of('exceptions.firstDay') } },
    changes: {},
  },
  taken: {
    about: 'Times of `schedules` that are no longer free.',
    sharesIds: true,
    record: z.object({
      /** Whose time it is: one of these at least; several practitioners have blanks between them. */
      practitionerId: z.string().optional(),
      scheduleId: z.string().optional(),
      start: localDateTime,
      /** Without them it takes a slot of its schedule. */
      minutes: minutes.optional(),
      /** What was canceled takes nothing. */
      free: flag.default(false),
    }),
    needsOneOf: ['practitionerId', 'scheduleId'],
    widest: { ...ofAll, start: { start: `${longAgo}T00:00:00` }, minutes: { minutes: 1440 }, free: {} },
    questions: {
      between: {
        from: of('taken.start'),
        to: of('taken.start'),
        fromDay: of('taken.start', 'day'),
        toDay: of('taken.start', 'day'),
        practitionerId: window.practitionerId,
      },
    },
    changes: {},
  },
  slots: {
    about: 'Times that can be booked, free ones and taken ones.',
    record: z.object({
      /** The id of the offer: the same when the time is free again after a cancellation. */
      id,
      /** What a booking calls the slot, where that is not its id. */
      number: z.string().optional(),
      scheduleId: z.string().optional(),
      start: localDateTime,
      minutes,
      serviceId: id,
      practitionerId: id,
      locationId: id,
      modality: modality.default('in-person'),
      free: flag.default(true),
    } satisfies FieldsOf<Slot, 'number' | 'scheduleId' | 'free'>),
    questions: { between: window },
    changes: {},
  },
} as const satisfies Readonly<Record<string, Thing>>;

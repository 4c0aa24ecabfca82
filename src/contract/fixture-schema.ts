import { z } from 'zod';
import { didYouMean } from '../toolkit/problems.ts';
import { isRecord } from '../toolkit/records.ts';
import { getProperties, getSchema, type Schema } from './document.ts';

/** The kinds of records of which fixtures may say what they hold. */
export type RecordKind = 'patients' | 'practitioners' | 'services' | 'appointments' | 'coverages' | 'places';

/** A text that is not empty. */
export const text = z.string('must be text: put a number between quotation marks').min(1);

/** A fixture that may be left out, with what a person who fills in the map has to know of it, and what it looks like. */
const describe = <T extends z.ZodType>(schema: T, description: string, example?: string) =>
  schema.exactOptional().meta({ description, ...(example !== undefined && { examples: [example] }) });

const id = (description: string) => describe(text, description);

const getFields = (name: string) => getProperties(getSchema(name));

/** The fields of each kind of record, as the API shows it. */
const recordFields: Readonly<Record<RecordKind, Readonly<Record<string, Schema>>>> = {
  patients: getFields('Patient'),
  practitioners: getFields('Practitioner'),
  services: getFields('ServiceA'),
  appointments: { ...getFields('AppointmentA'), patient_id: {} },
  coverages: { ...getFields('Coverage'), patient_id: {} },
  places: getFields('DirectoryLocation'),
};

/** Lists fields that the API does not show, each with the likely spelling. */
const listStrangers = (
  record: object,
  fields: Readonly<Record<string, Schema>>,
  path: readonly string[] = [],
): readonly (readonly [string[], string])[] =>
  Object.entries(record).flatMap(([name, value]: [string, unknown]) => {
    const inner = fields[name];
    if (inner === undefined) return [[[...path, name], didYouMean(name, Object.keys(fields))] as const];
    return isRecord(value) && inner.type === 'object'
      ? listStrangers(value, getProperties(inner), [...path, name])
      : [];
  });

const confirmed = z.looseObject({ id: text });

/**
 * A record as the API shows it, which somebody has confirmed by another way than the API: some of its fields, and of `date` the
 * end where the day changes. Appointments and coverages say whose they are in `patient_id`.
 */
export type ConfirmedRecord = z.infer<typeof confirmed>;

const records = (kind: RecordKind, description: string) =>
  describe(
    z.array(
      confirmed.superRefine((record, context) => {
        for (const [path, meant] of listStrangers(record, recordFields[kind])) {
          context.addIssue({ code: 'custom', path, message: `the API shows no such field${meant}` });
        }
      }),
    ),
    `${description} Drafted from what it shows today: look each up in the system itself, and correct what is wrong.`,
  );

/**
 * The records that cases may need at an institution. Each may be left out. Every value is an id there unless its
 * name says otherwise. Cases name nothing but these, so they also run against an institution with other data. What of it
 * must be there, `promisedFixtures` says for each capability.
 */
export const fixturesSchema = z.strictObject({
  bookingHorizonDays: describe(z.int().min(1), 'How many days ahead slots are offered.', '60'),
  cancelUntilHours: describe(
    z.int().min(0),
    'How many hours before its start an appointment can be canceled at the latest. Leave it out where there is no rule.',
    '24',
  ),
  patients: z
    .strictObject({
      complete: id(
        'A woman of age with all that is offered: main practitioner, request for another one, ticket with the status completed, coverages, relatives, and appointments, past, canceled and far enough ahead to be canceled.',
      ),
      bare: id('A man of age without main practitioner, request for another one, ticket, appointment and relatives.'),
      child: id('Too young for services.bookable.'),
      passportHolder: id('Is identified by a passport.'),
      payer: id('Has an appointment with a payment. Leave it out where nobody pays online.'),
      spare: describe(
        z.array(z.string()).min(3),
        'People of age for whom the contract may write where nobody can be registered: at least three, not related, without a request for another practitioner.',
        '["101", "102", "103"]',
      ),
      closed: id(
        'A patient whose record is closed: who died, moved away, or is not in use. Reads work, and nothing can be booked or made.',
      ),
      lateTicket: id('Filed a ticket at an hour at which the day in UTC is another one, such as late in the evening.'),
      removed: id('A patient whom the system marks as deleted. The API does not know this patient any more.'),
    })
    .exactOptional(),
  appointments: z
    .strictObject({
      removed: id('An appointment of patients.complete that the system marks as deleted. The API does not show it.'),
      attended: id('An appointment of patients.complete that took place. Nobody can cancel it any more.'),
    })
    .exactOptional(),
  slots: z
    .strictObject({
      blocked: describe(
        z.strictObject({ practitioner: text, start: text.regex(/^(\d{4}-\d\d-\d\d)?T\d\d:\d\d:\d\d$/) }),
        'A time of services.bookable that the system blocks, by its practitioner and local start; the time of day alone, T12:00:00, where it is blocked on every day.',
        '{ practitioner: "7", start: 2026-12-01T12:00:00 }',
      ),
    })
    .exactOptional(),
  identity: describe(
    z.strictObject({
      identifierType: z.literal('DNI'),
      identifier: z.int(),
      birthDate: z.iso.date(),
      gender: z.enum(['Male', 'Female', 'Other']),
    }),
    'The person of patients.complete.',
    '{ identifierType: DNI, identifier: 12345678, birthDate: 1980-01-31, gender: Female }',
  ),
  passport: id('The number of the passport of patients.passportHolder, with letters.'),
  coverages: z
    .strictObject({
      active: id('Of patients.complete.'),
      inactive: id('Of patients.complete.'),
      ofBare: id('Of patients.bare.'),
      ofChild: id('Of patients.child.'),
    })
    .exactOptional(),
  plans: z
    .strictObject({
      accepted: id('A plan that services.bookable and services.restricted accept.'),
      another: id('Another such plan.'),
      refused: id('A plan that services.restricted does not accept.'),
      withdrawn: id('A plan that is no longer sold.'),
    })
    .exactOptional(),
  carriers: z
    .strictObject({
      withPlans: describe(
        z.strictObject({ id: z.string(), name: z.string() }),
        'A carrier with plans, and its name.',
        '{ id: "7", name: OSDE }',
      ),
      withoutPlans: id('A carrier that has no plan.'),
    })
    .exactOptional(),
  owner: id('An institution that has contracts with some carriers, but not with all.'),
  services: z
    .strictObject({
      bookable: id(
        'A consultation for adults and every plan, with free slots at two locations in the coming two to four weeks.',
      ),
      second: id('Has free slots at the same times as services.bookable, with practitioners.second.'),
      virtual: id('Is given over video, by practitioners.bookable.'),
      womenOnly: id('A service for women, with free slots.'),
      childrenOnly: id('A service for those who are too young for services.bookable.'),
      restricted: id(
        'A PRACTICA for some plans only, which needs an authorisation, with free slots. Leave it out where nobody is insured.',
      ),
      walkIn: id('A service for everybody that needs no appointment.'),
      inactive: id('A service that is no longer offered. The API does not show it.'),
      frequent: describe(
        z.tuple([z.string(), z.string()]),
        'Two services that patients.complete booked in the last 24 months, most often first, each a different number of times.',
        '["11", "12"]',
      ),
    })
    .exactOptional(),
  practitioners: z
    .strictObject({
      bookable: id('Gives services.bookable and services.virtual.'),
      second: id('Gives services.second, and not services.bookable.'),
    })
    .exactOptional(),
  locations: z
    .strictObject({
      first: id('Where services.bookable and services.second are given.'),
      another: id('Where services.bookable is given too.'),
    })
    .exactOptional(),
  ticketType: describe(
    z.strictObject({
      id: z.string(),
      checked: z.strictObject({ id: z.string(), fits: z.string(), misfit: z.string() }),
      date: z.string(),
    }),
    'A type of ticket, a field whose pattern takes one text and not another, and a field for a date.',
    '{ id: "3", checked: { id: "31", fits: some text, misfit: "%&!" }, date: "32" }',
  ),
  typedTicketType: describe(
    z.strictObject({ id: z.string(), file: z.string(), number: z.string(), boolean: z.string() }),
    'A type of ticket with a field of each of these types; the number can be 3.',
    '{ id: "4", file: "41", number: "42", boolean: "43" }',
  ),
  inactiveTicketType: id('A type that takes no tickets any more. The API does not show it.'),
  changeReason: id('A reason to ask for another main practitioner.'),
  records: z
    .strictObject({
      patients: records('patients', 'The records of some patients as the API has to show them.'),
      practitioners: records('practitioners', 'The same of practitioners.'),
      services: records('services', 'The same of services.'),
      appointments: records(
        'appointments',
        'The same of appointments that are past; of date the local time alone will do, T09:30:00.',
      ),
      coverages: records('coverages', 'The same of coverages, active and inactive.'),
      places: records('places', 'The same of places of the medical directory, with latitude and longitude.'),
    })
    .exactOptional(),
});

/** The described fields of a schema, and of the sections in it, e.g. `patients.bare`. */
export function describeFields(schema: z.ZodObject, prefix = ''): [string, z.core.GlobalMeta][] {
  return Object.entries<z.core.$ZodType>(schema.shape).flatMap(([name, field]): [string, z.core.GlobalMeta][] => {
    const meta = z.globalRegistry.get(field);
    if (meta) return [[`${prefix}${name}`, meta]];
    const inner: unknown = field instanceof z.ZodExactOptional ? field.unwrap() : field;
    return inner instanceof z.ZodObject ? describeFields(inner, `${name}.`) : [];
  });
}

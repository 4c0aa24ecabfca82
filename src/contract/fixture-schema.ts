import { z } from 'zod';
import { didYouMean } from '../toolkit/problems.ts';
import { isRecord } from '../toolkit/records.ts';
import { getProperties, getSchema, type Schema } from './document.ts';

/** The kinds of records whose values fixtures may confirm. */
export type RecordKind = 'patients' | 'practitioners' | 'services' | 'appointments' | 'coverages' | 'places';

/** A text that is not empty. */
export const text = z.string('must be text: put a number between quotation marks').min(1);

/** An optional fixture with a description for the person who fills in the map, and an example. */
const describe = <T extends z.ZodType>(schema: T, description: string, example?: string) =>
  schema.exactOptional().meta({ description, ...(example !== undefined && { examples: [example] }) });

const id = (description: string) => describe(text, description);

const getFields = (name: string) => getProperties(getSchema(name));

/** The fields of each kind of record in the API. */
const recordFields: Readonly<Record<RecordKind, Readonly<Record<string, Schema>>>> = {
  patients: getFields('Patient'),
  practitioners: getFields('Practitioner'),
  services: getFields('ServiceA'),
  appointments: { ...getFields('AppointmentA'), patient_id: {} },
  coverages: { ...getFields('Coverage'), patient_id: {} },
  places: getFields('DirectoryLocation'),
};

/** Lists fields that the API does not have, each with the likely spelling, and objects in place of texts. */
const listWrongFields = (
  record: object,
  fields: Readonly<Record<string, Schema>>,
  path: readonly string[] = [],
): readonly (readonly [string[], string])[] =>
  Object.entries(record).flatMap(([name, value]: [string, unknown]) => {
    const inner = fields[name];
    const at = [...path, name];
    if (inner === undefined)
      return [[at, `the API has no such field${didYouMean(name, Object.keys(fields))}`] as const];
    if (!isRecord(value)) return [];
    if (inner.type === 'string') return [[at, 'must be text, as in the API'] as const];
    return inner.type === 'object' ? listWrongFields(value, getProperties(inner), at) : [];
  });

const confirmed = z.looseObject({ id: text });

/**
 * Some fields of a record in the API that somebody confirmed in another way than by the API. If the day of `date`
 * changes, the fixture has only its end. `patient_id` of an appointment or a coverage is its patient.
 */
export type ConfirmedRecord = z.infer<typeof confirmed>;

const records = (kind: RecordKind, description: string) =>
  describe(
    z.array(
      confirmed.superRefine((record, context) => {
        for (const [path, message] of listWrongFields(record, recordFields[kind])) {
          context.addIssue({ code: 'custom', path, message });
        }
      }),
    ),
    `${description} This draft has the values that the API returns today: look up each in the system itself, and correct the wrong ones.`,
  );

/**
 * The records that cases may need at an institution. Each is optional. Every value is an id unless its name shows
 * otherwise. Cases use no other records, so they also run against an institution with other data. `promisedFixtures`
 * lists the records that each capability needs.
 */
export const fixturesSchema = z.strictObject({
  bookingHorizonDays: describe(z.int().min(1), 'The number of days ahead for which slots are offered.', '60'),
  cancelUntilHours: describe(
    z.int().min(0),
    'The minimum number of hours before the start for a cancellation. Leave it out if there is no such rule.',
    '24',
  ),
  patients: z
    .strictObject({
      complete: id(
        'An adult woman with every kind of record: a main practitioner, a request for another one, a ticket with the status completed, coverages and relatives. Her appointments are past, canceled, and far enough ahead to be canceled.',
      ),
      bare: id(
        'An adult man without a main practitioner, a request for another one, tickets, appointments or relatives.',
      ),
      child: id('A patient who is too young for services.bookable.'),
      passportHolder: id('A patient with a passport as the identifier.'),
      payer: id('A patient with a paid appointment. Leave it out if nobody pays online.'),
      spare: describe(
        z.array(z.string()).min(3),
        'Adults for whom the contract may write if the system registers no patients. Name at least three who are not related and have no request for another practitioner.',
        '["101", "102", "103"]',
      ),
      closed: id(
        'A patient with a closed record: deceased, moved away or not in use. Reads work. Bookings and new records are refused.',
      ),
      lateTicket: id(
        'A patient with a ticket that was filed late in the evening, so that its day in UTC is another one.',
      ),
      removed: id('A patient whom the system marks as deleted. The API answers 404.'),
    })
    .exactOptional(),
  appointments: z
    .strictObject({
      removed: id('An appointment of patients.complete that the system marks as deleted. The API does not show it.'),
      attended: id('A past appointment that patients.complete attended. It can no longer be canceled.'),
    })
    .exactOptional(),
  slots: z
    .strictObject({
      blocked: describe(
        z.strictObject({ practitioner: text, start: text.regex(/^(\d{4}-\d\d-\d\d)?T\d\d:\d\d:\d\d$/) }),
        'A blocked time of services.bookable: its practitioner and local start. If it is blocked every day, the time alone, e.g. T12:00:00.',
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
    'The person of patients.complete. She has no other identity document.',
    '{ identifierType: DNI, identifier: 12345678, birthDate: 1980-01-31, gender: Female }',
  ),
  passport: id('The passport number of patients.passportHolder, with letters.'),
  coverages: z
    .strictObject({
      active: id('An active coverage of patients.complete.'),
      inactive: id('A coverage of patients.complete that is no longer active.'),
      ofBare: id('A coverage of patients.bare.'),
      ofChild: id('A coverage of patients.child.'),
    })
    .exactOptional(),
  plans: z
    .strictObject({
      accepted: id('A plan that services.bookable and services.restricted accept.'),
      another: id('Another plan that both services accept.'),
      refused: id('A plan that services.restricted does not accept.'),
      withdrawn: id('A plan that is no longer sold.'),
    })
    .exactOptional(),
  carriers: z
    .strictObject({
      withPlans: describe(
        z.strictObject({ id: z.string(), name: z.string() }),
        'A carrier with plans: its id and name.',
        '{ id: "7", name: OSDE }',
      ),
      withoutPlans: id('A carrier without plans.'),
    })
    .exactOptional(),
  owner: id('An institution with contracts with some carriers, but not with all.'),
  services: z
    .strictObject({
      bookable: id(
        'A consultation for adults and every plan, with free slots at two locations in the next two to four weeks.',
      ),
      second: id('A service of practitioners.second with free slots at the same times as services.bookable.'),
      virtual: id('A video service of practitioners.bookable.'),
      womenOnly: id('A service for women, with free slots.'),
      childrenOnly: id('A service for patients who are too young for services.bookable.'),
      restricted: id(
        'A PRACTICA that accepts only some plans and requires an authorization, with free slots. Leave it out if nobody is insured.',
      ),
      walkIn: id('A service for everybody that needs no appointment.'),
      inactive: id('A service that is no longer offered. The API does not return it.'),
      frequent: describe(
        z.tuple([z.string(), z.string()]),
        'Two services that patients.complete booked in the last 24 months, the more frequent one first. The numbers of bookings differ.',
        '["11", "12"]',
      ),
    })
    .exactOptional(),
  practitioners: z
    .strictObject({
      bookable: id('The practitioner of services.bookable and services.virtual.'),
      second: id('A practitioner of services.second, but not of services.bookable.'),
    })
    .exactOptional(),
  locations: z
    .strictObject({
      first: id('A location of services.bookable and services.second.'),
      another: id('Another location of services.bookable.'),
    })
    .exactOptional(),
  ticketType: describe(
    z.strictObject({
      id: z.string(),
      checked: z.strictObject({ id: z.string(), fits: z.string(), misfit: z.string() }),
      date: z.string(),
    }),
    'A ticket type with a text field and a date field. The text field has a pattern: give a text that fits and one that does not.',
    '{ id: "3", checked: { id: "31", fits: some text, misfit: "%&!" }, date: "32" }',
  ),
  typedTicketType: describe(
    z.strictObject({ id: z.string(), file: z.string(), number: z.string(), boolean: z.string() }),
    'A ticket type with a field of each of these types. The number field accepts 3.',
    '{ id: "4", file: "41", number: "42", boolean: "43" }',
  ),
  inactiveTicketType: id('A ticket type that is no longer in use. The API does not return it.'),
  changeReason: id('A reason for another main practitioner.'),
  records: z
    .strictObject({
      patients: records('patients', 'The records of some patients with the values that the API must return.'),
      practitioners: records('practitioners', 'The same for practitioners.'),
      services: records('services', 'The same for services.'),
      appointments: records(
        'appointments',
        'The same for past appointments. For date, the local time is enough, e.g. T09:30:00.',
      ),
      coverages: records('coverages', 'The same for coverages, active and inactive.'),
      places: records('places', 'The same for places of the medical directory, with latitude and longitude.'),
    })
    .exactOptional(),
});

/** The fields of a schema and of its sections that have a description, e.g. `patients.bare`. */
export function describeFields(schema: z.ZodObject, prefix = ''): [string, z.core.GlobalMeta][] {
  return Object.entries<z.core.$ZodType>(schema.shape).flatMap(([name, field]): [string, z.core.GlobalMeta][] => {
    const meta = z.globalRegistry.get(field);
    if (meta) return [[`${prefix}${name}`, meta]];
    const inner: unknown = field instanceof z.ZodExactOptional ? field.unwrap() : field;
    return inner instanceof z.ZodObject ? describeFields(inner, `${name}.`) : [];
  });
}

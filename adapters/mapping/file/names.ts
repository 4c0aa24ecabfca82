import { z } from 'zod';
import { type Booking, idPattern, normalizeDocument, toCountryName, weekdays } from '../../../src/ports/index.ts';

/** The fields of a record, each of the port's and others; one that a port gains does not compile until it stands here. */
export type FieldsOf<T, More extends string = never> = Record<keyof T | More, z.ZodType>;

// What a field becomes: the converters of `fields` read the texts of a source by these.

/** What the path of a URL can carry; `encode` makes others fit. */
export const id = z.string().regex(idPattern);
/** Empty when it is not known. */
export const text = z.string().default('');
export const flag = z.boolean();
export const day = z.iso.date();
export const localDateTime = z.iso.datetime({ local: true });
export const instant = z.iso.datetime();
export const minutes = z.number().positive();
export const address = z
  .object({
    street: z.string().optional(),
    number: z.string().optional(),
    floor: z.string().optional(),
    apartment: z.string().optional(),
    city: z.string().optional(),
    state: z.string().optional(),
    country: z.string().transform(toCountryName).optional(),
    zipCode: z.string().optional(),
  })
  .default({});
export const gender = z.enum(['Female', 'Male', 'Other']);
export const modality = z.enum(['in-person', 'virtual']);
export const named = z.object({ id, name: text });
/** A document as it is shown. */
export const identifier = z
  .object({ type: z.enum(['DNI', 'Passport', 'Other']), value: z.string() })
  .transform(({ type, value }) => ({ type, value: normalizeDocument(type, value) }));
export const phones = z.array(z.object({ type: text, value: z.string().min(1) })).default([]);
export const weekday = z.enum(weekdays);
export const time = z.iso.time().or(z.literal('24:00'));

/**
 * What a `:name` of a question or a change stands for: the field of a thing, in whose way of writing it is sent, or `plain`,
 * which is sent as it is. `part` is the day or the time of a field that holds both; `all` several values at once.
 */
export interface Name {
  readonly field: `${string}.${string}` | 'plain';
  readonly part?: 'day' | 'time';
  readonly all?: true;
}

export const of = (field: `${string}.${string}`, part?: 'day' | 'time'): Name => ({ field, ...(part && { part }) });
const plain: Name = { field: 'plain' };

export const patientNames = {
  identifier: of('patients.identifier.value'),
  identifierType: of('patients.identifier.type'),
  birthDate: of('patients.birthDate'),
  gender: of('patients.gender'),
};
/** All that a registration may say; an address is told by its parts. */
export const registration = {
  ...patientNames,
  ...Object.fromEntries(
    ['name', 'lastName', 'phone', 'email', 'medicalRecordId'].map((name) => [name, of(`patients.${name}`)]),
  ),
  ...Object.fromEntries(Object.keys(address.unwrap().shape).map((part) => [part, of(`patients.address.${part}`)])),
};
export const patientId = of('patients.id');
export const window = {
  from: of('slots.start'),
  to: of('slots.start'),
  fromDay: of('slots.start', 'day'),
  toDay: of('slots.start', 'day'),
  serviceId: of('services.id'),
  practitionerId: of('practitioners.id'),
  locationId: of('locations.id'),
};

/** What a booking may say. */
export const booking = {
  patientId,
  serviceId: window.serviceId,
  locationId: window.locationId,
  /** The first one of `practitionerIds`. */
  practitionerId: window.practitionerId,
  practitionerIds: { field: 'practitioners.id', all: true },
  coverageId: of('coverages.id'),
  start: of('appointments.start'),
  startDay: of('appointments.start', 'day'),
  startTime: of('appointments.start', 'time'),
  minutes: plain,
  end: of('appointments.start'),
  modality: of('slots.modality'),
  copay: plain,
  authorization: of('appointments.authorization'),
  /** What the system calls the slots: `slots.number`, where the file has it, else `slots.id`. */
  slotIds: { field: 'slots.number', all: true },
  firstSlotId: of('slots.number'),
  /** In `forEachSlot`: this slot, its place among them from 0 on, its schedule, start, length and practitioner. */
  slotId: of('slots.number'),
  position: plain,
  scheduleId: of('slots.scheduleId'),
  slotStart: of('slots.start'),
  slotMinutes: plain,
  slotPractitionerId: of('practitioners.id'),
  /** 32 hexadecimal digits that stand for the key of the caller, if any; it is the same when the booking comes again. */
  idempotencyKey: plain,
} as const satisfies Readonly<Record<keyof Booking, Name> & Record<string, Name>>;

/** A kind of record that the institution has: what Puente makes of it, what may be asked, and what may be changed. */
export interface Thing {
  readonly about: string;
  /** One record, as the ports use it. */
  readonly record: z.ZodObject;
  /** Several records may have one id, so that rows with one are no single record. */
  readonly sharesIds?: true;
  /**
   * What stands for each field that cannot be read, so that a record closes more than it says, and never less; `undefined`
   * is for all. Without it a record that does not fit is left out.
   */
  readonly widest?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** What a record is taken for that lacks something which others have. */
  readonly complete?: (draft: Readonly<Record<string, unknown>>) => object;
  /** Fields of which a file has to say one at least. */
  readonly needsOneOf?: readonly string[];
  /** The `:names` that each question may use. */
  readonly questions: Readonly<Record<string, Readonly<Record<string, Name>>>>;
  readonly changes: Readonly<Record<string, Readonly<Record<string, Name>>>>;
}

/** What is asked for as a whole, and not changed. */
export const catalogue = { questions: { all: {} }, changes: {} } as const;

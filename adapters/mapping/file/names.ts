import { z } from 'zod';
import {
  type Booking,
  idPattern,
  normalizeDocument,
  type PatientRegistration,
  toCountryName,
  weekdays,
} from '../../../src/ports/index.ts';

/**
 * The fields of a record: each field of the port, and additional ones. A missing field of the port is a compile error.
 */
export type FieldsOf<T, More extends string = never> = Record<keyof T | More, z.ZodType>;

// The result types of fields. The converters of `fields` read a source's texts by these schemas.

/** An id that a URL path can have. `encode` converts others. */
export const id = z.string().regex(idPattern);
/** The ids of several records, e.g. of practitioners. */
export const ids = z.array(z.string());
/** Empty if unknown. */
export const text = z.string().default('');
export const flag = z.boolean();
export const day = z.iso.date();
export const localDateTime = z.iso.datetime({ local: true });
export const instant = z.iso.datetime();
/** A length in minutes. One until 10:19:59 ends at 10:20. */
export const minutes = z.number().transform(Math.round).pipe(z.number().positive());
/** The step of a schedule, whose slots begin at whole minutes. */
export const step = z.number().int().positive();
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
/** A document in the form of the API. */
export const identifier = z
  .object({ type: z.enum(['DNI', 'Passport', 'Other']), value: z.string() })
  .transform(({ type, value }) => ({ type, value: normalizeDocument(type, value) }));
export const phones = z.array(z.object({ type: text, value: z.string().min(1) })).default([]);
export const weekday = z.enum(weekdays);
export const time = z.iso.time().or(z.literal('24:00'));

/**
 * The value of a `:name` in a question or a change. It has the form of a thing's field, or is `plain` and sent
 * unchanged. `part` selects the day or the time of a field with both. `all` allows several values.
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
/** Every field of a registration. The compiler names a missing one. `patientNames` has the parts of the identifier. */
const registered: Readonly<Record<Exclude<keyof PatientRegistration, 'identifier' | 'address'>, Name>> = {
  birthDate: patientNames.birthDate,
  gender: patientNames.gender,
  name: of('patients.name'),
  lastName: of('patients.lastName'),
  phone: of('patients.phone'),
  email: of('patients.email'),
  medicalRecordId: of('patients.medicalRecordId'),
};
/** The fields of a registration. An address has one name for each part. */
export const registration = {
  ...patientNames,
  ...registered,
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

/** The fields of a booking. */
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
  /** The slots by `slots.number`, or by `slots.id` if the file has no number. */
  slotIds: { field: 'slots.number', all: true },
  firstSlotId: of('slots.number'),
  /** In `forEachSlot`: this slot, its position from 0, its schedule, start, length and practitioner. */
  slotId: of('slots.number'),
  position: plain,
  scheduleId: of('slots.scheduleId'),
  slotStart: of('slots.start'),
  slotMinutes: plain,
  slotPractitionerId: of('practitioners.id'),
  /** 32 hexadecimal digits derived from the caller's key, if any. A repeated booking has the same ones. */
  idempotencyKey: plain,
} as const satisfies Readonly<Record<keyof Booking, Name> & Record<string, Name>>;

/** A kind of record of the institution: its fields, its questions and its changes. */
export interface Thing {
  readonly about: string;
  /** One record, as the ports use it. */
  readonly record: z.ZodObject;
  /** True if several records may share an id, so that rows with the same id stay separate records. */
  readonly sharesIds?: true;
  /**
   * The substitute for each unreadable field. It makes a record close more than necessary, never less. `undefined`
   * applies to all fields. Without a substitute, a record that does not match is dropped.
   */
  readonly widest?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** A flag that is false if it is false in one of several rows of a record. */
  readonly closedBy?: string;
  /** Fills in defaults of an incomplete record. */
  readonly complete?: (draft: Readonly<Record<string, unknown>>) => object;
  /** Fields of which a file must have at least one. */
  readonly needsOneOf?: readonly string[];
  /** The `:names` that each question may use. */
  readonly questions: Readonly<Record<string, Readonly<Record<string, Name>>>>;
  readonly changes: Readonly<Record<string, Readonly<Record<string, Name>>>>;
}

/** Read completely, and never changed. */
export const catalogue = { questions: { all: {} }, changes: {} } as const;

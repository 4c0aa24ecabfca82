import { z } from 'zod';

/** What a field becomes. The converters of `fields` read the texts of a source by these. */
const id = z.string().min(1);
/** Empty when it is not known. */
const text = z.string().default('');
const flag = z.boolean();
const day = z.iso.date();
const localDateTime = z.iso.datetime({ local: true });
const instant = z.iso.datetime();
const minutes = z.number().positive();
const address = z
  .object({
    street: z.string().optional(),
    number: z.string().optional(),
    floor: z.string().optional(),
    apartment: z.string().optional(),
    city: z.string().optional(),
    state: z.string().optional(),
    country: z.string().optional(),
    zipCode: z.string().optional(),
  })
  .default({});
const gender = z.enum(['Female', 'Male', 'Other']);
const modality = z.enum(['in-person', 'virtual']);
const named = z.object({ id, name: text });
const phones = z.array(z.object({ type: text, value: id })).default([]);
const weekday = z.enum(['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']);
const time = z.iso.time();

/**
 * What a `:name` of a question or a change stands for: the field of a thing, in whose way of writing it is sent, or `plain`,
 * which is sent as it is. `part` is the day or the time of a field that holds both; `all` several values at once.
 */
export interface Name {
  readonly field: `${string}.${string}` | 'plain';
  readonly part?: 'day' | 'time';
  readonly all?: true;
}

const of = (field: `${string}.${string}`, part?: 'day' | 'time'): Name => ({ field, ...(part && { part }) });
const plain: Name = { field: 'plain' };

const patientNames = {
  identifier: of('patients.identifier.value'),
  identifierType: of('patients.identifier.type'),
  birthDate: of('patients.birthDate'),
  gender: of('patients.gender'),
};
/** All that a registration may say; an address is told by its parts. */
const registration = {
  ...patientNames,
  ...Object.fromEntries(
    ['name', 'lastName', 'phone', 'email', 'medicalRecordId'].map((name) => [name, of(`patients.${name}`)]),
  ),
  ...Object.fromEntries(Object.keys(address.unwrap().shape).map((part) => [part, of(`patients.address.${part}`)])),
};
const patientId = of('patients.id');
const window = {
  from: of('slots.start'),
  to: of('slots.start'),
  fromDay: of('slots.start', 'day'),
  toDay: of('slots.start', 'day'),
  serviceId: of('services.id'),
  practitionerId: of('practitioners.id'),
  locationId: of('locations.id'),
};

/** A kind of record that the institution has: what Puente makes of it, what may be asked, and what may be changed. */
export interface Thing {
  readonly about: string;
  /** One record, as the ports use it. */
  readonly record: z.ZodObject;
  /** The `:names` that each question may use. */
  readonly questions: Readonly<Record<string, Readonly<Record<string, Name>>>>;
  readonly changes: Readonly<Record<string, Readonly<Record<string, Name>>>>;
}

/** All that a mapping file can have. The port methods that are offered follow from the questions that it answers. */
export const things = {
  patients: {
    about: 'People whom the institution knows.',
    record: z.object({
      id,
      name: text,
      lastName: text,
      gender,
      birthDate: day.or(z.literal('')).default(''),
      identifier: z.object({ type: z.enum(['DNI', 'Passport', 'Other']), value: id }),
      medicalRecordId: text,
      phone: text,
      email: text,
      active: flag.default(true),
      address,
    }),
    questions: {
      byId: { id: patientId },
      byDocument: { identifier: patientNames.identifier, identifierType: patientNames.identifierType },
      byBirthDate: patientNames,
    },
    changes: { create: registration, update: { id: patientId, ...registration } },
  },
  practitioners: {
    about: 'Everybody who treats patients.',
    record: z.object({
      id,
      name: text,
      specialty: text,
      email: text,
      phone: text,
      workingHours: text,
      location: text,
      available: flag.default(true),
    }),
    questions: { all: {}, mainOf: { patientId } },
    changes: {},
  },
  locations: {
    about: 'Places where the institution works.',
    record: z.object({ id, name: text, address }),
    questions: { all: {} },
    changes: {},
  },
  services: {
    about: 'What is done for patients: consultations and practices.',
    record: z.object({
      id,
      name: text,
      description: text,
      type: z.enum(['CONSULTA', 'PRACTICA']),
      active: flag.default(true),
      offeredIn: text,
      practitionerId: text,
      extraDetails: text,
      patientInstruction: text,
      integrationId: text,
      appointmentRequired: flag.default(true),
      requiresAuthorization: flag.default(false),
      availabilityExceptions: z.string().nullable().default(null),
      minAge: z.number().nullable().default(null),
      maxAge: z.number().nullable().default(null),
      sexId: z.number().nullable().default(null),
      sex: z.enum(['Female', 'Male']).nullable().default(null),
      /** Only these plans pay for it; none: every plan does. */
      plans: z.array(z.object({ id })).default([]),
      createdAt: instant.optional(),
      updatedAt: instant.optional(),
      deletedAt: instant.nullable().default(null),
    }),
    questions: { all: {} },
    changes: {},
  },
  carriers: {
    about: 'Health insurers, and whether the institution has a contract with each.',
    record: z.object({ id, name: text, active: flag.default(true), contracted: flag.default(true) }),
    questions: { all: {} },
    changes: {},
  },
  plans: {
    about: 'What the carriers sell.',
    record: z.object({ id, carrierId: id, name: text, active: flag.default(true) }),
    questions: { all: {} },
    changes: {},
  },
  coverages: {
    about: 'Patients’ insurances with a carrier under one of its plans.',
    record: z.object({
      id,
      patientId: id,
      planId: id,
      /** Names that a record lacks come from `carriers` and `plans`. */
      carrier: text,
      plan: text,
      credentialNumber: text,
      active: flag.default(true),
    }),
    questions: { byId: { id: of('coverages.id') }, ofPatient: { patientId } },
    changes: {
      create: {
        patientId,
        planId: of('plans.id'),
        credentialNumber: of('coverages.credentialNumber'),
      },
      edit: {
        id: of('coverages.id'),
        patientId,
        planId: of('plans.id'),
        credentialNumber: of('coverages.credentialNumber'),
        active: of('coverages.active'),
      },
    },
  },
  schedules: {
    about: 'Weekly agendas, of which Puente cuts the slots; for systems without a row for each slot.',
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
    questions: { all: {} },
    changes: {},
  },
  exceptions: {
    about: 'Days, or parts of them, on which an agenda of `schedules` does not work.',
    record: z.object({
      scheduleId: z.string().optional(),
      practitionerId: z.string().optional(),
      locationId: z.string().optional(),
      firstDay: day,
      lastDay: day.optional(),
      from: time.optional(),
      to: time.optional(),
    }),
    questions: { between: { fromDay: of('exceptions.firstDay'), toDay: of('exceptions.firstDay') } },
    changes: {},
  },
  slots: {
    about: 'Times that can be booked, free ones and taken ones; with `schedules` only those that are taken.',
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
    }),
    questions: {
      between: window,
      taken: { from: of('slots.start'), to: of('slots.start'), fromDay: window.fromDay, toDay: window.toDay },
    },
    changes: {},
  },
  appointments: {
    about: 'Times that are, were or would have been kept for a patient.',
    record: z.object({
      id,
      start: localDateTime,
      minutes,
      status: z.enum(['active', 'canceled']),
      modality: modality.default('in-person'),
      practitioners: z.array(named).min(1),
      location: named,
      services: z.array(named).min(1),
      coverageId: z.string().optional(),
      payment: z.object({ link: z.string().optional(), status: text }).optional(),
      copay: z.number().optional(),
      authorization: flag.optional(),
    }),
    questions: { ofPatient: { patientId } },
    changes: {
      book: {
        patientId,
        serviceId: window.serviceId,
        locationId: window.locationId,
        /** The first one of `practitionerIds`. */
        practitionerId: window.practitionerId,
        coverageId: of('coverages.id'),
        start: of('appointments.start'),
        startDay: of('appointments.start', 'day'),
        startTime: of('appointments.start', 'time'),
        minutes: plain,
        copay: plain,
        authorization: of('appointments.authorization'),
        /** What the system calls the slots: `slots.number`, where the file has it, else `slots.id`. */
        slotIds: { field: 'slots.number', all: true },
        firstSlotId: of('slots.number'),
        /** In `forEachSlot`: this slot, its place among them from 0 on, its schedule, start and length. */
        slotId: of('slots.number'),
        position: plain,
        scheduleId: of('slots.scheduleId'),
        slotStart: of('slots.start'),
        slotMinutes: plain,
      },
      cancel: { patientId, appointmentId: of('appointments.id') },
    },
  },
  relatives: {
    about: 'Who belongs to whom: the relatives that a patient names.',
    record: z.object({
      id,
      relatedPatientId: id,
      relationshipCode: z.number(),
      relationshipDescription: text,
      active: flag.default(true),
    }),
    questions: { ofPatient: { patientId } },
    changes: {
      add: {
        patientId,
        relatedPatientId: of('relatives.relatedPatientId'),
        relationshipCode: of('relatives.relationshipCode'),
        relationshipDescription: of('relatives.relationshipDescription'),
        active: of('relatives.active'),
        /** The relation that is there and not active, when there is one. */
        id: of('relatives.id'),
      },
      remove: { patientId, id: of('relatives.id') },
    },
  },
  entries: {
    about: 'The medical directory: places, and who works there.',
    record: z.object({
      location: z.object({
        id,
        name: text,
        latitude: text,
        longitude: text,
        address: text,
        zipCode: text,
        email: text,
        phones,
      }),
      providers: z
        .array(
          z.object({
            id,
            name: text,
            description: text,
            type: z.enum(['pharmacy', 'practitioner', 'clinic']),
            email: text,
            phones,
            services: z.array(z.object({ id, name: text, description: text })).default([]),
          }),
        )
        .default([]),
    }),
    questions: { all: {} },
    changes: {},
  },
} as const satisfies Readonly<Record<string, Thing>>;

export type ThingName = keyof typeof things;
export type RecordOf<T extends ThingName> = z.output<(typeof things)[T]['record']>;
export type QuestionOf<T extends ThingName> = keyof (typeof things)[T]['questions'] & string;
export type ChangeOf<T extends ThingName> = keyof (typeof things)[T]['changes'] & string;

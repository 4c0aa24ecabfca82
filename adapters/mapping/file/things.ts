import { z } from 'zod';
import type {
  Appointment,
  CareService,
  Carrier,
  Coverage,
  FamilyMember,
  Location,
  Patient,
  Plan,
  Practitioner,
  Slot,
} from '../../../src/ports/index.ts';
import { getField } from '../../../src/toolkit/records.ts';
import {
  address,
  booking,
  catalogue,
  day,
  type FieldsOf,
  flag,
  gender,
  id,
  identifier,
  ids,
  instant,
  localDateTime,
  minutes,
  modality,
  named,
  of,
  patientId,
  patientNames,
  phones,
  registration,
  step,
  type Thing,
  text,
  time,
  weekday,
  window,
} from './names.ts';

const ofAll = { scheduleId: {}, practitionerId: {}, locationId: {} };
/** A day before all bookable days. */
export const longAgo = '1900-01-01';

/** The bookable time: slots as rows, or weekly schedules with their taken times. */
const agenda = {
  schedules: {
    about: 'Weekly agendas that Puente divides into slots, for systems without a row for each slot.',
    sharesIds: true,
    record: z.object({
      id,
      weekday,
      from: time,
      to: time,
      minutes: step,
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
    about: 'Days, or parts of days, on which an agenda of `schedules` does not work.',
    record: z
      .object({
        scheduleId: z.string().optional(),
        /** Several ids are separated by blanks, commas or semicolons. */
        practitionerId: ids.optional(),
        locationId: z.string().optional(),
        firstDay: day.optional(),
        lastDay: day.optional(),
        from: time.optional(),
        to: time.optional(),
        /** An interval over several days, instead of days and times. */
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
    about: 'Times of `schedules` that are taken.',
    sharesIds: true,
    record: z.object({
      /** At least one of these identifies the agenda. Several practitioners as in `exceptions`. */
      practitionerId: ids.optional(),
      scheduleId: z.string().optional(),
      start: localDateTime,
      /** If absent, it takes one slot of its schedule. */
      minutes: z.number().positive().optional(),
      /** Canceled appointments take no time. */
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
    about: 'Bookable times, free and taken.',
    closedBy: 'free',
    record: z.object({
      /** The id of the offer. It stays the same when a cancellation frees the time. */
      id,
      /** The slot's name in a booking, if it differs from its id. */
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

const coverageNames = { patientId, planId: of('plans.id'), credentialNumber: of('coverages.credentialNumber') };

/** Every thing of a mapping file. The questions of the file determine the offered port methods. */
export const things = {
  patients: {
    about: 'The patients of the institution.',
    complete: ({ gender = '', ...draft }) => ({
      ...draft,
      gender,
      identifier: getField(draft.identifier, 'value') ? draft.identifier : { type: 'Other', value: '' },
    }),
    record: z.object({
      id,
      name: text,
      lastName: text,
      /** Empty if unknown, which callers see as `Other`. */
      gender: gender.or(z.literal('')),
      /** Empty, a year or a month if only that is known. Callers see only days. */
      birthDate: day.or(z.string().regex(/^(\d{4}(-\d\d)?)?$/)).default(''),
      identifier,
      medicalRecordId: text,
      phone: text,
      email: text,
      active: flag.default(true),
      address,
    } satisfies FieldsOf<Omit<Patient, 'version'>>),
    questions: {
      byId: { id: patientId },
      byDocument: { identifier: patientNames.identifier, identifierType: patientNames.identifierType },
      byBirthDate: patientNames,
    },
    changes: { create: registration, update: { id: patientId, ...registration } },
  },
  practitioners: {
    about: 'The people who treat patients.',
    record: z.object({
      id,
      name: text,
      specialty: text,
      email: text,
      phone: text,
      workingHours: text,
      location: text,
      available: flag.default(true),
    } satisfies FieldsOf<Practitioner>),
    questions: { all: {}, mainOf: { patientId } },
    changes: {},
  },
  locations: {
    about: 'The locations of the institution.',
    record: z.object({ id, name: text, address } satisfies FieldsOf<Location>),
    ...catalogue,
  },
  services: {
    about: 'Consultations and practices.',
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
      /** `Other` is no limit: the service is for everybody. */
      sex: gender
        .nullable()
        .default(null)
        .transform((sex) => (sex === 'Other' ? null : sex)),
      /** The plans that pay for it. An empty list allows every plan. */
      plans: z.array(z.object({ id })).default([]),
      createdAt: instant.optional(),
      updatedAt: instant.optional(),
      deletedAt: instant.nullable().default(null),
    } satisfies FieldsOf<CareService, 'sex' | 'plans'>),
    ...catalogue,
  },
  carriers: {
    about: 'Health insurers, and whether each has a contract with the institution.',
    record: z.object({ id, name: text, active: flag.default(true), contracted: flag.default(true) } satisfies FieldsOf<
      Carrier,
      'contracted'
    >),
    ...catalogue,
  },
  plans: {
    about: 'Plans of the carriers.',
    record: z.object({ id, carrierId: id, name: text, active: flag.default(true) } satisfies FieldsOf<
      Plan,
      'carrierId'
    >),
    ...catalogue,
  },
  coverages: {
    about: 'Patients’ insurances under a plan of a carrier.',
    complete: ({ planId = '', ...draft }) => ({ ...draft, planId }),
    record: z.object({
      id,
      patientId: id,
      /** Empty if unknown. */
      planId: id.or(z.literal('')),
      /** `carriers` and `plans` supply names that a record lacks. */
      carrier: text,
      plan: text,
      credentialNumber: text,
      active: flag.default(true),
    } satisfies FieldsOf<Coverage>),
    questions: { byId: { id: of('coverages.id') }, ofPatient: { patientId } },
    changes: {
      create: coverageNames,
      edit: { id: of('coverages.id'), ...coverageNames, active: of('coverages.active') },
    },
  },
  ...agenda,
  appointments: {
    about: 'Past, future and canceled appointments.',
    record: z.object({
      id,
      /** If known, records of other patients are dropped. */
      patientId: z.string().optional(),
      start: localDateTime,
      minutes,
      status: z.enum(['active', 'canceled']),
      /** False if the system would refuse a cancellation regardless of the time. */
      cancelable: flag.default(true),
      modality: modality.default('in-person'),
      practitioners: z.array(named).min(1),
      location: named,
      services: z.array(named).min(1),
      coverageId: z.string().optional(),
      payment: z.object({ link: z.string().optional(), status: text }).optional(),
      copay: z.number().optional(),
      authorization: flag.optional(),
    } satisfies FieldsOf<Omit<Appointment, 'coverage'>, 'coverageId'>),
    // A cancellation reads one appointment. A question may return more, and Puente selects it.
    questions: { ofPatient: { patientId, appointmentId: of('appointments.id') } },
    changes: { book: booking, cancel: { patientId, appointmentId: of('appointments.id') } },
  },
  relatives: {
    about: 'The relatives of a patient.',
    record: z.object({
      id,
      /** If known, records of other patients are dropped. */
      patientId: z.string().optional(),
      relatedPatientId: id,
      relationshipCode: z.number(),
      relationshipDescription: text,
      active: flag.default(true),
    } satisfies FieldsOf<FamilyMember, 'patientId'>),
    questions: { ofPatient: { patientId } },
    changes: {
      add: {
        patientId,
        relatedPatientId: of('relatives.relatedPatientId'),
        relationshipCode: of('relatives.relationshipCode'),
        relationshipDescription: of('relatives.relationshipDescription'),
        active: of('relatives.active'),
        /** The existing inactive relation, if there is one. */
        id: of('relatives.id'),
      },
      remove: { patientId, id: of('relatives.id') },
    },
  },
  entries: {
    about: 'The medical directory: locations, and their providers.',
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
    ...catalogue,
  },
} as const satisfies Readonly<Record<string, Thing>>;

export type ThingName = keyof typeof things;
export type RecordOf<T extends ThingName> = z.output<(typeof things)[T]['record']>;
export type QuestionOf<T extends ThingName> = keyof (typeof things)[T]['questions'] & string;
export type ChangeOf<T extends ThingName> = keyof (typeof things)[T]['changes'] & string;

import { z } from 'zod';
import {
  type Appointment,
  type FamilyMember,
  type Patient,
  type Practitioner,
  weekdays,
} from '../../src/ports/index.ts';
import { ticketType as baseTicketType, entryId } from '../common/tickets.ts';

const id = entryId;
const day = z.iso.date();
const time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time hh:mm');
const weekday = z.enum(weekdays);
const phones = z.array(z.strictObject({ type: z.enum(['phone', 'cell-phone']), value: z.string() })).default([]);

/** A moment `daysAgo` days before the world is loaded, at a local time `hh:mm`. The demo thereby stays current. */
const relativeTime = z.strictObject({ daysAgo: z.int().nonnegative(), time: time.default('10:00') });

const address = z
  .strictObject({
    street: z.string(),
    number: z.string(),
    floor: z.string(),
    apartment: z.string(),
    city: z.string(),
    state: z.string(),
    country: z.string(),
    zipCode: z.string(),
  })
  .exactPartial();

const carrier = z.strictObject({
  id,
  name: z.string().min(1),
  active: z.boolean().default(true),
  /** Ids of the institutions that have a contract with it: the `ownerId` of Group B. */
  owners: z.array(id).default([]),
  plans: z.array(z.strictObject({ id, name: z.string().min(1), active: z.boolean().default(true) })).default([]),
});

const location = z.strictObject({ id, name: z.string().min(1), address });

const practitioner = z.strictObject({
  id,
  name: z.string().min(1),
  specialty: z.string(),
  email: z.string().default(''),
  phone: z.string().default(''),
  workingHours: z.string().default(''),
  /** Names of locations, as display text. */
  location: z.string().default(''),
  available: z.boolean().default(true),
} satisfies Record<keyof Practitioner, z.ZodType>);

const service = z.strictObject({
  id,
  name: z.string().min(1),
  description: z.string().default(''),
  type: z.enum(['CONSULTA', 'PRACTICA']),
  active: z.boolean().default(true),
  /** Names of locations, as display text. */
  offeredIn: z.string().default(''),
  /** Empty if several practitioners offer it, or none. */
  practitionerId: z.union([id, z.literal('')]).default(''),
  extraDetails: z.string().default(''),
  patientInstruction: z.string().default(''),
  integrationId: z.string().default(''),
  appointmentRequired: z.boolean().default(true),
  requiresAuthorization: z.boolean().default(false),
  availabilityExceptions: z.string().nullable().default(null),
  minAge: z.int().nonnegative().nullable().default(null),
  maxAge: z.int().nonnegative().nullable().default(null),
  sex: z.enum(['Male', 'Female']).nullable().default(null),
  /** Ids of the plans that pay for it. Null if every plan pays. */
  plans: z.array(id).nullable().default(null),
  created: relativeTime.default({ daysAgo: 400, time: '10:00' }),
  updated: relativeTime.default({ daysAgo: 30, time: '10:00' }),
});

/** Weekly slots: every `minutes` from `from` on each of `days`. The last one ends by `to`. */
const schedule = z.strictObject({
  id,
  serviceId: id,
  practitionerId: id,
  locationId: id,
  modality: z.enum(['in-person', 'virtual']).default('in-person'),
  days: z.array(weekday).min(1),
  from: time,
  to: time,
  minutes: z.int().min(5).max(480),
});

const patient = z.strictObject({
  id,
  name: z.string(),
  lastName: z.string(),
  gender: z.enum(['Male', 'Female', 'Other']),
  birthDate: day,
  /** The value is empty if the patient has no document. */
  identifier: z.strictObject({ type: z.enum(['DNI', 'Passport', 'Other']), value: z.string() }),
  medicalRecordId: z.string().default(''),
  phone: z.string().default(''),
  email: z.string().default(''),
  active: z.boolean().default(true),
  address: address.default({}),
  mainPractitionerId: id.exactOptional(),
} satisfies Record<Exclude<keyof Patient, 'version'> | 'mainPractitionerId', z.ZodType>);

const coverage = z.strictObject({
  id,
  patientId: id,
  planId: id,
  credentialNumber: z.string().min(1),
  active: z.boolean().default(true),
});

const familyMember = z.strictObject({
  id,
  patientId: id,
  relatedPatientId: id,
  relationshipCode: z.int(),
  relationshipDescription: z.string(),
  active: z.boolean().default(true),
} satisfies Record<keyof FamilyMember | 'patientId', z.ZodType>);

const ticketType = baseTicketType.extend({
  created: relativeTime.default({ daysAgo: 400, time: '10:00' }),
  updated: relativeTime.default({ daysAgo: 30, time: '10:00' }),
});

const ticket = z.strictObject({
  id,
  patientId: id,
  ticketTypeId: id,
  status: z.enum(['pending', 'in_progress', 'completed', 'rejected', 'canceled']).default('pending'),
  observations: z.string().default(''),
  created: relativeTime,
  updated: relativeTime,
  fields: z.array(z.strictObject({ id, value: z.string() })).default([]),
});

/** The fields of an appointment that come neither from its schedule nor from its coverage. */
type KeptField = Exclude<
  keyof Appointment,
  'start' | 'minutes' | 'modality' | 'cancelable' | 'practitioners' | 'location' | 'services' | 'coverage'
>;

/**
 * An appointment in a slot of a schedule. The week counts from the current one (Monday to Sunday): -3 is three weeks
 * ago, and 2 is in two weeks. The schedule must have a slot on that day at that time.
 */
const appointment = z.strictObject({
  id,
  patientId: id,
  scheduleId: id,
  week: z.int(),
  day: weekday,
  time,
  status: z.enum(['active', 'canceled']).default('active'),
  coverageId: id.exactOptional(),
  payment: z.strictObject({ link: z.url(), status: z.string() }).exactOptional(),
  copay: z.number().nonnegative().exactOptional(),
  authorization: z.boolean().exactOptional(),
} satisfies Record<KeptField | 'coverageId' | 'scheduleId' | 'week' | 'day' | 'time', z.ZodType>);

/** The same appointment in several weeks: that week and the ones before it. */
const weeklyAppointment = appointment.extend({ weeks: z.int().min(1).max(1_000).default(1) });

export type WeeklyAppointment = z.output<typeof weeklyAppointment>;

/** Returns the appointment of each week. */
export const listWeeks = ({ weeks, ...row }: WeeklyAppointment): WorldAppointment[] =>
  weeks === 1 ? [row] : Array.from({ length: weeks }, (_, i) => ({ ...row, id: `${row.id}-${i}`, week: row.week - i }));

const changeRequest = z.strictObject({
  id,
  patientId: id,
  reasonId: id,
  status: z.enum(['in_progress', 'completed', 'rejected', 'canceled']),
  practitionerId: id.exactOptional(),
  observations: z.string().default(''),
  created: relativeTime,
});

const provider = z.strictObject({
  id,
  name: z.string().min(1),
  description: z.string().default(''),
  type: z.enum(['pharmacy', 'practitioner', 'clinic']),
  email: z.string().default(''),
  phones,
  services: z.array(z.strictObject({ id, name: z.string().min(1), description: z.string().default('') })).default([]),
});

const directoryEntry = z.strictObject({
  location: z.strictObject({
    id,
    name: z.string().min(1),
    latitude: z.string().default(''),
    longitude: z.string().default(''),
    address: z.string(),
    zipCode: z.string().default(''),
    email: z.string().default(''),
    phones,
  }),
  providers: z.array(provider),
});

/** The file for an in-memory hospital. `readWorld` checks its references. */
export const worldFile = z.strictObject({
  institution: z.strictObject({
    id,
    name: z.string().min(1),
    /** The institution's codes for the sex of a service. */
    sexIds: z.strictObject({ Female: z.int(), Male: z.int() }).default({ Female: 1, Male: 2 }),
    /** The last moment for a cancellation, in hours before the start. */
    cancelUntilHours: z.number().nonnegative().default(24),
  }),
  carriers: z.array(carrier).default([]),
  locations: z.array(location).default([]),
  practitioners: z.array(practitioner).default([]),
  services: z.array(service).default([]),
  schedules: z.array(schedule).default([]),
  patients: z.array(patient).default([]),
  coverages: z.array(coverage).default([]),
  familyMembers: z.array(familyMember).default([]),
  ticketTypes: z.array(ticketType).default([]),
  tickets: z.array(ticket).default([]),
  appointments: z.array(weeklyAppointment).default([]),
  changeReasons: z.array(z.strictObject({ id, label: z.string().min(1) })).default([]),
  changeRequests: z.array(changeRequest).default([]),
  directory: z.array(directoryEntry).default([]),
});

/** The content of a world file, with every default filled in. */
export type WrittenWorld = z.output<typeof worldFile>;

export type RelativeTime = z.output<typeof relativeTime>;
export type Schedule = z.output<typeof schedule>;
export type WorldAppointment = z.output<typeof appointment>;

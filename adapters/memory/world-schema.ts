import { z } from 'zod';
import type { Patient as PortPatient } from '../../src/ports/index.ts';
import { ticketType as baseTicketType, entryId } from '../common/ticket-type.ts';
import { weekdays } from '../common/weekly-schedules.ts';

const id = entryId;
const day = z.iso.date();
const time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time hh:mm');
const weekday = z.enum(weekdays);
const phones = z.array(z.strictObject({ type: z.enum(['phone', 'cell-phone']), value: z.string() })).default([]);

/** A moment that many days before the world is loaded or seeded, at a local time `hh:mm`, so that the demo stays current. */
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
  /** Names of locations, in words for people. */
  location: z.string().default(''),
  available: z.boolean().default(true),
});

const service = z.strictObject({
  id,
  name: z.string().min(1),
  description: z.string().default(''),
  type: z.enum(['CONSULTA', 'PRACTICA']),
  active: z.boolean().default(true),
  /** Names of locations, in words for people. */
  offeredIn: z.string().default(''),
  /** Empty when several practitioners give it, or none. */
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
  /** Ids of the plans that pay for it; null when every plan does. */
  plans: z.array(id).nullable().default(null),
  created: relativeTime.default({ daysAgo: 400, time: '10:00' }),
  updated: relativeTime.default({ daysAgo: 30, time: '10:00' }),
});

/** A weekly block of slots: every `minutes` from `from`, the last one ending by `to`, on each of `days`. */
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
  identifier: z.strictObject({ type: z.enum(['DNI', 'Passport', 'Other']), value: z.string().min(1) }),
  medicalRecordId: z.string().default(''),
  phone: z.string().default(''),
  email: z.string().default(''),
  active: z.boolean().default(true),
  address: address.default({}),
  mainPractitionerId: id.exactOptional(),
} satisfies Record<keyof PortPatient | 'mainPractitionerId', z.ZodType>);

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
});

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

/**
 * An appointment in a slot of a schedule: the week counts from the current one (Monday to Sunday), so that -3 is three
 * weeks ago and 2 is in two weeks. The schedule must have a slot on that day at that time.
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
});

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

/** The file that an in-memory hospital is loaded from, and a FHIR server seeded with. `readWorld` checks its references. */
export const worldFile = z.strictObject({
  institution: z.strictObject({
    id,
    name: z.string().min(1),
    /** The institution's codes for the sex that a service is for. */
    sexIds: z.strictObject({ Female: z.int(), Male: z.int() }).default({ Female: 1, Male: 2 }),
    /** An appointment can be canceled until that many hours before it starts. */
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
  appointments: z.array(appointment).default([]),
  changeReasons: z.array(z.strictObject({ id, label: z.string().min(1) })).default([]),
  changeRequests: z.array(changeRequest).default([]),
  directory: z.array(directoryEntry).default([]),
});

/** A world that has been checked, with every default filled in. */
export type WorldFile = z.output<typeof worldFile>;

export type RelativeTime = z.output<typeof relativeTime>;
export type Phone = z.output<typeof phones>[number];
export type Service = z.output<typeof service>;
export type Schedule = z.output<typeof schedule>;
export type Patient = z.output<typeof patient>;
export type FamilyMember = z.output<typeof familyMember>;
export type TicketType = z.output<typeof ticketType>;
export type Ticket = z.output<typeof ticket>;
export type Appointment = z.output<typeof appointment>;
export type Provider = z.output<typeof provider>;
export type DirectoryEntry = z.output<typeof directoryEntry>;

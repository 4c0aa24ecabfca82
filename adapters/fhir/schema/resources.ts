import { z } from 'zod';
import {
  address,
  attachment,
  coding,
  concept,
  date,
  dateTime,
  extension,
  humanName,
  id,
  identifier,
  instant,
  period,
  reference,
  telecom,
  time,
} from './datatypes.ts';

const arrayOf = <S extends z.ZodType>(schema: S) => z.array(schema).optional();
const text = z.string().optional();
const flag = z.boolean().optional();
const meta = z.looseObject({ versionId: text, lastUpdated: instant.optional() });

function resource<const T extends string, S extends z.ZodRawShape>(type: T, shape: S) {
  return z.looseObject({
    resourceType: z.literal(type),
    id,
    meta: meta.optional(),
    extension: arrayOf(extension),
    identifier: arrayOf(identifier),
    ...shape,
  });
}

const taskStatus = z.enum([
  'draft',
  'requested',
  'received',
  'accepted',
  'rejected',
  'ready',
  'cancelled',
  'in-progress',
  'on-hold',
  'failed',
  'completed',
  'entered-in-error',
]);

const weekday = z.enum(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']);

const questionnaireItem = z.looseObject({
  linkId: z.string(),
  text,
  type: z.string(),
  required: flag,
  extension: arrayOf(extension),
  get item(): z.ZodOptional<z.ZodArray<typeof questionnaireItem>> {
    return z.array(questionnaireItem).optional();
  },
});

const answer = z.looseObject({
  valueString: text,
  valueBoolean: flag,
  valueDecimal: z.number().optional(),
  valueInteger: z.number().optional(),
  valueDate: text,
  valueDateTime: text,
  valueUri: text,
  valueCoding: coding.optional(),
  valueAttachment: attachment.optional(),
});

const responseItem = z.looseObject({
  linkId: z.string(),
  text,
  answer: arrayOf(answer),
  get item(): z.ZodOptional<z.ZodArray<typeof responseItem>> {
    return z.array(responseItem).optional();
  },
});

/** What this adapter reads of each resource type; the rest of a resource is kept as it came. FHIR R4 (4.0.1). */
export const resources = {
  Appointment: resource('Appointment', {
    status: z.string(),
    serviceCategory: arrayOf(concept),
    serviceType: arrayOf(concept.extend({ extension: arrayOf(extension) })),
    start: instant.optional(),
    end: instant.optional(),
    minutesDuration: z.int().positive().optional(),
    slot: arrayOf(reference),
    supportingInformation: arrayOf(reference),
    participant: arrayOf(z.looseObject({ actor: reference.optional() })),
  }),
  Basic: resource('Basic', {}),
  Binary: z.looseObject({ resourceType: z.literal('Binary'), id, contentType: text, data: text }),
  Coverage: resource('Coverage', {
    status: z.string(),
    type: concept.optional(),
    beneficiary: reference,
    subscriberId: text,
    period: period.optional(),
    payor: arrayOf(reference),
    class: arrayOf(z.looseObject({ type: concept.optional(), value: text, name: text })),
  }),
  HealthcareService: resource('HealthcareService', {
    active: flag,
    providedBy: reference.optional(),
    category: arrayOf(concept),
    type: arrayOf(concept),
    location: arrayOf(reference),
    name: text,
    comment: text,
    extraDetails: text,
    program: arrayOf(concept),
    characteristic: arrayOf(concept),
    appointmentRequired: flag,
    availabilityExceptions: text,
  }),
  InsurancePlan: resource('InsurancePlan', { status: text, name: text, ownedBy: reference.optional() }),
  Location: resource('Location', {
    status: text,
    name: text,
    type: arrayOf(concept),
    telecom: arrayOf(telecom),
    address: address.optional(),
    physicalType: concept.optional(),
    position: z.looseObject({ latitude: z.number(), longitude: z.number() }).optional(),
    managingOrganization: reference.optional(),
    partOf: reference.optional(),
  }),
  Organization: resource('Organization', {
    active: flag,
    name: text,
    type: arrayOf(concept),
    telecom: arrayOf(telecom),
    partOf: reference.optional(),
  }),
  OrganizationAffiliation: resource('OrganizationAffiliation', {
    active: flag,
    organization: reference.optional(),
    participatingOrganization: reference.optional(),
  }),
  Patient: resource('Patient', {
    active: flag,
    name: arrayOf(humanName),
    telecom: arrayOf(telecom),
    gender: z.enum(['male', 'female', 'other', 'unknown']).optional(),
    birthDate: date.optional(),
    address: arrayOf(address),
    generalPractitioner: arrayOf(reference),
    link: arrayOf(z.looseObject({ other: reference, type: z.string() })),
  }),
  Practitioner: resource('Practitioner', {
    active: flag,
    name: arrayOf(humanName),
    telecom: arrayOf(telecom),
    qualification: arrayOf(z.looseObject({ code: concept.optional() })),
  }),
  PractitionerRole: resource('PractitionerRole', {
    active: flag,
    period: period.optional(),
    practitioner: reference.optional(),
    organization: reference.optional(),
    specialty: arrayOf(concept),
    location: arrayOf(reference),
    healthcareService: arrayOf(reference),
    telecom: arrayOf(telecom),
    availableTime: arrayOf(
      z.looseObject({
        daysOfWeek: arrayOf(weekday),
        allDay: flag,
        availableStartTime: time.optional(),
        availableEndTime: time.optional(),
      }),
    ),
    notAvailable: arrayOf(z.looseObject({ during: period.optional() })),
    availabilityExceptions: text,
  }),
  Questionnaire: resource('Questionnaire', {
    url: text,
    version: text,
    title: text,
    status: z.string(),
    date: dateTime.optional(),
    description: text,
    item: arrayOf(questionnaireItem),
  }),
  QuestionnaireResponse: z.looseObject({
    resourceType: z.literal('QuestionnaireResponse'),
    id,
    questionnaire: text,
    item: arrayOf(responseItem),
  }),
  RelatedPerson: resource('RelatedPerson', {
    active: flag,
    patient: reference,
    relationship: arrayOf(concept),
    period: period.optional(),
  }),
  Schedule: resource('Schedule', {
    active: flag,
    serviceCategory: arrayOf(concept),
    serviceType: arrayOf(concept.extend({ extension: arrayOf(extension) })),
    actor: z.array(reference),
  }),
  Slot: resource('Slot', {
    serviceCategory: arrayOf(concept),
    serviceType: arrayOf(concept),
    schedule: reference,
    status: z.string(),
    start: instant,
    end: instant,
  }),
  Task: resource('Task', {
    status: taskStatus,
    businessStatus: concept.optional(),
    code: concept.optional(),
    instantiatesCanonical: text,
    description: text,
    focus: reference.optional(),
    for: reference.optional(),
    authoredOn: dateTime.optional(),
    lastModified: dateTime.optional(),
    reasonCode: concept.optional(),
  }),
} as const;

export type ResourceType = keyof typeof resources;
export type Resource<T extends ResourceType> = z.output<(typeof resources)[T]>;

/** A resource that the server has not seen yet. */
export interface Draft<T extends ResourceType = ResourceType> {
  readonly resourceType: T;
  readonly [element: string]: unknown;
}

/** What a resource of this type is, if the value is one. */
export function parseAs<T extends ResourceType>(type: T, value: unknown): { data: Resource<T> } | { at: string } {
  const parsed = resources[type].safeParse(value);
  if (parsed.success) return { data: parsed.data as Resource<T> };
  return { at: [type, ...(parsed.error.issues[0]?.path ?? [])].join('/') };
}

import type { ExtractResource } from '@medplum/fhirtypes';
import { z } from 'zod';
import {
  actor,
  address,
  coding,
  concept,
  date,
  dateTime,
  extension,
  humanName,
  id,
  identifier,
  instant,
  party,
  period,
  type Reference,
  reference,
  responseItem,
  telecom,
  time,
} from './datatypes.ts';

const arrayOf = <S extends z.ZodType>(schema: S) => z.array(schema).exactOptional();
const text = z.string().exactOptional();
const flag = z.boolean().exactOptional();
const meta = z
  .object({ versionId: text, lastUpdated: instant.exactOptional(), security: arrayOf(coding), tag: arrayOf(coding) })
  .exactOptional();

/**
 * An unknown modifier may reverse the meaning of its resource (R4, Extensibility, 2.4.1). It keeps times from being
 * offered. Other records are shown, because a missing patient would be registered again.
 */
const modifierExtension = z.never().exactOptional();

function resource<const T extends string, S extends z.ZodRawShape>(type: T, shape: S) {
  return z.object({
    resourceType: z.literal(type),
    id,
    meta,
    contained: arrayOf(z.unknown()),
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

const questionnaireItem = z.object({
  linkId: z.string(),
  text,
  type: z.string(),
  required: flag,
  extension: arrayOf(extension),
  get item(): z.ZodOptional<z.ZodArray<typeof questionnaireItem>> {
    return z.array(questionnaireItem).optional();
  },
});
export type QuestionnaireItem = z.output<typeof questionnaireItem>;

/** The elements that this adapter reads from each resource type. FHIR R4 (4.0.1). */
export const resources = {
  Appointment: resource('Appointment', {
    status: z.string(),
    serviceCategory: arrayOf(concept),
    serviceType: arrayOf(concept.extend({ extension: arrayOf(extension) })),
    start: instant.exactOptional(),
    end: instant.exactOptional(),
    minutesDuration: z.number().exactOptional(),
    slot: arrayOf(reference),
    supportingInformation: arrayOf(reference),
    participant: arrayOf(z.object({ type: arrayOf(concept), actor: actor.exactOptional(), status: text })),
  }),
  Basic: resource('Basic', {}),
  Binary: z.object({ resourceType: z.literal('Binary'), id, meta, contentType: text, data: text }),
  Coverage: resource('Coverage', {
    status: z.string(),
    type: concept.exactOptional(),
    beneficiary: reference,
    subscriberId: text,
    period: period.exactOptional(),
    payor: arrayOf(party),
    class: arrayOf(z.object({ type: concept.exactOptional(), value: text, name: text })),
  }),
  HealthcareService: resource('HealthcareService', {
    active: flag,
    providedBy: reference.exactOptional(),
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
  InsurancePlan: resource('InsurancePlan', {
    status: text,
    name: text,
    ownedBy: reference.exactOptional(),
    period: period.exactOptional(),
  }),
  Location: resource('Location', {
    status: text,
    mode: text,
    name: text,
    type: arrayOf(concept),
    telecom: arrayOf(telecom),
    address: address.exactOptional(),
    physicalType: concept.exactOptional(),
    position: z.object({ latitude: z.number(), longitude: z.number() }).exactPartial().exactOptional(),
    managingOrganization: reference.exactOptional(),
    partOf: reference.exactOptional(),
  }),
  Organization: resource('Organization', {
    active: flag,
    name: text,
    type: arrayOf(concept),
    telecom: arrayOf(telecom),
    partOf: reference.exactOptional(),
  }),
  OrganizationAffiliation: resource('OrganizationAffiliation', {
    active: flag,
    period: period.exactOptional(),
    organization: reference.exactOptional(),
    participatingOrganization: reference.exactOptional(),
  }),
  Patient: resource('Patient', {
    active: flag,
    name: arrayOf(humanName),
    telecom: arrayOf(telecom),
    gender: z.enum(['male', 'female', 'other', 'unknown']).exactOptional(),
    birthDate: date.exactOptional(),
    deceasedBoolean: flag,
    deceasedDateTime: text,
    address: arrayOf(address),
    generalPractitioner: arrayOf(actor),
    link: arrayOf(z.object({ other: reference, type: text })),
  }),
  Practitioner: resource('Practitioner', {
    active: flag,
    name: arrayOf(humanName),
    telecom: arrayOf(telecom),
    qualification: arrayOf(z.object({ code: concept.exactOptional() })),
  }),
  PractitionerRole: resource('PractitionerRole', {
    active: flag,
    period: period.exactOptional(),
    practitioner: reference.exactOptional(),
    organization: reference.exactOptional(),
    specialty: arrayOf(concept),
    location: arrayOf(reference),
    healthcareService: arrayOf(reference),
    telecom: arrayOf(telecom),
    availableTime: arrayOf(
      z.object({
        daysOfWeek: arrayOf(weekday.nullable()),
        allDay: flag,
        availableStartTime: time.exactOptional(),
        availableEndTime: time.exactOptional(),
      }),
    ),
    notAvailable: arrayOf(z.object({ during: period.exactOptional() })),
    availabilityExceptions: text,
  }),
  Questionnaire: resource('Questionnaire', {
    url: text,
    version: text,
    title: text,
    status: z.string(),
    date: dateTime.exactOptional(),
    description: text,
    item: arrayOf(questionnaireItem),
  }),
  QuestionnaireResponse: z.object({
    resourceType: z.literal('QuestionnaireResponse'),
    id,
    meta,
    questionnaire: text,
    subject: reference.exactOptional(),
    item: arrayOf(responseItem),
  }),
  RelatedPerson: resource('RelatedPerson', {
    active: flag,
    patient: reference,
    relationship: arrayOf(concept),
    period: period.exactOptional(),
  }),
  Schedule: resource('Schedule', {
    modifierExtension,
    active: flag,
    serviceCategory: arrayOf(concept),
    serviceType: arrayOf(concept.extend({ extension: arrayOf(extension) })),
    actor: z.array(reference),
  }),
  Slot: resource('Slot', {
    modifierExtension,
    serviceCategory: arrayOf(concept),
    serviceType: arrayOf(concept),
    schedule: reference,
    status: z.string(),
    appointmentType: concept.exactOptional(),
    overbooked: flag,
    start: instant,
    end: instant,
  }),
  Task: resource('Task', {
    status: taskStatus,
    businessStatus: concept.exactOptional(),
    code: concept.exactOptional(),
    instantiatesCanonical: text,
    description: text,
    focus: reference.exactOptional(),
    for: reference.exactOptional(),
    authoredOn: dateTime.exactOptional(),
    lastModified: dateTime.exactOptional(),
    reasonCode: concept.exactOptional(),
  }),
} as const;

export type ResourceType = keyof typeof resources;

/** A resource as received. The elements of its schema are typed, and all other elements are kept. */
export type Resource<T extends ResourceType = ResourceType> = {
  [U in T]: z.output<(typeof resources)[U]> & { readonly resourceType: U };
}[T];

/** A resource that may have contained resources. */
export interface Container {
  readonly contained?: readonly unknown[];
}

/** The contained resource of a reference such as `#doctor`. Undefined if it is missing or unreadable. */
export const findContained = <T extends ResourceType>(
  { contained = [] }: Container,
  reference: Reference | undefined,
  type: T,
): Resource<T> | undefined =>
  contained.filter((each) => isResource(type, each)).find(({ id }) => `#${id}` === reference?.reference);

const isResource = <T extends ResourceType>(type: T, value: unknown): value is Resource<T> =>
  resources[type].safeParse(value).success;

/** FHIR's own types of the elements, without those that the server sets. */
type Elements<T extends ResourceType> = Omit<ExtractResource<T>, 'resourceType' | 'id' | 'meta'>;

/** An entry of a list as it was read. Its type is looser than FHIR's, because only a part is validated. */
type EntryAsRead<E> = {
  [T in ResourceType]: E extends keyof Resource<T>
    ? Resource<T>[E] extends readonly (infer Entry)[] | undefined
      ? Entry
      : never
    : never;
}[ResourceType];

type WithEntries<Element, Entry> = Element extends readonly (infer Own)[] ? readonly (Own | Entry)[] : Element;

/** A resource to create. Names, identifiers and the like may be copied from read resources. */
export type NewResource<T extends ResourceType = ResourceType> = {
  [U in T]: {
    readonly [E in keyof Elements<U>]: WithEntries<Elements<U>[E], Extract<EntryAsRead<E>, { use?: string }>>;
  } & { readonly resourceType: U };
}[T];

/** The changed elements; undefined removes an optional one. A list may have entries as they were read. */
export type Changes<T extends ResourceType> = {
  readonly [E in keyof Elements<T>]?:
    | WithEntries<Elements<T>[E], EntryAsRead<E>>
    | (object extends Pick<Elements<T>, E> ? undefined : never);
};

// The resource types that many files use.
export type FhirPatient = Resource<'Patient'>;
export type FhirService = Resource<'HealthcareService'>;
export type FhirSlot = Resource<'Slot'>;
export type FhirCoverage = Resource<'Coverage'>;
export type FhirLocation = Resource<'Location'>;
export type FhirRole = Resource<'PractitionerRole'>;

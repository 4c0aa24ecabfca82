import {
  array,
  bool,
  clock,
  day,
  digits,
  each,
  enumeration,
  type Form,
  flag,
  id,
  instant,
  integer,
  localDateTime,
  nullable,
  number,
  optional,
  orEmpty,
  text,
  union,
  url,
  type Value,
} from './forms.ts';

/**
 * What the API document shows, typed in by hand a second time. Nothing here may be derived from `src/api`, or a name that is
 * wrong there, in schema and mapper alike, would agree with itself. Where the document says "not shown", the decision records
 * speak.
 */

export const gender = enumeration('Male', 'Female', 'Other');
export const identifierType = enumeration('DNI', 'Passport', 'Other');
export const addressParts = ['street', 'number', 'floor', 'apartment', 'city', 'state', 'country', 'zip_code'] as const;
/** An address in a request. */
export const addressInput = each(optional(text), ...addressParts);
/** An address in an answer: what is unknown of it is empty, but these two parts are absent. */
const address = {
  ...each(text, 'street', 'number', 'city', 'state', 'country', 'zip_code'),
  ...each(optional(text), 'floor', 'apartment'),
};
/** The address as an answer has it of which these parts are known. */
export const showAddress = (known: Readonly<Record<string, string>>): Readonly<Record<string, string>> => ({
  ...{ street: '', number: '', city: '', state: '', country: '', zip_code: '' },
  ...known,
});
export const person = {
  ...each(text, 'name', 'last_name', 'medical_record_id', 'phone', 'email'),
  gender,
  birth_date: day,
  identifier_type: identifierType,
  // An identifier of letters is not in the document, but in the decision records.
  identifier: union(integer, text),
  address,
};
export const patient = { id, ...person };
export type PatientBody = Value<typeof patient>;

export const ticketType = {
  id,
  ...each(instant, 'created_at', 'updated_at'),
  ...each(text, 'status', 'title', 'description'),
  fields: [{ id, ...each(text, 'type', 'tooltip', 'validationRegex') }],
};
export type TicketTypeBody = Value<typeof ticketType>;

export const ticket = {
  ...each(id, 'uid', 'ticket_type_id'),
  ...each(instant, 'createdAt', 'updatedAt'),
  ...each(text, 'status', 'observations'),
  fields: [{ id, dataType: enumeration('string', 'file'), value: text, tooltip: text }],
};
export type TicketBody = Value<typeof ticket>;

const insured = { ...each(text, 'carrier', 'plan', 'credential_number'), active: flag };
export const coverage = { id, ...insured };
export type CoverageBody = Value<typeof coverage>;

/** The ids of carriers and plans are not in the document, but in the decision records. */
export const carrierA = { id, carrier: text, active: flag };
export type CarrierA = Value<typeof carrierA>;
export const plan = { id, plan: text, active: flag };
export type PlanBody = Value<typeof plan>;

export const status = enumeration('active', 'canceled');
const modality = enumeration('in-person', 'virtual');

export const appointmentA = {
  id,
  date: localDateTime,
  status,
  modality,
  payments: orEmpty({ link: optional(url), status: text }),
  health_insurances: orEmpty(insured),
  practitioner: { id, name: text },
  cancelable: bool,
  location: { id, description: text },
  healht_care_service: [{ id, description: text }],
};
export type AppointmentA = Value<typeof appointmentA>;

export const slotA = {
  date: localDateTime,
  ...each(id, 'health_care_service_id', 'practitioner_id', 'location_id'),
  mode: modality,
};
export type SlotA = Value<typeof slotA>;

export const practitioner = {
  id,
  ...each(text, 'name', 'specialty', 'email', 'phone', 'working_hours', 'location'),
  is_available: bool,
};
export type PractitionerBody = Value<typeof practitioner>;

export const serviceA = {
  id,
  ...each(text, 'offered_in', 'practitioner_id', 'name', 'comment', 'extra_details'),
  ...each(text, 'patient_instruction', 'integration_id'),
  ...each(bool, 'active', 'appointment_required'),
  availability_exceptions: nullable(text),
  ...each(instant, 'created_at', 'updated_at'),
  deleted_at: nullable(instant),
  ...each(nullable(integer), 'min_age', 'max_age', 'sex_id'),
};
export type ServiceA = Value<typeof serviceA>;

export const familyMember = {
  ...each(id, 'id', 'related_patient_id'),
  relationship_code: integer,
  relationship_description: text,
  active: bool,
};
export type FamilyMemberBody = Value<typeof familyMember>;

const phones = array({ type: text, value: text });
export const directoryEntry = {
  location: { id, ...each(text, 'name', 'latitude', 'longitude', 'address', 'zip_code', 'email'), phone: phones },
  provider: array({
    id,
    ...each(text, 'name', 'description', 'email'),
    type: enumeration('pharmacy', 'practitioner', 'clinic'),
    phone: phones,
    service: array({ id, ...each(text, 'name', 'description') }),
  }),
};
export type DirectoryEntryBody = Value<typeof directoryEntry>;

export const location = { id, name: text, address };
export type LocationBody = Value<typeof location>;

export const time = { appointmentDate: day, appointmentStart: clock, minutesDuration: digits };

export const slotB = { ...each(id, 'appointmentId', 'hcsId', 'practitionerId', 'locationId'), ...time, modality };
export type SlotB = Value<typeof slotB>;

export const appointmentB = {
  ...each(id, 'id', 'patientId', 'hcsId', 'locationId'),
  practitionersIds: [id],
  ...time,
  modality,
  appointmentStatus: status,
  patientCoverageId: nullable(id),
  copay: nullable(number),
  authorization: nullable(bool),
};
export type AppointmentB = Value<typeof appointmentB>;

export const serviceType = enumeration('CONSULTA', 'PRACTICA');
export const serviceB = {
  id,
  ...each(text, 'name', 'description'),
  type: serviceType,
  ...each(bool, 'appointmentRequired', 'requiresAuthorization'),
  practitionerId: nullable(text),
};
export type ServiceB = Value<typeof serviceB>;

export const carrierB = { id, name: text };
export type CarrierB = Value<typeof carrierB>;

const pagination = each(integer, 'totalPages', 'totalElements', 'page', 'limit', 'numberOfElements');

/** A page of a list of Group B. */
export const page = <F extends Form>(row: F) => ({ data: [row], pagination });
export type Paged<T> = { readonly data: readonly T[]; readonly pagination: Value<typeof pagination> };

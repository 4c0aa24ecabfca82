import { address } from './kinds.ts';

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
} as const satisfies Readonly<Record<string, Name>>;

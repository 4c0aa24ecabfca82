import type { Use } from '../sources/sql/conditions.ts';
import type { MappingFile } from './schema.ts';

/** Names of which an entry has to use one, or it would answer or change what is somebody else’s. */
export interface Needed {
  readonly oneOf: readonly string[];
  readonly use: Use;
}

const key = (...oneOf: readonly string[]): Needed => ({ oneOf, use: 'key' });
const kept = (...oneOf: readonly string[]): Needed => ({ oneOf, use: 'kept' });
const window: readonly Needed[] = [
  { oneOf: ['from', 'fromDay'], use: 'window' },
  { oneOf: ['to', 'toDay'], use: 'window' },
];

const mustUse: Readonly<Record<string, readonly Needed[]>> = {
  'patients.byId': [key('id')],
  'patients.byDocument': [key('identifier')],
  'patients.byBirthDate': [key('birthDate')],
  'patients.create': [kept('identifier'), kept('birthDate'), kept('gender')],
  'patients.update': [key('id')],
  'practitioners.mainOf': [key('patientId')],
  'coverages.byId': [key('id')],
  'coverages.ofPatient': [key('patientId')],
  'coverages.create': [kept('patientId'), kept('planId'), kept('credentialNumber')],
  'coverages.edit': [key('id')],
  'taken.between': window,
  'slots.between': window,
  'appointments.ofPatient': [key('patientId')],
  'appointments.cancel': [key('appointmentId')],
  'relatives.ofPatient': [key('patientId')],
  'relatives.add': [kept('patientId'), kept('relatedPatientId'), kept('relationshipCode')],
  'relatives.remove': [key('id')],
};

const slots = ['slotIds', 'slotId', 'firstSlotId'];
const bySlot = [kept('patientId'), key(...slots)];
/** Of slots that Puente cuts of weekly schedules the system does not know the ids. */
const byTime = [
  kept('patientId'),
  key('start', 'startDay', 'slotStart'),
  key('start', 'startTime', 'slotStart'),
  key('scheduleId', 'practitionerId', 'practitionerIds', 'slotPractitionerId'),
];

/** What an entry of the file, e.g. `patients.byId`, has to use. */
export function listNeeded(entry: string, { schedules }: MappingFile, used: ReadonlySet<string>): readonly Needed[] {
  if (entry !== 'appointments.book') return mustUse[entry] ?? [];
  return !schedules && slots.some((name) => used.has(name)) ? bySlot : byTime;
}

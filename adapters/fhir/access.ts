import type { PortName } from '../../src/ports/index.ts';
import type { ResourceType } from './schema/resources.ts';

export type Interaction = 'read' | 'vread' | 'search' | 'create' | 'update' | 'delete';

/** The access that this adapter needs to one resource type. */
export interface TypeAccess {
  readonly type: ResourceType;
  readonly rights: readonly Interaction[];
  /** The search parameters. `_sort` and similar ones include their value. */
  readonly parameters?: readonly string[];
  readonly includes?: readonly string[];
  /** The ports that need it. Absent: every port that gets a patient id, or writes. */
  readonly ports: readonly PortName[];
}

const crus = ['read', 'search', 'create', 'update'] as const;
const crusd = [...crus, 'delete'] as const;
const lastUpdated = '_sort=_lastUpdated,_id';

const practitionersAndPlaces: readonly PortName[] = ['practitioners', 'care-services', 'appointments', 'directory'];

/** All required access, in the order of docs/reference/fhir/set-up.md. */
export const access: readonly TypeAccess[] = [
  {
    type: 'Patient',
    rights: crus,
    parameters: ['identifier', 'birthdate', 'gender', '_id', '_revinclude=Patient:link'],
    includes: ['Patient:general-practitioner'],
    ports: ['patients', 'tickets', 'appointments', 'insurance', 'practitioners', 'care-services', 'family-groups'],
  },
  {
    type: 'Coverage',
    rights: crus,
    parameters: ['beneficiary', 'identifier', '_id'],
    includes: ['Coverage:beneficiary', 'Coverage:payor'],
    ports: ['insurance', 'appointments', 'care-services'],
  },
  {
    type: 'Appointment',
    rights: crusd,
    parameters: [
      ...['patient', 'date', 'status', 'part-status', 'slot', 'identifier', '_id', '_sort=date,_id'],
      ...['_offset', '_total'],
    ],
    includes: [
      'Appointment:actor',
      'Appointment:supporting-info',
      'Appointment:slot',
      'Coverage:payor',
      'PractitionerRole:practitioner',
    ],
    ports: ['appointments', 'care-services'],
  },
  {
    type: 'Slot',
    rights: ['read', 'search', 'update'],
    parameters: [
      ...['schedule', 'start', 'status', 'service-type', 'service-category', '_id', '_sort=start,_id', '_total'],
      '_revinclude=Appointment:slot',
    ],
    ports: ['appointments'],
  },
  { type: 'RelatedPerson', rights: crusd, parameters: ['patient', 'identifier', '_id'], ports: ['family-groups'] },
  {
    type: 'Task',
    rights: ['read', 'search', 'create', 'delete'],
    parameters: ['patient', 'code', 'identifier', '_sort=-authored-on,_id'],
    includes: ['Task:focus'],
    ports: ['tickets', 'practitioners'],
  },
  {
    type: 'QuestionnaireResponse',
    rights: ['read', 'search', 'create', 'delete'],
    parameters: ['_id', 'identifier'],
    ports: ['tickets'],
  },
  { type: 'Binary', rights: ['read', 'vread', 'create', 'delete'], ports: ['tickets'] },
  { type: 'Practitioner', rights: ['read', 'search'], parameters: ['_id', lastUpdated], ports: practitionersAndPlaces },
  {
    type: 'Location',
    rights: ['read', 'search'],
    parameters: ['_id', lastUpdated],
    includes: ['Location:organization'],
    ports: practitionersAndPlaces,
  },
  {
    type: 'Organization',
    rights: ['read', 'search'],
    parameters: ['type', '_id', lastUpdated],
    ports: ['insurance', 'appointments', 'directory'],
  },
  {
    type: 'PractitionerRole',
    rights: ['search'],
    parameters: ['_id', lastUpdated],
    includes: ['PractitionerRole:practitioner', 'PractitionerRole:location'],
    ports: practitionersAndPlaces,
  },
  {
    type: 'HealthcareService',
    rights: ['search'],
    parameters: ['_id', lastUpdated],
    includes: ['HealthcareService:location'],
    ports: ['care-services', 'appointments', 'directory'],
  },
  {
    type: 'Schedule',
    rights: ['search'],
    parameters: [lastUpdated],
    includes: ['Schedule:actor'],
    ports: ['appointments', 'care-services'],
  },
  {
    type: 'InsurancePlan',
    rights: ['search'],
    parameters: [lastUpdated],
    ports: ['insurance', 'appointments', 'care-services'],
  },
  { type: 'OrganizationAffiliation', rights: ['search'], parameters: [lastUpdated], ports: ['insurance'] },
  { type: 'Questionnaire', rights: ['search'], parameters: ['context', lastUpdated], ports: ['tickets'] },
  { type: 'Basic', rights: crusd, parameters: ['identifier'], ports: ['appointments', 'tickets'] },
];

import type { SlotB } from '../../src/contract/resources.ts';
import type { Knowledge } from './knowledge.ts';
import type { KeyedRequest } from './side.ts';

/** Requests that only look. */
export const viewPatient = (id: string): KeyedRequest => ({ route: 'GET /patients/{id}', params: { id } });

/** Finds the patient by the document, as it stands there. */
export function viewByDocument({ people }: Knowledge, id: string): KeyedRequest[] {
  const person = people.get(id);
  if (!person || person.identifier === '') return [];
  const query = { identifier_type: person.identifier_type, identifier: String(person.identifier) };
  return [{ route: 'GET /patients/search', query }];
}

export const viewAppointments = (id: string): KeyedRequest[] => [
  { route: 'GET /patients/{id}/appointments', params: { id } },
  { route: 'GET /v1/appointments', query: { patientId: id, limit: '100', sortDirection: 'DESC' } },
];

export const viewCoverages = (id: string): KeyedRequest => ({
  route: 'GET /patients/{id}/health_insurances',
  params: { id },
});
export const viewFamily = (id: string): KeyedRequest => ({ route: 'GET /patients/{id}/family_group', params: { id } });
export const viewTickets = (id: string): KeyedRequest => ({ route: 'GET /patients/{id}/ticket/', params: { id } });
export const viewChangeRequest = (id: string): KeyedRequest => ({
  route: 'GET /patients/{id}/practitioner/change_request',
  params: { id },
});

/** The services that the patient often books, with one of the coverages. */
export function viewFrequent({ coverages }: Knowledge, patientId: string): KeyedRequest[] {
  const own = [...coverages.values()].find((coverage) => coverage.patientId === patientId);
  if (!own) return [];
  return [
    {
      route: 'GET /v1/frequent-health-care-services',
      query: { patientId, patientCoverageId: own.id, limit: '100' },
    },
  ];
}

/** What the patient may have. */
export const viewServices = (patientId: string): KeyedRequest => ({
  route: 'GET /health-care-services/search',
  query: { patient_id: patientId },
});

export const viewPractitioner = (id: string): KeyedRequest => ({
  route: 'GET /patients/{id}/practitioner',
  params: { id },
});

/** What is free of that practitioner's service, and all that day. */
export const viewSlots = ({ hcsId, practitionerId, appointmentDate: day }: SlotB): KeyedRequest[] => [
  {
    route: 'GET /available-appointments/search',
    query: { health_care_service_id: hcsId, practitioner_id: practitionerId },
  },
  {
    route: 'POST /v1/available-slots',
    query: { limit: '100' },
    body: { hcsId, dateConfig: { dateFrom: day, dateTo: day } },
  },
];

/** All that is to be seen of a patient. */
export const viewEverything = (known: Knowledge, id: string): KeyedRequest[] => [
  viewPatient(id),
  ...viewByDocument(known, id),
  ...viewAppointments(id),
  viewCoverages(id),
  viewFamily(id),
  viewTickets(id),
  viewChangeRequest(id),
  viewPractitioner(id),
  ...viewFrequent(known, id),
  viewServices(id),
];

import { scenes } from '../scenes.ts';
import type { KeyedRequest } from '../side.ts';
import { areAll, type Example, type IdOf, type KnownDisagreement } from './known.ts';

export const isBooking = ({ route }: KeyedRequest): boolean =>
  route === 'POST /patients/{id}/appointments' || route === 'POST /v1/appointments';

export const isSlotSearch = ({ route }: KeyedRequest): boolean =>
  route === 'GET /available-appointments/search' || route === 'POST /v1/available-slots';

/** A booking that both take. */
export const book = (id: IdOf, other: Readonly<Record<string, unknown>> = {}): Example => ({
  route: 'POST /v1/appointments',
  body: {
    patientId: id('Patient', 'ana'),
    practitionersIds: [id('Practitioner', 'paz')],
    hcsId: id('HealthcareService', 'consulta-clinica'),
    appointmentDate: '2026-11-23',
    appointmentStart: '09:00',
    ...other,
  },
});

const namesAnId =
  /^422 validation (body|query) \/(hcsId|health_care_service_id|practitioner_id|practitionersIds?|practitionerId|location_id|locationId|patient_id|patientId|health_insurance_id|patientCoverageId)$/;

const countPractitioners = ({ body }: KeyedRequest): number =>
  (body as { readonly practitionersIds?: readonly string[] }).practitionersIds?.length ?? 1;

export const ofAppointments: readonly KnownDisagreement[] = [
  {
    what: 'a second practitioner who publishes no time',
    ruling:
      'memory is wrong: record 0033, free time is what is published; memory books people at any hour of the day and night',
    explains: ({ request, memory, fhir }) =>
      isBooking(request) &&
      countPractitioners(request) > 1 &&
      areAll(memory, /^(201|409 .*)$/) &&
      areAll(fhir, '422 slot_unknown body /appointmentStart'),
    example: (id) => [book(id, { practitionersIds: [id('Practitioner', 'paz'), id('Practitioner', 'quinteros')] })],
  },
  {
    what: 'two ids that nothing has, of which each adapter names another',
    ruling:
      'fhir is wrong: decision 16 and the ports name them in the order service, practitioner, place, patient, coverage',
    harmless: true,
    explains: ({ request, memory, fhir }) =>
      (isBooking(request) || isSlotSearch(request)) && areAll(memory, namesAnId) && areAll(fhir, namesAnId),
    example: (id) => [book(id, { locationId: 'no-such-id', patientCoverageId: 'no-such-id' })],
  },
  {
    what: 'an offer of another service at a time that nobody offers',
    ruling: 'fhir is wrong: decision 27, the offer must agree with the rest, and the fault is said to be there',
    harmless: true,
    explains: ({ request, memory, fhir }) =>
      isBooking(request) &&
      areAll(memory, '422 validation body /appointmentId') &&
      areAll(fhir, '422 slot_unknown body /appointmentStart'),
    example: (id) => [
      book(id, {
        hcsId: id('HealthcareService', 'consulta-traumatologia'),
        appointmentId: id('Slot', 'paz-central.20261123T0900'),
      }),
    ],
  },
  {
    what: 'a booking with a fault at a time that the clocks skip',
    ruling: 'fhir is wrong: decision 16 names the faults in their order, and the time comes last',
    harmless: true,
    explains: ({ request, memory, fhir }) =>
      isBooking(request) && areAll(memory, /^4\d\d /) && areAll(fhir, /^422 nonexistent_local_time /),
    scene: scenes[1],
    example: (id) => [
      book(id, {
        appointmentDate: '2026-09-06',
        appointmentStart: '00:20',
        patientCoverageId: id('Coverage', 'ana-swiss'),
      }),
    ],
  },
];

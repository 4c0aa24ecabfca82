import type { Outcome } from '../outcome.ts';
import { scenes } from '../scenes.ts';
import type { KeyedRequest } from '../side.ts';
import { areAll, type Example, type IdOf, type KnownDisagreement, says } from './known.ts';

const isBooking = ({ route }: KeyedRequest): boolean =>
  route === 'POST /patients/{id}/appointments' || route === 'POST /v1/appointments';

const isSlotSearch = ({ route }: KeyedRequest): boolean =>
  route === 'GET /available-appointments/search' || route === 'POST /v1/available-slots';

/** A booking that both take. */
const book = (id: IdOf, other: Readonly<Record<string, unknown>> = {}): Example => ({
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

/** Of the sandbox hospital. */
const inactiveCoverages = ['ana-swiss', 'raul-escudero-pami'];
const servicesForOneSex = ['consulta-ginecologia', 'consulta-urologia', 'mamografia'];

const namesAnId =
  /^422 validation (body|query) \/(hcsId|health_care_service_id|practitioner_id|practitionersIds?|practitionerId|location_id|locationId|patient_id|patientId|health_insurance_id|patientCoverageId)$/;

interface Services {
  readonly health_care_services?: readonly { readonly id: string }[];
  readonly data?: readonly { readonly id: string }[];
  readonly pagination?: { readonly totalElements: number };
}

const listServices = (outcomes: readonly Outcome[]): string[] =>
  outcomes.flatMap(({ body }) => {
    const { health_care_services: rows, data = [] } = body as Services;
    return (rows ?? data).map(({ id }) => id);
  });

const countServices = ([outcome]: readonly Outcome[]): number =>
  (outcome?.body as Services | undefined)?.pagination?.totalElements ?? 0;

export const ofAppointments: readonly KnownDisagreement[] = [
  {
    what: 'a second practitioner who publishes no time',
    ruling:
      'memory is wrong: record 0033, free time is what is published; memory books people at any hour of the day and night',
    explains: ({ request, memory, fhir }) =>
      isBooking(request) &&
      (request.body as { practitionersIds?: readonly string[] }).practitionersIds?.length !== 1 &&
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
  {
    what: 'services for a coverage that is no longer in force',
    ruling: 'fhir is wrong: decision 20, such a coverage pays for nothing; its own slot search says so',
    harmless: true,
    explains: ({ request, memory, fhir }) =>
      /services/.test(request.route) &&
      inactiveCoverages.some((coverage) => says(request, coverage)) &&
      areAll(memory, '200') &&
      areAll(fhir, '200') &&
      listServices(memory).length === 0,
    example: (id) => [
      {
        route: 'GET /health-care-services/search',
        query: { patient_id: id('Patient', 'ana'), health_insurance_id: id('Coverage', 'ana-swiss') },
      },
    ],
  },
  {
    what: 'services for one sex are shown to a patient who is neither Male nor Female',
    ruling: 'fhir is wrong: as decision 37 says of ages, a limit excludes only whom it certainly excludes',
    harmless: true,
    explains: ({ request, memory, fhir }) => {
      if (!/services/.test(request.route) || !areAll(memory, '200') || !areAll(fhir, '200')) return false;
      const [here, there] = [listServices(memory), listServices(fhir)];
      // A page of a shorter list begins somewhere else.
      if (countServices(memory) > countServices(fhir)) return true;
      return (
        there.every((id) => here.includes(id)) &&
        here.every((id) => there.includes(id) || servicesForOneSex.includes(id))
      );
    },
    example: (id) => [
      { route: 'GET /health-care-services/search', query: { patient_id: id('Patient', 'alex-montero') } },
    ],
  },
  {
    what: 'a service for one sex is booked by a patient who is neither Male nor Female',
    ruling: 'fhir is wrong: as decision 37 says of ages, a limit excludes only whom it certainly excludes',
    explains: ({ request, memory, fhir }) =>
      isBooking(request) &&
      servicesForOneSex.some((service) => says(request, service)) &&
      !areAll(memory, /^422 validation body \/(hcsId|health_care_service_id)$/) &&
      areAll(fhir, /^422 validation body \/(hcsId|health_care_service_id)$/),
    example: (id) => [
      book(id, {
        patientId: id('Patient', 'alex-montero'),
        practitionersIds: [id('Practitioner', 'sosa')],
        hcsId: id('HealthcareService', 'consulta-ginecologia'),
        appointmentDate: '2026-11-24',
      }),
    ],
  },
  {
    what: 'a service for one sex has free slots for a patient who is neither Male nor Female',
    ruling: 'fhir is wrong: as decision 37 says of ages, a limit excludes only whom it certainly excludes',
    harmless: true,
    explains: ({ request, memory, fhir }) =>
      isSlotSearch(request) &&
      servicesForOneSex.some((service) => says(request, service)) &&
      areAll(memory, '200') &&
      fhir.every(({ body }) => JSON.stringify(body).includes('[]')),
    example: (id) => [
      {
        route: 'GET /available-appointments/search',
        query: {
          health_care_service_id: id('HealthcareService', 'consulta-ginecologia'),
          patient_id: id('Patient', 'alex-montero'),
        },
      },
    ],
  },
];

import type { AppointmentA } from '../../../src/contract/queries.ts';
import type { Outcome } from '../outcome.ts';
import { book, isBooking, isSlotSearch } from './appointments.ts';
import { areAll, type KnownDisagreement, type Occurrence, says } from './known.ts';

/** Of the sandbox hospital. */
const inactiveCoverages = ['ana-swiss', 'raul-escudero-pami'];
const servicesForOneSex = ['consulta-ginecologia', 'consulta-urologia', 'mamografia'];

interface Services {
  readonly health_care_services?: readonly { readonly id: string }[];
  readonly data?: readonly { readonly id: string }[];
  readonly pagination?: { readonly totalElements: number };
}

const listServices = (outcomes: readonly Outcome[]): string[] =>
  outcomes.flatMap(({ body }) => {
    const { health_care_services: rows, data = [] } = (body ?? {}) as Services;
    return (rows ?? data).map(({ id }) => id);
  });

const countServices = ([outcome]: readonly Outcome[]): number =>
  (outcome?.body as Services | undefined)?.pagination?.totalElements ?? 0;

/** Whether the patient whom the request names was last seen as neither Male nor Female. */
function isOfOtherGender({ request, before }: Occurrence): boolean {
  const seen = before.flatMap(({ memory }) =>
    memory.map(({ body }) => (body ?? {}) as { id?: string; gender?: string }),
  );
  const patient = seen.findLast(({ id, gender }) => gender !== undefined && id !== undefined && says(request, id));
  return patient ? patient.gender === 'Other' : says(request, 'alex-montero');
}

/** How often the patient had a service and when last, by the appointments that were read before. */
function createUseCounter({ request, before }: Occurrence): (serviceId: string) => string {
  const { patientId = '' } = request.query ?? {};
  const read = before.findLast(
    ({ request: { route, params } }) => route === 'GET /patients/{id}/appointments' && params?.id === patientId,
  );
  const { appointments = [] } = (read?.memory[0]?.body ?? {}) as { readonly appointments?: readonly AppointmentA[] };
  return (serviceId) => {
    const own = appointments.filter(
      ({ status, healht_care_service: services }) => status === 'active' && services.some(({ id }) => id === serviceId),
    );
    return `${own.length} ${own.at(-1)?.date}`;
  };
}

const isForOneSex = ({ request }: Occurrence): boolean => servicesForOneSex.some((service) => says(request, service));

const isOther = 'fhir is wrong: as decision 37 says of ages, a limit excludes only whom it certainly excludes';

export const ofServices: readonly KnownDisagreement[] = [
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
    ruling: isOther,
    harmless: true,
    explains: (met) => {
      const { request, memory, fhir } = met;
      if (!/services/.test(request.route) || !areAll([...memory, ...fhir], '200') || !isOfOtherGender(met))
        return false;
      // A page of a shorter list begins somewhere else.
      if (countServices(memory) > countServices(fhir)) return true;
      const [here, there] = [listServices(memory), listServices(fhir)];
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
    ruling: isOther,
    explains: (met) =>
      isBooking(met.request) &&
      isForOneSex(met) &&
      isOfOtherGender(met) &&
      areAll(met.fhir, /^422 validation body \/(hcsId|health_care_service_id)$/),
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
    ruling: isOther,
    harmless: true,
    explains: (met) =>
      isSlotSearch(met.request) &&
      isForOneSex(met) &&
      isOfOtherGender(met) &&
      areAll(met.memory, '200') &&
      met.fhir.every(({ body }) => JSON.stringify(body).includes('[]')),
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
  {
    what: 'services that are as frequent and were booked for the same time',
    ruling: 'open: the ports promise no order among them; by name, as in the list of services',
    harmless: true,
    explains: (met) => {
      const [here, there] = [listServices(met.memory), listServices(met.fhir)];
      const countUses = createUseCounter(met);
      return (
        met.request.route.includes('/frequent-') &&
        here.length === there.length &&
        here.every((id, index) => countUses(id) === countUses(there[index] ?? ''))
      );
    },
    example: (id) => {
      const bruno = id('Patient', 'bruno');
      const tuesday = { appointmentDate: '2026-11-24', patientId: bruno };
      return [
        ...['consulta-cardiologia', 'consulta-clinica'].map((service, index) =>
          book(id, {
            ...tuesday,
            practitionersIds: [id('Practitioner', index === 0 ? 'vidal' : 'paz')],
            hcsId: id('HealthcareService', service),
          }),
        ),
        { route: 'GET /patients/{id}/appointments', params: { id: bruno } },
        {
          route: 'GET /v1/frequent-health-care-services',
          query: { patientId: bruno, patientCoverageId: id('Coverage', 'bruno-osde') },
        },
      ];
    },
  },
];

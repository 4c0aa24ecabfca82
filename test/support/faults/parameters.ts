import { type Request, type Route, sandbox } from '../../../src/contract/index.ts';
import { changeAnswer, type HttpFault } from './http-fault.ts';

type Row = readonly [route: Route, parameter: string, caughtBy: string, named: RegExp];

/** Parameters of the query that a server may forget, and the case that notices. */
const ofQuery: readonly Row[] = [
  ['GET /v1/appointments', 'appointmentStatus', 'filters.appointments.list', /appointmentStatus narrow/],
  ['GET /v1/appointments', 'dateFrom', 'filters.appointments.list', /dateFrom .* narrow/],
  ['GET /v1/appointments', 'sortDirection', 'appointments.b.order', /DESC/],
  ['GET /v1/insurance-carriers', 'search', 'insurance.carriers.search', /search finds carriers/],
  ['GET /v1/insurance-carriers', 'sortProperty', 'insurance.carriers.sorted', /unless asked otherwise/],
  ['GET /v1/insurance-carriers', 'sortDirection', 'insurance.carriers.sorted', /unless asked otherwise/],
  [
    'GET /available-appointments/search',
    'practitioner_id',
    'slots.practitioner',
    /only slots of the given practitioner/,
  ],
  ['GET /available-appointments/search', 'location_id', 'slots.location', /only slots at the given location/],
  ['GET /available-appointments/search', 'patient_id', 'slots.age', /outside the age/],
  ['GET /available-appointments/search', 'patient_id', 'slots.sex', /of the other sex/],
  ['GET /available-appointments/search', 'health_insurance_id', 'slots.plan', /whose plan the service does not accept/],
  ['GET /available-appointments/search', 'health_insurance_id', 'slots.somebody-else', /of another patient/],
  ['GET /health-care-services/search', 'patient_id', 'care-services.age', /excludes the patient’s age/],
  ['GET /health-care-services/search', 'patient_id', 'care-services.sex', /left out for a man/],
  ['GET /health-care-services/search', 'health_insurance_id', 'care-services.plan', /does not cover/],
  ['GET /health-care-services/search', 'health_insurance_id', 'care-services.lapsed', /no longer active/],
  ['GET /v1/health-care-services', 'type', 'care-services.b.type', /type narrows/],
  ['GET /v1/health-care-services', 'search', 'care-services.b.search', /search finds part of a name/],
  ['GET /v1/health-care-services', 'hcsId', 'care-services.b.one', /hcsId narrows/],
  ['GET /patients/search', 'gender', 'patients.search.all-criteria', /one of several criteria/],
  ['GET /patients/search', 'birth_date', 'patients.search.all-criteria', /one of several criteria/],
  ['GET /patients/search', 'identifier_type', 'patients.search.all-criteria', /one of several criteria/],
  ['GET /patients/{id}/ticket/', 'ticket_type_id', 'filters.tickets.list', /type, .* narrow/],
  ['GET /patients/{id}/ticket/', 'status', 'filters.tickets.list', /status .* narrow/],
  ['GET /patients/{id}/ticket/', 'start_date', 'tickets.list.days', /narrows by days/],
  ['GET /patients/{id}/ticket/', 'end_date', 'tickets.list.days', /narrows by days/],
  ...['practitioner_id', 'location_id', 'patient_id', 'health_insurance_id'].map(
    (parameter): Row => ['GET /available-appointments/search', parameter, 'slots.unknown-things', /does not exist/],
  ),
  ...['patient_id', 'health_insurance_id'].map(
    (parameter): Row => ['GET /health-care-services/search', parameter, 'care-services.unknown-things', /unknown/],
  ),
];

/** Fields of the search for slots in Group B; a dot leads into `dateConfig`. */
const ofSlotSearch: readonly Row[] = [
  ['POST /v1/available-slots', 'dateConfig.dateFrom', 'filters.appointments.slots', /both inclusive/],
  ['POST /v1/available-slots', 'dateConfig.dateTo', 'filters.appointments.slots', /both inclusive/],
  ['POST /v1/available-slots', 'dateConfig.daysOfWeek', 'slots.b.weekdays', /daysOfWeek narrows/],
  ['POST /v1/available-slots', 'dateConfig.hourFrom', 'filters.appointments.slots', /hours narrow/],
  ['POST /v1/available-slots', 'dateConfig.hourTo', 'filters.appointments.slots', /hours narrow/],
  ['POST /v1/available-slots', 'modalityVirtual', 'slots.b.modality', /modalityVirtual narrows/],
  ['POST /v1/available-slots', 'practitionerId', 'slots.b.who-and-where', /practitionerId and locationId narrow/],
  ['POST /v1/available-slots', 'locationId', 'slots.b.who-and-where', /practitionerId and locationId narrow/],
  ['POST /v1/available-slots', 'patientId', 'slots.b.patient', /whom the service excludes/],
  ['POST /v1/available-slots', 'patientCoverageId', 'slots.b.coverage', /coverage that the service excludes/],
  ...['practitionerId', 'locationId', 'patientId', 'patientCoverageId'].map(
    (field): Row => ['POST /v1/available-slots', field, 'slots.b.unknown-things', /does not exist/],
  ),
];

/** The object without the value at that path. */
function omit(value: unknown, [key = '', ...rest]: readonly string[]): Record<string, unknown> {
  const kept: Record<string, unknown> = { ...Object(value) };
  if (rest.length > 0 && kept[key] !== undefined) kept[key] = omit(kept[key], rest);
  else if (rest.length === 0) delete kept[key];
  return kept;
}

const ignore = ([route, parameter, caughtBy, named]: Row, change: (request: Request) => Request): HttpFault => ({
  name: `a server that ignores ${parameter} of ${route}, seen by ${caughtBy}`,
  plant: (send) => (request) => send(request.route === route ? change(request) : request),
  caughtBy,
  named,
});

/** Servers that take a parameter and do not heed it. */
export const parameterFaults: readonly HttpFault[] = [
  ...ofQuery.map((row) =>
    ignore(row, ({ query = {}, ...request }) => ({
      ...request,
      query: Object.fromEntries(Object.entries(query).filter(([name]) => name !== row[1])),
    })),
  ),
  ...ofSlotSearch.map((row) =>
    ignore(row, ({ body, ...request }) => ({ ...request, body: omit(body, row[1].split('.')) })),
  ),
  ...[
    ['health_care_service_id', 'practitioner_id'],
    ['practitioner_id', 'location_id'],
    ['location_id', 'patient_id'],
    ['patient_id', 'health_insurance_id'],
  ].map(
    ([first = '', second = '']): HttpFault => ({
      name: `a server that looks for the ${second} of slots before the ${first}`,
      plant: (send) => (request) => {
        const { route, query = {} } = request;
        const isSlots = route === 'GET /available-appointments/search';
        if (!isSlots || [query[first], query[second]].some((id) => id !== sandbox.unknown)) return send(request);
        const others = Object.entries(query).filter(([name]) => name !== first);
        return send({
          ...request,
          query: { health_care_service_id: sandbox.services.bookable, ...Object.fromEntries(others) },
        });
      },
      caughtBy: 'slots.several-unknown-things',
      named: /names the first unknown record of service, practitioner, location, patient and insurance/,
    }),
  ),
  ...[
    ['nothing at all', ''],
    ['the type of an identifier alone', 'identifier_type'],
    ['a gender alone', 'gender'],
    ['a birth date alone', 'birth_date'],
  ].map(
    ([what, criteria]): HttpFault => ({
      name: `a server that searches patients by ${what}`,
      plant: (send) => async (request) => {
        const isAlone = Object.keys(request.query ?? {}).join() === criteria;
        if (request.route !== 'GET /patients/search' || !isAlone) return send(request);
        return { status: 200, headers: { 'content-type': 'application/json' }, body: { patients: [] } };
      },
      caughtBy: 'patients.search.criteria',
      named: /requires an identifier/,
    }),
  ),
  {
    name: 'a server that searches carriers by the beginning of their names',
    plant: changeAnswer('GET /v1/insurance-carriers', ({ body, ...response }, { query = {} }) => {
      const { data, ...rest } = body as { readonly data: readonly { readonly name: string }[] };
      const search = String(query.search ?? '').toLowerCase();
      const found = data.filter(({ name }) => name.toLowerCase().startsWith(search));
      return { ...response, body: { ...rest, data: found } };
    }),
    caughtBy: 'insurance.carriers.search',
    named: /search finds carriers by part of the name/,
  },
  {
    name: 'a server that finds services for an insurance that is no longer active, in Group B',
    plant: (send) => (request) => {
      const { inactive, active } = sandbox.coverages;
      const isLapsed =
        request.route === 'GET /v1/health-care-services' && request.query?.patientCoverageId === inactive;
      return send(isLapsed ? { ...request, query: { ...request.query, patientCoverageId: active } } : request);
    },
    caughtBy: 'care-services.lapsed',
    named: /no longer active covers no service/,
  },
  ...[
    ['a day that no calendar has', '2026-02-30', '2026-02-28'],
    ['a number in words', 'tres', '3'],
    ['a truth value that is neither', 'quizás', 'true'],
    ['a file that is not base64', 'not base64!', 'JVBERg=='],
  ].map(
    ([what = '', misfit = '', fits = '']): HttpFault => ({
      name: `a server that takes ${what} in a ticket`,
      plant: (send) => (request) => {
        const isTicket = request.route === 'POST /patients/{id}/ticket_type/{ticket_type_id}/ticket';
        const body: unknown = isTicket && JSON.parse(JSON.stringify(request.body).replace(misfit, fits));
        return send(isTicket ? { ...request, body } : request);
      },
      caughtBy: 'tickets.open.types',
      named: /of another type than its field/,
    }),
  ),
  {
    name: 'a server that finds frequent services for an insurance that is no longer active',
    plant: (send) => (request) => {
      const { inactive, active } = sandbox.coverages;
      const isLapsed =
        request.route === 'GET /v1/frequent-health-care-services' && request.query?.patientCoverageId === inactive;
      return send(isLapsed ? { ...request, query: { ...request.query, patientCoverageId: active } } : request);
    },
    caughtBy: 'care-services.frequent.none',
    named: /whose health insurance is no longer active/,
  },
  {
    name: 'a server that finds frequent services for a patient who never booked',
    plant: (send) => (request) => {
      const isNew =
        request.route === 'GET /v1/frequent-health-care-services' && request.query?.patientId === sandbox.patients.bare;
      return send(isNew ? { ...request, route: 'GET /v1/health-care-services' } : request);
    },
    caughtBy: 'care-services.frequent.none',
    named: /a patient without bookings has no frequent services, and neither/,
  },
  {
    name: 'a server that takes a copay without cents alone',
    plant: (send) => (request) => {
      const { copay }: { readonly copay?: unknown } = Object(request.body);
      const isOdd = request.route === 'POST /v1/appointments' && typeof copay === 'number' && !Number.isInteger(copay);
      return send(isOdd ? { ...request, body: { ...Object(request.body), copay: 'none' } } : request);
    },
    caughtBy: 'document.POST /v1/appointments.answers',
    named: /answers 201/,
  },
  {
    name: 'a server that sorts carriers by name upwards alone',
    plant: (send) => (request) => {
      const { sortDirection, ...query } = request.query ?? {};
      const isByName = request.route === 'GET /v1/insurance-carriers' && query.sortProperty === undefined;
      return send(isByName ? { ...request, query } : request);
    },
    caughtBy: 'insurance.carriers.sorted',
    named: /ascending, unless asked otherwise/,
  },
];

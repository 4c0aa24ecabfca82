import type { Response, Route } from '../../../src/contract/index.ts';
import { changeAnswer, changeField, changeStatus, type HttpFault } from './http-fault.ts';

/** A route, the status that it must answer and the wrong one, and the case of the route that notices. */
const wrongStatuses: readonly (readonly [
  name: string,
  route: Route,
  right: number,
  wrong: number,
  noticedBy: string,
  body?: unknown,
])[] = [
  ['a booking that answers 200', 'POST /patients/{id}/appointments', 201, 200, 'answers'],
  ['an update that answers 204', 'PUT /patients/{id}', 200, 204, 'answers'],
  ['an error as 200', 'GET /patients/{id}', 404, 200, 'unknown'],
  ['a 404 as an empty list in Group A', 'GET /patients/{id}/appointments', 404, 200, 'unknown', { appointments: [] }],
  ['a fault of the request as 400', 'POST /patients/', 422, 400, 'misfits'],
  ['a missing field as 500', 'POST /v1/coverages', 422, 500, 'required'],
];

const statusFaults: readonly HttpFault[] = [
  ...wrongStatuses.map(([name, route, right, wrong, noticedBy, body]) => ({
    name,
    plant: changeStatus(route, right, wrong, body),
    caughtBy: `document.${route}.${noticedBy}`,
    named: new RegExp(`answers ${right}`),
  })),
  {
    name: 'a 404 as an empty page in Group B',
    plant: changeStatus('GET /v1/appointments', 404, 200, { data: [] }),
    caughtBy: 'appointments.b.unknown-patient',
    named: /are a 404/,
  },
  {
    name: 'an empty list as a 404',
    plant: changeAnswer('GET /patients/{id}/ticket/', (response) =>
      JSON.stringify(response.body) === '[]' ? { ...response, status: 404 } : response,
    ),
    caughtBy: 'tickets.list.none',
    named: /returns an empty list/,
  },
  {
    name: 'a capability that is claimed and answers 501',
    plant: (send) => async (request) =>
      request.route === 'PUT /v1/coverages/{coverageId}'
        ? { status: 501, headers: {}, body: { code: 'not_implemented' } }
        : send(request),
    caughtBy: 'document.PUT /v1/coverages/{coverageId}.answers',
    named: /if insurance\.edit is offered, accepts/,
  },
  {
    name: 'a capability that is not claimed and answers all the same',
    plant: (send) => send,
    withholds: 'practitioners.mainOf',
    caughtBy: 'document.GET /patients/{id}/practitioner.answers',
    named: /answers 501 if practitioners\.mainOf is not offered/,
  },
];

/** The problem without one of its fields. */
function omitFromProblem({ body, ...response }: Response, name: string): Response {
  const kept = Object.entries(Object(body)).filter(([key]) => key !== name);
  return { ...response, body: response.status < 400 ? body : Object.fromEntries(kept) };
}

const problemFaults: readonly HttpFault[] = [
  {
    name: 'a problem without code',
    plant: changeAnswer('GET /patients/{id}', (response) => omitFromProblem(response, 'code')),
    caughtBy: 'document.GET /patients/{id}.unknown',
    named: /problem details and their code/,
  },
  {
    name: 'a problem with another status than its response',
    plant: changeAnswer('GET /patients/{id}', (response) =>
      response.status === 404 ? { ...response, body: { ...Object(response.body), status: 400 } } : response,
    ),
    caughtBy: 'document.GET /patients/{id}.unknown',
    named: /answers 404/,
  },
  {
    name: 'a problem without status',
    plant: changeAnswer('GET /patients/{id}/practitioner', (response) => omitFromProblem(response, 'status')),
    caughtBy: 'document.GET /patients/{id}/practitioner.unknown',
    named: /problem details/,
  },
  {
    name: 'a problem of another media type',
    plant: changeAnswer('GET /patients/{id}/family_group', (response) =>
      response.status === 404
        ? { ...response, headers: { ...response.headers, 'content-type': 'text/html; charset=utf-8' } }
        : response,
    ),
    caughtBy: 'document.GET /patients/{id}/family_group.unknown',
    named: /problem details/,
  },
  {
    name: 'a body without the faults of the request',
    plant: changeAnswer('GET /patients/search', (response) => omitFromProblem(response, 'errors')),
    caughtBy: 'document.GET /patients/search.misfits',
    named: /names each parameter and field/,
  },
  {
    name: 'a conflict with a code of its own',
    plant: changeAnswer('POST /patients/{id}/appointments', (response) =>
      response.status === 409 ? { ...response, body: { ...Object(response.body), code: 'conflict' } } : response,
    ),
    caughtBy: 'appointments.book.taken',
    named: /answers slot_taken/,
  },
];

/** What a server does beside the fields of its answers. */
const behaviourFaults: readonly HttpFault[] = [
  {
    name: 'a booking without Location',
    plant: changeAnswer('POST /patients/{id}/appointments', ({ headers: { location: _, ...headers }, ...response }) => {
      return { ...response, headers };
    }),
    caughtBy: 'appointments.b.booked-in-a',
    named: /the id of its Location header/,
  },
  {
    name: 'a Location of the list',
    plant: changeAnswer('POST /patients/{id}/appointments', ({ headers, ...response }) => {
      const { location = '', ...others } = headers;
      return { ...response, headers: { ...others, location: location.replace(/\/[^/]*$/, '') } };
    }),
    caughtBy: 'appointments.b.booked-in-a',
    named: /the id of its Location header/,
  },
  {
    name: 'pages that count from 1',
    plant: (send) => (request) => {
      const { page, ...query } = request.query ?? {};
      if (page === undefined || !/^[1-9]/.test(page)) return send(request);
      return send({ ...request, query: { ...query, page: String(Number(page) - 1) } });
    },
    caughtBy: 'slots.b.pages',
    named: /count from 0/,
  },
  {
    name: 'a number of the page that counts from 1',
    plant: changeField('GET /v1/appointments', 'page', (page) => ({ page: Number(page) + 1 })),
    caughtBy: 'appointments.b.pages',
    named: /count from 0/,
  },
  {
    name: 'a page too many',
    plant: changeField('GET /v1/insurance-carriers', 'totalPages', (pages) => ({ totalPages: Number(pages) + 1 })),
    caughtBy: 'insurance.carriers.pages',
    named: /tell how many there are/,
  },
  {
    name: 'a limit beyond the largest that is cut down in silence',
    plant: (send) => (request) =>
      send(Number(request.query?.limit) > 100 ? { ...request, query: { ...request.query, limit: '100' } } : request),
    caughtBy: 'appointments.b.limits',
    named: /a limit lies between 1 and 100/,
  },
  {
    name: 'ids of a path that are compared without case',
    plant: (send) => (request) =>
      send({
        ...request,
        params: { ...request.params, ...(request.params?.id && { id: request.params.id.toLowerCase() }) },
      }),
    caughtBy: 'document.GET /patients/{id}/health_insurances.letter-case',
    named: /distinguishes ids in its path by the case of their letters/,
  },
  {
    name: 'ids of a query that are compared without case',
    plant: (send) => (request) => send({ ...request, ...(request.query && { query: toLowerCase(request.query) }) }),
    caughtBy: 'document.GET /available-appointments/search.letter-case-of-fields',
    named: /distinguishes ids in its query and body by the case of their letters/,
  },
  {
    name: 'fields that are not documented taken in silence',
    plant: (send) => (request) => {
      const { not_documented: _, ...body } = Object(request.body);
      return send(request.body === undefined || Array.isArray(request.body) ? request : { ...request, body });
    },
    caughtBy: 'document.POST /patients/.strangers',
    named: /an undocumented field/,
  },
  {
    name: 'a list that a cache keeps after a booking',
    plant: (send) => {
      const cache = new Map<string, Response>();
      return async (request) => {
        if (request.route !== 'GET /patients/{id}/appointments') return send(request);
        const key = JSON.stringify(request.params);
        const response = cache.get(key) ?? (await send(request));
        cache.set(key, response);
        return response;
      };
    },
    caughtBy: 'appointments.book.takes',
    named: /lists the appointment of the patient/,
  },
  {
    name: 'a write that a proxy sends twice',
    plant: (send) => async (request) => {
      if (request.route === 'POST /patients/{id}/ticket_type/{ticket_type_id}/ticket') await send(request);
      return send(request);
    },
    caughtBy: 'tickets.open.read-back',
    named: /creates one ticket/,
  },
  {
    name: 'an identifier as text where it is a number',
    plant: changeField('GET /patients/search', 'identifier', (identifier) => ({ identifier: String(identifier) })),
    caughtBy: 'patients.search.identifier',
    named: /returns the number as a number/,
  },
];

/** Answers with another status, problem or header than the document has, and servers that take requests otherwise. */
export const answerFaults: readonly HttpFault[] = [...statusFaults, ...problemFaults, ...behaviourFaults];

const toLowerCase = (query: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, value.toLowerCase()]));

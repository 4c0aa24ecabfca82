import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Fault, hapi } from '../../../fhir-server/quirks.ts';
import type { LoggedRequest } from '../../../fhir-server/request-log.ts';
import type { Answer } from '../../../fhir-server/response.ts';
import { LATE_MS } from '../../../fhir-server/server.ts';
import { startHospital } from '../../../hospital-in-fhir/start.ts';
import { startFhirGateway } from '../../../support/fhir-gateway.ts';
import type { RawAnswer } from '../../../support/raw-request.ts';

// What a caller is told of a write whose answer does not prove what became of it, and what is there then. The gateway
// waits 800 ms for an answer, and a late one takes 1200 ms.

const { server, id } = await startHospital();
const gateway = await startFhirGateway(server, {
  PUENTE_ADAPTER_SETTINGS_TIMEOUT: '800',
  PUENTE_ADAPTER_SETTINGS_TRANSACTIONS: 'trust',
});
const bruno = id('Patient/bruno');
const file = Buffer.from('%PDF-1.7 an order').toString('base64');
let offer: object | undefined;

beforeAll(async () => {
  [offer] = await findOffers();
});
beforeEach(() => server.reset(hapi));
afterAll(() => gateway.stop());

async function findOffers(): Promise<object[]> {
  const path = `/available-appointments/search?health_care_service_id=${id('HealthcareService/consulta-clinica')}`;
  const { appointments } = JSON.parse((await gateway.ask('GET', path)).text) as {
    appointments: Record<string, unknown>[];
  };
  return appointments.map(({ date, health_care_service_id, practitioner_id }) => ({
    date,
    health_care_service_id,
    practitioner_id,
  }));
}

interface Write {
  readonly send: () => Promise<RawAnswer>;
  /** The request to the server that carries it out. */
  readonly isSent: (request: LoggedRequest) => boolean;
  /** Whether it was done, and whole. */
  readonly isDone: () => Promise<boolean>;
}

const isTransaction = ({ method, path }: LoggedRequest): boolean => method === 'POST' && path === '';
const isCreateOf =
  (type: string) =>
  ({ method, path }: LoggedRequest): boolean =>
    method === 'POST' && path === type;

/** @throws Error when some, but not all, of it is there. */
function isWhole(...parts: readonly boolean[]): boolean {
  if (new Set(parts).size > 1) throw new Error('a part of a write is there');
  return parts.every(Boolean);
}

async function isTicketFiled(): Promise<boolean> {
  const responses = (await server.search('QuestionnaireResponse', `subject=Patient/${bruno}`)).map(({ item }) => item);
  const tasks = await server.search('Task', `patient=Patient/${bruno}`);
  const filed = isWhole(tasks.length > 0, responses.length > 0);
  const [, binary = ''] = JSON.stringify(responses).match(/"Binary\/([^"/]+)"/) ?? [];
  if (filed) expect((await server.read('Binary', binary)).data).toBe(file);
  return filed;
}

const turno = id('Appointment/turno-ana-1');

const writes: readonly (readonly [name: string, write: Write])[] = [
  [
    'booking',
    {
      send: () => gateway.ask('POST', `/patients/${bruno}/appointments`, offer),
      isSent: isTransaction,
      isDone: async () => {
        const [appointment] = await server.search('Appointment', `status=booked&patient=Patient/${bruno}`);
        const slots = (await server.search('Slot', 'status=busy')).map((slot) => `Slot/${slot.id}`);
        return appointment !== undefined && slots.includes(appointment.slot?.[0]?.reference ?? '');
      },
    },
  ],
  [
    'cancellation',
    {
      send: () => gateway.ask('PUT', `/patients/${id('Patient/ana')}/appointments/${turno}`, { status: 'canceled' }),
      isSent: isTransaction,
      isDone: async () => {
        const { status, slot = [] } = await server.read('Appointment', turno);
        const taken = await server.read('Slot', slot[0]?.reference?.split('/')[1] ?? '');
        return isWhole(status === 'cancelled', taken.status === 'free');
      },
    },
  ],
  [
    'registration',
    {
      send: () =>
        gateway.ask('POST', '/patients/', {
          birth_date: '1994/02/03',
          identifier_type: 'DNI',
          identifier: 38111222,
          gender: 'Female',
        }),
      isSent: isCreateOf('Patient'),
      isDone: async () => (await server.search('Patient', 'identifier=38111222')).length === 1,
    },
  ],
  [
    'coverage',
    {
      send: () =>
        gateway.ask('POST', '/v1/coverages', {
          credentialNumber: '60-998877-1',
          beneficiaryId: bruno,
          insurancePlanId: id('InsurancePlan/swiss-smg20'),
        }),
      isSent: isCreateOf('Coverage'),
      isDone: async () => (await server.search('Coverage', 'identifier=60-998877-1')).length === 1,
    },
  ],
  [
    'ticket',
    {
      send: () =>
        gateway.ask('POST', `/patients/${bruno}/ticket_type/${id('Questionnaire/autorizacion')}/ticket`, {
          observations: 'Urge',
          fields: [{ id: 'orden', value: file }],
        }),
      isSent: isTransaction,
      isDone: isTicketFiled,
    },
  ],
];

const fhirJson = { 'content-type': 'application/fhir+json' };
const bare =
  (status: number, code = 'processing') =>
  (): Answer => ({
    status,
    headers: fhirJson,
    body: JSON.stringify({ resourceType: 'OperationOutcome', issue: [{ severity: 'error', code }] }),
  });

const faults: Readonly<Record<string, Fault['answer']>> = {
  '500': bare(500),
  '502': () => ({ status: 502, headers: { 'content-type': 'text/html' }, body: '<html>Bad Gateway</html>' }),
  '503': () => ({ status: 503, headers: { 'retry-after': '1' }, body: '' }),
  '504': bare(504),
  '408': bare(408),
  '400 that names nothing': bare(400, 'invalid'),
  '404': bare(404),
  '200 of HTML': () => ({ status: 200, headers: { 'content-type': 'text/html' }, body: '<html>Login</html>' }),
  '200 of nothing': () => ({ status: 200, headers: fhirJson, body: '' }),
  '200 that is cut': () => ({ status: 200, headers: fhirJson, body: '{"resourceType":"Bundle","ty' }),
  reset: 'reset',
  hang: 'hang',
  'late answer': 'late',
};

const outcome = ({ status, text }: RawAnswer): string =>
  status < 300 ? 'done' : `${status} ${(JSON.parse(text) as { code?: string }).code}`;

describe.each(writes)('a %s', (name, { send, isSent, isDone }) => {
  // A coverage has no key by which it is known for ours, so it may stay unknown.
  const told = name === 'coverage' ? ['done', '504 backend_outcome_unknown'] : ['done'];

  test.each(Object.entries(faults))('that was done is never a failure though its answer is a %s', async (_, answer) => {
    server.quirks.fault = (request) => (isSent(request) ? { commits: true, answer } : undefined);
    expect(told).toContain(outcome(await send()));
    expect(await isDone()).toBe(true);
  });

  test.each(Object.entries(faults))('that was not done is unknown when its answer is a %s', async (_, answer) => {
    server.quirks.fault = (request) => (isSent(request) ? { commits: false, answer } : undefined);
    expect(outcome(await send())).toBe('504 backend_outcome_unknown');
    expect(await isDone()).toBe(false);
    if (answer !== 'late') return;
    await sleep(LATE_MS);
    expect(await isDone()).toBe(true);
  });
});

describe('a ticket', () => {
  const [, ticket] = writes.find(([name]) => name === 'ticket') ?? [];
  const named = { severity: 'error', code: 'invalid', expression: ['Bundle.entry[0].resource'] };
  const refused = JSON.stringify({ resourceType: 'OperationOutcome', issue: [named] });

  test.each([
    ['409', bare(409), '409 conflict'],
    ['429', bare(429), '503 overloaded'],
    ['403', bare(403), '502 backend_unavailable'],
    ['422 that names an element', () => ({ status: 422, headers: fhirJson, body: refused }), '422 validation'],
  ])('that is refused with %s leaves no file behind', async (_, answer, told) => {
    server.quirks.fault = (request) => (isTransaction(request) ? { commits: false, answer } : undefined);
    expect(ticket && outcome(await ticket.send())).toBe(told);
    expect(server.requests.calls).toContain('POST Binary');
    expect(await server.search('Binary')).toEqual([]);
  });
});

import { afterAll, describe, expect, test } from '@jest/globals';
import type { Container } from 'inversify';
import { problemCodes } from '../../src/api/index.ts';
import { createStartingServer } from '../../src/http/server.ts';
import { WinstonLog } from '../../src/observe/log.ts';
import { type Capability, Failure } from '../../src/ports/index.ts';
import { parts } from '../../src/runtime/parts.ts';
import { createMemoryState } from '../../src/state/open.ts';
import { StateUnavailable } from '../../src/state/state.ts';
import { startHospital } from '../hospital-in-fhir/start.ts';
import { openAuditedState } from '../support/audited-gateway.ts';
import { startFhirGateway } from '../support/fhir-gateway.ts';
import { type RunningGateway, type StartGatewayOptions, startGateway } from '../support/gateway.ts';
import { Lines } from '../support/lines.ts';
import { createProvider, inSeconds } from '../support/provider.ts';
import { type RawAnswer, send } from '../support/raw-request.ts';

type Headers = Readonly<Record<string, string>>;
type Request = readonly [method: string, path: string, body?: unknown, headers?: Headers];

const gateway = await startGateway({ environment: { PUENTE_HTTP_READ_DEADLINE: '600' } });
const { server, id } = await startHospital();
const others: RunningGateway[] = [];
afterAll(async () => {
  await gateway.stop();
  for (const other of others) await other.stop();
});

const read: Request = ['GET', '/patients/ana'];
const update: Request = ['PUT', '/patients/ana', { phone: '+54 11 5555-0000' }];
const book = (date: string, practitioner = 'paz'): Request => [
  'POST',
  '/patients/ana/appointments',
  { health_care_service_id: 'consulta-clinica', practitioner_id: practitioner, date },
];
const withKey = ([method, path, body]: Request, key: string): Request => [
  method,
  path,
  body,
  { 'Idempotency-Key': key },
];

const slots = JSON.parse(
  (
    await gateway.ask(
      'GET',
      '/available-appointments/search?health_care_service_id=consulta-clinica&practitioner_id=paz',
    )
  ).text,
) as { appointments: { date: string }[] };
const [slot = '', second = ''] = slots.appointments.toReversed().map(({ date }) => date);

/** Another gateway, which lasts as long as this file. */
async function start(options: StartGatewayOptions): Promise<RunningGateway> {
  const other = await startGateway(options);
  others.push(other);
  return other;
}

const fix = { 'X-Request-Id': 'the-same' };
const ask = (of: RunningGateway, [method, path, body, headers]: Request) =>
  of.ask(method, path, body, { ...fix, ...headers });

/** What it means for the real cause. */
interface Case {
  /** What has the scenario. */
  readonly request: Request;
  /** The answer to the same without a scenario, where that is so. */
  readonly cause: () => Promise<RawAnswer>;
}

/** The request itself, over a system that makes it fail. */
const over = (request: Request, options: StartGatewayOptions, times = 1): Case => ({
  request,
  cause: async () => {
    const other = await start(options);
    for (let i = 1; i < times; i++) await ask(other, request);
    return ask(other, request);
  },
});

/** Over a FHIR server with this fault, or none there. */
const overFhir = (
  request: Request,
  fault: (typeof server.quirks)['fault'] | undefined,
  environment: Headers = {},
  times = 1,
): Case => ({
  request,
  cause: async () => {
    const { url, fileOrigin } = server;
    const other = await startFhirGateway({ url: fault ? url : 'http://127.0.0.1:9/fhir', fileOrigin }, environment);
    others.push(other);
    const [method, path, ...rest] = request;
    const there: Request = [method, path.replace('ana', id('Patient/ana')), ...rest];
    server.quirks.fault = (asked) => (asked.path.startsWith('Patient/') ? fault?.(asked) : undefined);
    for (let i = 1; i < times; i++) await ask(other, there);
    const answer = await ask(other, there);
    server.quirks.fault = () => undefined;
    return answer;
  },
});

/** The request, changed so that it is at fault. */
const changed = (request: Request, ...other: Request): Case => ({ request, cause: () => ask(gateway, other) });

const replaceBook =
  (appointments: () => Promise<unknown>): NonNullable<StartGatewayOptions['replacePort']> =>
  (name, port) =>
    name === 'appointments' ? { ...(port as object), book: appointments } : port;

const failing = (port: string, method: string, error: () => Error): StartGatewayOptions => ({
  replacePort: (name, made) =>
    name === port
      ? {
          ...(made as object),
          [method]: async () => {
            throw error();
          },
        }
      : made,
});

const provider = await createProvider();
const jwt = await provider.sign(
  { typ: 'at+jwt' },
  {
    iss: 'https://id.test',
    aud: 'puente',
    sub: 'x',
    client_id: 'x',
    jti: '1',
    scope: 'patients:read',
    iat: inSeconds(0),
    exp: inSeconds(600),
  },
);

const cases: Readonly<Record<string, Case>> = {
  malformed_request: changed(withKey(read, 'k'), 'GET', '/patients/ana', undefined, { 'Idempotency-Key': '"' }),
  idempotency_key_required: over(update, { environment: { PUENTE_IDEMPOTENCY_REQUIRED: '[updatePatient]' } }),
  unauthenticated: { request: read, cause: () => send(gateway.url, 'GET', '/patients/ana', fix) },
  insufficient_scope: {
    request: read,
    cause: async () => {
      const entry = {
        client: 'trial',
        sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        scopes: ['ops:read'],
      };
      const other = await start({ environment: { PUENTE_AUTH_TOKENS: JSON.stringify([entry]) } });
      return ask(other, ['GET', '/patients/ana', undefined, { authorization: 'Bearer test' }]);
    },
  },
  auth_provider_unavailable: {
    request: read,
    cause: async () => {
      const other = await start({
        environment: {
          PUENTE_AUTH_JWT_ISSUER: 'https://id.test',
          PUENTE_AUTH_JWT_AUDIENCE: 'puente',
          PUENTE_AUTH_JWT_JWKS_URI: 'https://127.0.0.1:9/keys',
        },
      });
      return ask(other, ['GET', '/patients/ana', undefined, { authorization: `Bearer ${jwt}` }]);
    },
  },
  forbidden: overFhir(read, () => ({ commits: false, answer: () => ({ status: 403, headers: {}, body: 'no' }) })),
  not_found: changed(read, 'GET', '/patients/nobody'),
  not_implemented: over(read, {
    rebind: (made) =>
      void made.onActivation(parts.offered, (_, offered) => ({ ...offered, supports: new Set<Capability>() })),
  }),
  not_acceptable: changed(read, 'GET', '/patients/ana', undefined, { Accept: 'text/html' }),
  rate_limited: {
    request: read,
    cause: async () => {
      const environment = { PUENTE_LIMITS_CLIENTS_READ_REQUESTS: '1' };
      const answer = await over(read, { environment }, 2).cause();
      return JSON.parse(JSON.stringify(answer).replaceAll('q=1;', 'q=5000;'));
    },
  },
  headers_too_large: changed(read, 'GET', '/patients/ana', undefined, { 'X-Long': 'x'.repeat(20_000) }),
  starting: {
    request: read,
    cause: async () => {
      const starting = createStartingServer(
        '',
        () => [],
        new WinstonLog({ level: 'info', format: 'json', stream: new Lines() }),
      );
      await new Promise<void>((resolve) => starting.listen(0, '127.0.0.1', resolve));
      const { port } = starting.address() as { port: number };
      const answer = await send(`http://127.0.0.1:${port}`, 'GET', '/patients/ana');
      await new Promise((resolve) => starting.close(resolve));
      return answer;
    },
  },
  request_timeout: {
    request: update,
    // Its headers announce a body that does not come.
    cause: () =>
      send(gateway.url, 'PUT', '/patients/ana', {
        ...fix,
        authorization: `Bearer ${gateway.token}`,
        'content-type': 'application/json',
        'content-length': '10',
      }),
  },
  payload_too_large: changed(update, 'PUT', '/patients/ana', { phone: 'x'.repeat(70_000) }),
  unsupported_media_type: changed(update, 'PUT', '/patients/ana', {}, { 'content-type': 'text/plain' }),
  validation: changed(book(slot), 'POST', '/patients/ana/appointments', {}),
  audit_unavailable: {
    request: update,
    cause: async () => {
      const state = await openAuditedState();
      const append = async () => {
        throw new StateUnavailable('down', 'ECONNREFUSED');
      };
      const records = state.audit!;
      const audit = new Proxy(records, {
        get: (_, name) => (name === 'append' ? append : Reflect.get(records, name).bind(records)),
      });
      return over(update, { state: { ...state, audit } }, 2).cause();
    },
  },
  backend_circuit_open: overFhir(read, undefined, { PUENTE_GUARD_CIRCUIT_MINIMUM: '1' }, 2),
  idempotency_store_unavailable: over(withKey(update, 'store'), {
    state: {
      ...createMemoryState(),
      idempotency: {
        claim: async () => {
          throw new StateUnavailable('down', 'ECONNREFUSED');
        },
        reclaim: async () => false,
        settle: async () => false,
        prune: async () => 0,
      },
    },
  }),
  idempotency_key_in_use: {
    request: withKey(book(second), 'in-use'),
    cause: async () => {
      const never = Promise.withResolvers<{ id: string }>();
      const other = await start({ replacePort: replaceBook(() => never.promise) });
      const first = ask(other, withKey(book(second), 'in-use'));
      await new Promise((resolve) => setTimeout(resolve, 100));
      const answer = await ask(other, withKey(book(second), 'in-use'));
      never.resolve({ id: '1' });
      await first;
      return answer;
    },
  },
  idempotency_key_reused: {
    request: withKey(update, 'reused'),
    cause: async () => {
      await ask(gateway, withKey(['PUT', '/patients/ana', { phone: '1' }], 'reused-really'));
      return ask(gateway, withKey(update, 'reused-really'));
    },
  },
  outcome_unresolved: over(
    withKey(book(slot), 'unresolved'),
    {
      ...failing('appointments', 'book', () => new Failure('outcome_unknown', 'lost')),
      rebind: (made: Container) =>
        void made.onActivation(parts.offered, (_, offered) => ({ ...offered, retryableWrites: new Set<Capability>() })),
    },
    2,
  ),
  no_main_practitioner: changed(['GET', '/patients/ana/practitioner'], 'GET', '/patients/no-practitioner/practitioner'),
  no_change_request: changed(
    ['GET', '/patients/ana/practitioner/change_request'],
    'GET',
    '/patients/no-practitioner/practitioner/change_request',
  ),
  conflict: overFhir(update, ({ method }) =>
    method === 'PUT' ? { commits: false, answer: () => ({ status: 412, headers: {}, body: '' }) } : undefined,
  ),
  slot_taken: {
    request: book(slot),
    cause: () => ask(gateway, book(slot)),
  },
  not_cancelable: changed(
    ['PUT', '/patients/ana/appointments/turno-ana-1', { status: 'canceled' }],
    'PUT',
    '/patients/ana/appointments/turno-ana-2',
    { status: 'canceled' },
  ),
  precondition_failed: changed(
    update,
    'PUT',
    '/patients/ana',
    { phone: '+54 11 5555-0001' },
    { 'If-Match': '"other"' },
  ),
  identity_conflict: changed(
    ['PUT', '/patients/ana', { identifier: 31465466, identifier_type: 'DNI' }],
    'PUT',
    '/patients/ana',
    { identifier: 90000009, identifier_type: 'DNI' },
  ),
  change_request_open: changed(
    ['POST', '/patients/ana/practitioner/change_request', { reason_id: 'horario' }],
    'POST',
    '/patients/change-in-progress/practitioner/change_request',
    { reason_id: 'horario' },
  ),
  relation_exists: changed(
    ['POST', '/patients/ana/family_group', relative('elena')],
    'POST',
    '/patients/ana/family_group',
    relative('bruno'),
  ),
  coverage_exists: changed(['POST', '/v1/coverages', coverage('99')], 'POST', '/v1/coverages', coverage('61248830501')),
  slot_unknown: changed(book(slot), ...book(`${slot.slice(0, 10)}T03:03:00`)),
  nonexistent_local_time: {
    request: book(slot),
    cause: async () => {
      const other = await start({ environment: { PUENTE_INSTITUTION_TIME_ZONE: 'Europe/Madrid' } });
      return ask(other, book('2027-03-28T02:30:00'));
    },
  },
  search_too_wide: {
    request: ['GET', '/patients/search?birth_date=1999/01/02&gender=Female'],
    cause: async () => {
      for (let i = 0; i <= 50; i++) {
        const body = { birth_date: '1999/01/01', gender: 'Female', identifier_type: 'DNI', identifier: 5_000_000 + i };
        await ask(gateway, ['POST', '/patients/', { ...body, email: 'a@example.org', phone: '1' }]);
      }
      return ask(gateway, ['GET', '/patients/search?birth_date=1999/01/01&gender=Female']);
    },
  },
  internal_error: over(
    read,
    failing('patients', 'get', () => new TypeError('a bug')),
  ),
  backend_unavailable: overFhir(read, undefined),
  backend_invalid_response: overFhir(read, () => ({
    commits: false,
    answer: () => ({ status: 200, headers: {}, body: 'no' }),
  })),
  overloaded: overFhir(read, () => ({
    commits: false,
    answer: () => ({ status: 429, headers: { 'retry-after': '1' }, body: '' }),
  })),
  backend_timeout: overFhir(read, () => ({ commits: false, answer: 'hang' }), { PUENTE_HTTP_READ_DEADLINE: '600' }),
  backend_outcome_unknown: overFhir(['PUT', '/patients/ana', { phone: '+54 11 5555-1234' }], ({ method }) =>
    method === 'PUT'
      ? { commits: false, answer: () => ({ status: 302, headers: { location: 'http://127.0.0.1:9/' }, body: '' }) }
      : undefined,
  ),
};

function relative(patient: string) {
  return { related_patient_id: patient, relationship_code: 3, relationship_description: 'x', active: true };
}

function coverage(number: string) {
  return { beneficiaryId: 'ana', insurancePlanId: 'osde-210', credentialNumber: number };
}

/** No operation ends in these, and nothing in the gateway causes the last one. */
const never: readonly string[] = ['route_unknown', 'method_not_allowed', 'draining'];

/** What Node and the connection say, and the request id where there was no request to have one. */
function toComparable({ status, headers, text }: RawAnswer) {
  const { date: _, 'keep-alive': __, 'x-request-id': ___, 'content-length': ____, ...said } = headers;
  const { instance: _____, ...problem } = JSON.parse(text) as { instance: string; code: string };
  return { status, headers: said, problem };
}

describe('the scenario of a problem', () => {
  test('is there for every problem that an operation can end in', () => {
    expect([...Object.keys(cases), ...never].toSorted()).toEqual([...problemCodes].toSorted());
  });

  test.each(Object.entries(cases))('%s has the answer of the real cause', async (code, { request, cause }) => {
    const [method, path, body, headers] = request;
    const ordered = await ask(gateway, [method, path, body, { ...headers, 'Puente-Scenario': code }]);
    const real = toComparable(await cause());
    expect(real.problem.code).toBe(code);
    expect(toComparable(ordered)).toEqual(real);
  });

  test('draining closes the connection', async () => {
    const answer = await ask(gateway, ['GET', '/patients/ana', undefined, { 'Puente-Scenario': 'draining' }]);
    expect(toComparable(answer)).toMatchObject({
      status: 503,
      headers: { connection: 'close', 'retry-after': '1' },
      problem: { code: 'draining' },
    });
  });
});

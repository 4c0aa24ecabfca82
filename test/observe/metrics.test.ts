import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { Failure, type Patient } from '../../src/ports/index.ts';
import { hashToken } from '../../src/runtime/authentication.ts';
import { telemetry, trace } from '../../src/toolkit/telemetry.ts';
import { startHospital } from '../hospital-in-fhir/start.ts';
import { startFhirGateway } from '../support/fhir-gateway.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';

const { server, id } = await startHospital();

let gateway: RunningGateway;
afterEach(() => gateway.stop());

/** The series whose names and labels match, with their values. */
async function read(pattern: RegExp): Promise<string[]> {
  const { text } = await gateway.ask('GET', '/metrics');
  return text.split('\n').filter((line) => pattern.test(line));
}

/** Waits for a series: a request is counted when its connection has taken the response. */
async function waitFor(series: string): Promise<void> {
  for (const end = Date.now() + 20_000; Date.now() < end; ) if ((await read(/^puente_/)).includes(series)) return;
  expect(await read(/^puente_/)).toContain(series);
}

describe('/metrics', () => {
  test('counts a request under its operation and the class of its status, and a problem under its code', async () => {
    gateway = await startGateway();
    await gateway.ask('GET', '/patients/ana');
    await gateway.ask('GET', '/patients/nobody');
    await gateway.ask('GET', '/patients/ana', undefined, { authorization: 'Bearer nobody' });
    await gateway.ask('GET', '/nowhere/ana');
    await gateway.ask('GET', '/livez');
    await waitFor('puente_http_request_duration_seconds_count{operation="getPatient",status="2xx"} 1');
    await waitFor('puente_http_request_duration_seconds_count{operation="getPatient",status="4xx"} 2');
    await waitFor('puente_http_request_duration_seconds_count{operation="*",status="4xx"} 1');
    await waitFor('puente_http_request_duration_seconds_count{operation="GET /livez",status="2xx"} 1');
    expect(await read(/^puente_http_problems_total/)).toEqual([
      'puente_http_problems_total{operation="getPatient",adapter="memory",code="not_found"} 1',
      'puente_http_problems_total{operation="getPatient",adapter="memory",code="unauthenticated"} 1',
      'puente_http_problems_total{operation="*",adapter="",code="route_unknown"} 1',
    ]);
    expect(await read(/^puente_http_requests_in_flight/)).toEqual(['puente_http_requests_in_flight 1']);
  });

  test('has the buckets of durations that its reference names', async () => {
    gateway = await startGateway();
    await gateway.ask('GET', '/livez');
    await waitFor('puente_http_request_duration_seconds_count{operation="GET /livez",status="2xx"} 1');
    const reference = readFileSync(join(import.meta.dirname, '../../docs/reference/metrics.md'), 'utf8');
    const named = reference.match(/^- Durations are in seconds, with buckets up to ([\d., ]+ and \d+)\.$/m)![1]!;
    const series = await read(/^puente_http_request_duration_seconds_bucket\{.*operation="GET \/livez"/);
    expect(series.map((line) => line.match(/le="([^"]+)"/)?.[1])).toEqual([...named.split(/, | and /), '+Inf']);
  });

  test('counts tokens that are refused or missing also beyond the limit of their address', async () => {
    gateway = await startGateway();
    for (let i = 0; i < 13; i++)
      await gateway.ask('GET', '/patients/ana', undefined, { authorization: 'Bearer nobody' });
    await waitFor('puente_refusals_total{reason="unknown_token"} 13');
  });

  test('counts responses that were repeated, and records that were left out', async () => {
    gateway = await startGateway({
      replacePort: (name, port) =>
        name !== 'practitioners'
          ? port
          : {
              list: async (call: { omit(record: object): void }) => {
                for (const element of ['name', 'id']) call.omit({ resourceType: 'Practitioner', element });
                return [];
              },
            },
    });
    const write = () =>
      gateway.ask('PUT', '/patients/ana', { phone: '+54 11 5555-0000' }, { 'idempotency-key': 'a-key' });
    expect([(await write()).status, (await write()).status]).toEqual([200, 200]);
    await gateway.ask('GET', '/practitioner');
    await waitFor('puente_idempotency_replays_total{operation="updatePatient"} 1');
    await waitFor('puente_omitted_records_total{operation="listPractitioners",adapter="memory"} 2');
  });

  test('shows the calls that run and wait, and how long they waited', async () => {
    const waiting: (() => void)[] = [];
    const get = () =>
      new Promise<Patient>((_, reject) => void waiting.push(() => reject(new Failure('not_found', ''))));
    gateway = await startGateway({
      environment: { PUENTE_GUARD_OPERATIONS: '{getPatient: {running: 1, queued: 1}}' },
      replacePort: (name, port) => (name === 'patients' ? { get } : port),
    });
    const first = gateway.ask('GET', '/patients/ana');
    const second = gateway.ask('GET', '/patients/ana');
    const labels = 'adapter="memory",port="patients",class="read",operation="getPatient"';
    await waitFor(`puente_guard_running_calls{${labels}} 1`);
    await waitFor(`puente_guard_queued_calls{${labels}} 1`);
    expect((await gateway.ask('GET', '/patients/ana')).status).toBe(503);
    for (const answer of [first, second]) {
      while (waiting.length === 0) await new Promise(setImmediate);
      waiting.pop()?.();
      expect((await answer).status).toBe(404);
    }
    await waitFor(`puente_guard_running_calls{${labels}} 0`);
    await waitFor('puente_guard_wait_duration_seconds_count{adapter="memory",port="patients",class="read"} 1');
    await waitFor('puente_http_problems_total{operation="getPatient",adapter="memory",code="overloaded"} 1');
  });

  test('shows open circuits as such and as an impairment of nothing else', async () => {
    gateway = await startGateway({
      environment: { PUENTE_GUARD_CIRCUIT_MINIMUM: '1' },
      replacePort: (name, port) =>
        name === 'patients' ? { get: () => Promise.reject(new Failure('unavailable', 'away')) } : port,
    });
    for (const _ of [1, 2, 3]) await gateway.ask('GET', '/patients/ana');
    await waitFor('puente_guard_open_circuits{adapter="memory",port="patients",class="read"} 1');
    expect(await read(/^puente_impairments\{/)).toEqual([]);
  });

  test('counts what is asked of other systems under the adapter that asks', async () => {
    gateway = await startFhirGateway(server);
    expect((await gateway.ask('GET', `/patients/${id('Patient/ana')}`)).status).toBe(200);
    const [series = ''] = await read(/^puente_backend_call_duration_seconds_count/);
    expect(series).toMatch(/\{adapter="fhir",system="http",outcome="2xx"\} [1-9]\d*$/);
    server.quirks.fault = () => ({ commits: false, answer: () => ({ status: 500, headers: {}, body: '' }) });
    await gateway.ask('GET', `/patients/${id('Patient/ana')}`);
    expect(await read(/outcome="5xx"\} [1-9]/)).not.toEqual([]);
  });

  test('counts statements, and the connections of their pool', async () => {
    gateway = await startGateway();
    const pool = { totalCount: 8, idleCount: 2, waitingCount: 5 };
    const describe = () => ({ system: 'postgresql', sql: 'SELECT 1', pool });
    await trace(telemetry.statement, describe, async () => undefined);
    await trace(telemetry.statement, describe, () => Promise.reject(new Error())).catch(() => undefined);
    expect(await read(/^puente_(database|backend_call_duration_seconds_count)/)).toEqual([
      'puente_backend_call_duration_seconds_count{adapter="gateway",system="postgresql",outcome="ok"} 1',
      'puente_backend_call_duration_seconds_count{adapter="gateway",system="postgresql",outcome="failed"} 1',
      'puente_database_connections_used{adapter="gateway"} 6',
      'puente_database_connections_idle{adapter="gateway"} 2',
      'puente_database_waiting{adapter="gateway"} 5',
    ]);
  });

  test('is for who may see it', async () => {
    const environment = {
      PUENTE_AUTH_TOKENS: JSON.stringify([
        { client: 'prometheus', sha256: hashToken('scraper'), scopes: ['ops:read'] },
        { client: 'app', sha256: hashToken('app'), scopes: ['patients:read'] },
      ]),
    };
    gateway = await startGateway({ environment });
    const ask = async (token: string) =>
      (await gateway.ask('GET', '/metrics', undefined, { authorization: `Bearer ${token}` })).status;
    expect([await ask('scraper'), await ask('app'), await ask('nobody')]).toEqual([200, 403, 401]);
  });

  test.each([
    ['with a listener of its own', { PUENTE_OPS_PORT: '0' }],
    ['when it is off', { PUENTE_OPS_METRICS: 'false' }],
  ])('is no path of the callers %s', async (_, environment) => {
    gateway = await startGateway({ environment });
    expect((await gateway.ask('GET', '/metrics')).status).toBe(404);
  });
});

test('nobody listens to the channels without metrics, or once the gateway has stopped', async () => {
  const count = () => Object.values(telemetry).filter(({ hasSubscribers }) => hasSubscribers).length;
  const before = await startGateway();
  expect(count()).toBe(4);
  await before.stop();
  expect(count()).toBe(0);
  gateway = await startGateway({ environment: { PUENTE_OPS_METRICS: 'false' } });
  expect(count()).toBe(0);
});

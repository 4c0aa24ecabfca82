import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { Fault } from '../fhir-server/quirks.ts';
import { startHospital } from '../hospital-in-fhir/start.ts';
import { takeClocks } from '../support/clock.ts';
import { startFhirGateway } from '../support/fhir-gateway.ts';
import type { RunningGateway } from '../support/gateway.ts';

const { server, id } = await startHospital();
let gateway: RunningGateway;
let moveClocks: (milliseconds: number) => void;

beforeEach(() => {
  server.reset();
  moveClocks = takeClocks();
});
afterEach(async () => {
  jest.restoreAllMocks();
  await gateway.stop();
});

const ana = `/patients/${id('Patient/ana')}`;
const isAna = ({ path }: { path: string }) => path === `Patient/${id('Patient/ana')}`;
const countRequests = () => server.requests.all.filter(isAna).length;
const hang: Fault = { commits: false, answer: 'hang' };
const answer = (status: number, headers: Record<string, string> = {}): Fault => ({
  commits: false,
  answer: () => ({ status, headers, body: 'no' }),
});

/** `503 overloaded 5`: the status, the code of a problem and the seconds of its `Retry-After`. */
async function get(path = ana): Promise<string> {
  const { status, headers, text } = await gateway.ask('GET', path);
  const { code = '' } = JSON.parse(text) as { code?: string };
  return [status, code, headers['retry-after']].filter(Boolean).join(' ');
}
const getTimes = (count: number) => Promise.all(Array.from({ length: count }, () => get()));
const all = (count: number, what: string) => Array.from({ length: count }, () => what);

describe('over a FHIR server', () => {
  test('F01 that is down, reads are 502, and 503 without asking after 20 of them', async () => {
    gateway = await startFhirGateway({ url: 'http://127.0.0.1:9/fhir', fileOrigin: server.fileOrigin });
    expect(await getTimes(20)).toEqual(all(20, '502 backend_unavailable'));
    expect(await getTimes(20)).toEqual(all(20, '503 backend_circuit_open 5'));
  });

  test('F15 that forbids one patient, each read is 403, and no circuit opens for others', async () => {
    gateway = await startFhirGateway(server);
    server.quirks.fault = (request) => (isAna(request) ? answer(403) : undefined);
    expect(await getTimes(30)).toEqual(all(30, '403 forbidden'));
    expect(await get(`/patients/${id('Patient/bruno')}`)).toBe('200');
  });

  test('F02 that never answers, reads are 504, 503 at once after 20 of them, and 200 when it answers again', async () => {
    gateway = await startFhirGateway(server, { PUENTE_HTTP_READ_DEADLINE: '400' });
    server.quirks.fault = (request) => (isAna(request) ? hang : undefined);
    expect(await getTimes(20)).toEqual(all(20, '504 backend_timeout'));
    expect(await getTimes(20)).toEqual(all(20, '503 backend_circuit_open 5'));
    server.quirks.fault = () => undefined;
    moveClocks(5_000);
    expect(await get()).toBe('200');
  });

  test('F02 that never answers once, the next try answers in the time that is left', async () => {
    gateway = await startFhirGateway(server, { PUENTE_HTTP_READ_DEADLINE: '400' });
    server.quirks.fault = (request) => (isAna(request) && countRequests() === 1 ? hang : undefined);
    expect(await get()).toBe('200');
    expect(countRequests()).toBe(2);
  });

  test('F17 that fails and recovers, reads are 502, then 503, then one asks, then all', async () => {
    gateway = await startFhirGateway(server);
    server.quirks.fault = (request) => (isAna(request) ? answer(500) : undefined);
    expect(await getTimes(20)).toEqual(all(20, '502 backend_unavailable'));
    expect(await get()).toBe('503 backend_circuit_open 5');
    server.quirks.fault = () => undefined;
    server.quirks.delay = 100;
    server.requests.reset();
    moveClocks(5_000);
    expect((await getTimes(5)).toSorted()).toEqual(['200', ...all(4, '503 backend_circuit_open 1')]);
    expect(countRequests()).toBe(1);
    server.quirks.delay = 0;
    expect(await getTimes(5)).toEqual(all(5, '200'));
  });

  test('that answers 503, retries add no more than ten requests and a tenth', async () => {
    gateway = await startFhirGateway(server, { PUENTE_GUARD_CIRCUIT_MINIMUM: '1000' });
    server.quirks.fault = (request) => (isAna(request) ? answer(503) : undefined);
    for (let i = 0; i < 2; i++) await getTimes(50);
    expect(countRequests()).toBeLessThanOrEqual(100 + 10 + 10);
    expect(countRequests()).toBeGreaterThanOrEqual(100 + 10 + 5);
  });

  test('a caller who asks again and again for days of the year 0 shuts nobody out', async () => {
    gateway = await startFhirGateway(server);
    const answers = new Set<string>();
    for (let i = 0; i < 20; i++) {
      answers.add(await get('/patients/search?birth_date=0000/02/29&gender=Female'));
      answers.add(await get(`${ana}/ticket/?start_date=0000-01-01`));
    }
    expect(await get('/patients/search?identifier=31465466&identifier_type=DNI')).toBe('200');
    expect([...answers]).toEqual(['422 validation']);
  });

  test('of which one read hangs, 500 callers of it take 32 connections, and nobody else notices', async () => {
    gateway = await startFhirGateway(server, {
      PUENTE_LIMITS_CLIENTS_READ_CONCURRENT: '1000',
      PUENTE_HTTP_MAX_CONNECTIONS_PER_ADDRESS: '1000',
    });
    const hanging = new AbortController();
    server.quirks.fault = (request) => (isAna(request) ? hang : undefined);
    const answers: number[] = [];
    const headers = { Authorization: `Bearer ${gateway.token}` };
    const callers = Array.from({ length: 500 }, async () => {
      const response = await fetch(`${gateway.url}${ana}`, { headers, signal: hanging.signal });
      answers.push(response.status);
    });
    const gone = Promise.allSettled(callers);
    for (let i = 0; i < 300 && answers.length < 404; i++) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(answers).toEqual(Array(404).fill(503));
    expect(countRequests()).toBe(32);
    const others = await Promise.all([
      get('/practitioner/'),
      get(`/patients/${id('Patient/bruno')}/ticket/`),
      get(`/patients/search?identifier=31465466&identifier_type=DNI`),
      get(`/available-appointments/search?health_care_service_id=${id('HealthcareService/consulta-clinica')}`),
    ]);
    hanging.abort();
    await gone;
    expect(others.map((status) => status.slice(0, 3))).toEqual(all(4, '200'));
  });
});

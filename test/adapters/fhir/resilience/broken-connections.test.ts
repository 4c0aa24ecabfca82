import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startWatchedGateway } from '../../../fault-server/gateway.ts';
import { FaultServer } from '../../../fault-server/server.ts';
import type { Toxic } from '../../../fault-server/toxics.ts';
import type { LoggedRequest } from '../../../fhir-server/request-log.ts';
import type { Answer } from '../../../fhir-server/response.ts';
import { startHospital } from '../../../hospital-in-fhir/start.ts';
import { ownIds } from '../../../hospital-in-fhir/terms.ts';
import { listOffers } from '../../../support/fhir-offers.ts';
import { wait } from '../../../support/guarded-gateway.ts';
import { serve } from '../../../support/listen.ts';

const { server, id } = await startHospital();
const between = await FaultServer.start(server.url);
const open = { PUENTE_GUARD_CIRCUIT_MINIMUM: '1000' };
const gateway = await startWatchedGateway(server, between.url, open);
/** One whose deadlines come soon. */
const hurried = await startWatchedGateway(server, between.url, {
  ...open,
  PUENTE_HTTP_READ_DEADLINE: '500',
  PUENTE_HTTP_WRITE_DEADLINE: '1500',
});

afterAll(async () => {
  await gateway.stop();
  await hurried.stop();
  await between.stop();
});

beforeEach(() => {
  server.reset();
  between.set();
  between.answer = undefined;
});

const patient = () => `/patients/${id('Patient/bruno')}`;
const read = (from = gateway) => from.askForCode('GET', patient());
const update = (from = gateway) => from.askForCode('PUT', patient(), { phone: '+54 11 5555-0000' });

const isUpdate = ({ method }: LoggedRequest): boolean => method === 'PUT';
const isBooking = ({ method, path, body }: LoggedRequest): boolean =>
  method === 'POST' && path === '' && body.includes('"Appointment"');

/** Lets something happen when the server gets such a request, before it does what is asked. */
function watch(is: (request: LoggedRequest) => boolean, act: (matches: boolean) => void): void {
  server.quirks.loseRequest = (request) => {
    act(is(request));
    return false;
  };
}

const countBookings = async (): Promise<number> =>
  (await server.search('Appointment', 'status=booked')).filter(({ identifier }) =>
    identifier?.some(({ system }) => system === ownIds('booking')),
  ).length;

describe('a FHIR server', () => {
  test('F01 that is down is 502 for reads and writes, and no matter when it is back', async () => {
    await between.down();
    expect([await read(), await update()]).toEqual(['502 backend_unavailable', '502 backend_unavailable']);
    await between.up();
    expect([await read(), await update()]).toEqual(['200', '200']);
  });

  test.each<[string, Toxic]>([
    ['F02 that never answers', { type: 'timeout', timeout: 0 }],
    ['F03 that stops after the headers', { type: 'timeout', timeout: 0, after: 150 }],
    ['F04 that drips', { type: 'slicer', average_size: 1, delay: 20 }],
  ])('%s is 504 at the deadline of a read, and its connection is closed', async (_, toxic) => {
    expect(await read(hurried)).toBe('200');
    const idle = between.open;
    const asked = server.requests.calls.length;
    between.set(toxic);
    expect(await read(hurried)).toBe('504 backend_timeout');
    await wait(() => between.open === idle - 1);
    expect(between.open).toBe(idle - 1);
    expect(server.requests.calls.length - asked).toBeLessThanOrEqual(3);
  });

  test('F02 that never answers a write is 504 of unknown outcome at its deadline', async () => {
    watch(isUpdate, (now) => now && between.set({ type: 'timeout', timeout: 0 }));
    expect(await update(hurried)).toBe('504 backend_outcome_unknown');
  });

  test('F05 that resets in the midst of a read is asked three times, and then 502', async () => {
    between.set({ type: 'reset_peer', timeout: 0, after: 150 });
    expect(await read()).toMatch(/^502 /);
    expect(server.requests.calls).toHaveLength(3);
  });

  test.each<[string, Toxic]>([
    ['resets', { type: 'reset_peer', timeout: 0 }],
    ['hangs up', { type: 'limit_data', bytes: 0 }],
    ['cuts the answer', { type: 'limit_data', bytes: 100 }],
  ])('F06 that %s after a booking is looked at, which finds the booking', async (_, toxic) => {
    const [offer] = await listOffers(gateway, id);
    watch(isBooking, (now) => between.set(...(now ? [toxic] : [])));
    expect(await gateway.askForCode('POST', `${patient()}/appointments`, offer)).toBe('201');
    expect(await countBookings()).toBe(1);
  });

  test('F06 that is gone after a booking is 504, and the same key is 201 when it is back, and one appointment', async () => {
    const [offer] = await listOffers(gateway, id);
    const key = { 'idempotency-key': 'F06' };
    watch(isBooking, (now) => now && between.set({ type: 'reset_peer', timeout: 0 }));
    const book = () => gateway.askForCode('POST', `${patient()}/appointments`, offer, key);
    expect(await book()).toBe('504 backend_outcome_unknown');
    between.set();
    expect(await book()).toBe('201');
    expect(await countBookings()).toBe(1);
  });

  test('F07 that closes before the length that it named is 502', async () => {
    between.set({ type: 'limit_data', bytes: 400 });
    expect(await read()).toBe('502 backend_invalid_response');
  });

  const fhir = 'Content-Type: application/fhir+json\r\n';
  test.each([
    [
      'F07 whose chunks are cut',
      `HTTP/1.1 200 OK\r\n${fhir}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n1f4\r\n{"resourceType":"Patient"`,
    ],
    ['F07 whose chunks have no size', `HTTP/1.1 200 OK\r\n${fhir}Transfer-Encoding: chunked\r\n\r\nsize\r\n{}`],
    [
      'F09 that answers a page',
      'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 20\r\n\r\n<html>Exception</html',
    ],
    [
      'F22 whose encoding nobody knows',
      `HTTP/1.1 200 OK\r\n${fhir}Content-Encoding: magic\r\nContent-Length: 4\r\n\r\n\x01\x02\x03\x04`,
    ],
  ])('%s is 502', async (_, answer) => {
    between.answer = answer;
    expect(await read()).toBe('502 backend_invalid_response');
  });

  test('F27 that closed a connection which nobody used is asked on another one', async () => {
    await read();
    const { opened, open } = between;
    between.set({ type: 'reset_peer', timeout: 0, stream: 'upstream', on: 'open connections' });
    expect(await read()).toBe('200');
    expect(open).toBeGreaterThan(0);
    expect(between.opened).toBeGreaterThan(opened);
  });

  test('F28 that answers twice does not answer the next request', async () => {
    const resource = (name: string) =>
      JSON.stringify({
        resourceType: 'Patient',
        id: id(`Patient/${name}`),
        meta: { versionId: '1' },
        birthDate: '1990-01-01',
        gender: 'female',
        name: [{ family: name, given: [name] }],
      });
    const response = (name: string) =>
      `HTTP/1.1 200 OK\r\n${fhir}Content-Length: ${resource(name).length}\r\n\r\n${resource(name)}`;
    between.answer = response('bruno') + response('ana');
    await gateway.ask('GET', patient());
    between.answer = undefined;
    const next = await gateway.ask('GET', `/patients/${id('Patient/ana')}`);
    expect(JSON.parse(next.text)).not.toMatchObject({ name: 'ana' });
    expect(next.status).toBe(200);
  });
});

let visits = 0;
const elsewhere = await serve((_request, response) => {
  visits++;
  response.end();
});

describe('a FHIR server that redirects', () => {
  test.each([301, 302, 303, 307, 308])(
    'F25 with %i is 502 for a read, of unknown outcome for a write, and not followed',
    async (status) => {
      const redirect = (): Answer => ({ status, headers: { location: `${elsewhere}/fhir/Patient/x` }, body: '' });
      server.quirks.fault = () => ({ commits: false, answer: redirect });
      expect(await read()).toBe('502 backend_invalid_response');
      server.quirks.fault = (request) => (isUpdate(request) ? { commits: false, answer: redirect } : undefined);
      expect(await update()).toBe('504 backend_outcome_unknown');
      expect(visits).toBe(0);
    },
  );
});

describe('a caller who disconnects', () => {
  const ask = (method: string, path: string, signal: AbortSignal, body?: object) =>
    fetch(`${gateway.url}${path}`, {
      method,
      signal,
      headers: {
        authorization: `Bearer ${gateway.token}`,
        'content-type': 'application/json',
        'idempotency-key': 'F38',
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  const statuses = () => gateway.lines.map((line) => (JSON.parse(line) as { status?: number }).status);

  test('F38 during a read ends the request to the server too, and is logged as 499', async () => {
    await read();
    const idle = between.open;
    between.set({ type: 'timeout', timeout: 0 });
    const before = server.requests.calls.length;
    const gone = new AbortController();
    const asked = ask('GET', patient(), gone.signal).catch(() => undefined);
    await wait(() => server.requests.calls.length > before);
    gone.abort();
    await asked;
    await wait(() => between.open === idle - 1 && statuses().includes(499));
    expect(between.open).toBe(idle - 1);
    expect(statuses()).toContain(499);
  });

  test('F38 during a booking does not end it: the same key has its answer', async () => {
    const [offer] = await listOffers(gateway, id);
    const gone = new AbortController();
    watch(isBooking, (now) => now && gone.abort());
    await expect(ask('POST', `${patient()}/appointments`, gone.signal, offer)).rejects.toThrow();
    const book = () => gateway.ask('POST', `${patient()}/appointments`, offer, { 'idempotency-key': 'F38' });
    let answer = await book();
    while (answer.status === 409) answer = await book();
    expect(answer).toMatchObject({ status: 201, headers: { 'idempotency-replayed': 'true' } });
    expect(await countBookings()).toBe(1);
  });
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { openDatabase } from '../../src/database/open-database.ts';
import { Failure, type Patient } from '../../src/ports/index.ts';
import { openDurableState } from '../../src/state/open.ts';
import { startHospital } from '../hospital-in-fhir/start.ts';
import { startFhirGateway } from '../support/fhir-gateway.ts';
import { startGateway } from '../support/gateway.ts';
import { serve } from '../support/listen.ts';
import { startReceiver } from '../support/otlp-receiver.ts';
import { makeFolder } from '../support/sqlite-state.ts';

const SERVER = 2;
const CLIENT = 3;
const ERROR = 2;
const callerTrace = '0af7651916cd43dd8448eb211c80319c';
const traceparent = `00-${callerTrace}-b7ad6b7169203331-01`;

const { server, id } = await startHospital();
const folder = makeFolder();

let receiver: Awaited<ReturnType<typeof startReceiver>>;
beforeEach(async () => {
  receiver = await startReceiver();
  server.reset();
});

/** The span of the only request, and those below it. */
function findTree() {
  const [root, ...others] = receiver.spans.filter(({ kind }) => kind === SERVER);
  expect([root !== undefined, others]).toEqual([true, []]);
  return { root: root!, children: receiver.spans.filter(({ parentSpanId }) => parentSpanId === root!.spanId) };
}

async function waitUntil(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 20_000; !(await isSo()); await new Promise(setImmediate)) {
    if (Date.now() > end) throw new Error(`not so within 20 seconds: ${isSo}`);
  }
}

describe('a traced request', () => {
  test('is a span below that of its caller, and has one below for each request to the backend', async () => {
    const gateway = await startFhirGateway(server, { PUENTE_TRACING_URL: receiver.url });
    server.requests.reset();
    await gateway.ask('GET', `/patients/${id('Patient/ana')}`, undefined, { traceparent });
    await gateway.stop();
    const { root, children } = findTree();
    expect(root).toMatchObject({
      traceId: callerTrace,
      parentSpanId: 'b7ad6b7169203331',
      name: 'GET /patients/{id}',
      attributes: {
        'http.request.method': 'GET',
        'http.route': '/patients/{id}',
        'http.response.status_code': 200,
        'puente.operation': 'getPatient',
        'puente.adapter': 'fhir',
      },
    });
    const sent = server.requests.all.map(({ headers }) => headers.traceparent).toSorted();
    expect(sent.length).toBeGreaterThan(0);
    expect(children.map(({ spanId }) => `00-${callerTrace}-${spanId}-01`).toSorted()).toEqual(sent);
    const { hostname, port } = new URL(server.url);
    for (const { kind, name, attributes } of children) {
      expect([kind, name, attributes]).toEqual([
        CLIENT,
        'GET',
        {
          'http.request.method': 'GET',
          'server.address': hostname,
          'server.port': Number(port),
          'http.response.status_code': 200,
        },
      ]);
    }
    expect(receiver.resource).toMatchObject({ 'service.name': 'puente' });
  });

  test('has a span for each statement of the state, with marks for its values', async () => {
    const key = join(folder, 'key');
    writeFileSync(key, '0'.repeat(64), { mode: 0o600 });
    const settings = { kind: 'sqlite' as const, file: join(folder, 'state.db'), encryptionKey: `file:${key}` };
    const state = await openDatabase(settings, openDurableState, 'the state');
    const gateway = await startGateway({ environment: { PUENTE_TRACING_URL: receiver.url }, state });
    const body = { phone: '+54 11 5555-0000' };
    expect((await gateway.ask('PUT', '/patients/ana', body, { 'idempotency-key': 'a-key' })).status).toBe(200);
    await gateway.stop();
    await state.close();
    const { children } = findTree();
    const statements = children.map(({ name, attributes }) => [name, attributes['db.system.name']]);
    expect(statements).toEqual(expect.arrayContaining([['INSERT', 'sqlite']]));
    expect(children.map(({ attributes }) => attributes['db.query.text']).join()).toMatch(/INSERT INTO .*\$1/s);
  });

  test('has a span for its wait in the guard', async () => {
    const waiting: (() => void)[] = [];
    const get = () =>
      new Promise<Patient>((_, reject) => void waiting.push(() => reject(new Failure('not_found', ''))));
    const gateway = await startGateway({
      environment: {
        PUENTE_TRACING_URL: receiver.url,
        PUENTE_GUARD_OPERATIONS: '{getPatient: {running: 1, queued: 1}}',
      },
      replacePort: (name, port) => (name === 'patients' ? { get } : port),
    });
    const first = gateway.ask('GET', '/patients/ana');
    await waitUntil(() => waiting.length === 1);
    const second = gateway.ask('GET', '/patients/ana', undefined, { traceparent });
    const queued = 'puente_guard_queued_calls{adapter="memory",port="patients",class="read",operation="getPatient"} 1';
    await waitUntil(async () => (await gateway.ask('GET', '/metrics')).text.includes(queued));
    waiting.pop()?.();
    await first;
    await waitUntil(() => waiting.length === 1);
    waiting.pop()?.();
    await second;
    await gateway.stop();
    const waits = receiver.spans.filter(({ name }) => name === 'guard wait');
    expect(waits).toMatchObject([
      {
        traceId: callerTrace,
        attributes: { 'puente.adapter': 'memory', 'puente.port': 'patients', 'puente.class': 'read' },
      },
    ]);
  });

  test('that the backend fails is an error, with codes and without words', async () => {
    const gateway = await startFhirGateway(server, { PUENTE_TRACING_URL: receiver.url });
    server.quirks.fault = () => ({
      commits: false,
      answer: () => ({ status: 500, headers: {}, body: 'ana is broken' }),
    });
    expect((await gateway.ask('GET', `/patients/${id('Patient/ana')}`)).status).toBe(502);
    await gateway.stop();
    const { root, children } = findTree();
    expect(root).toMatchObject({
      status: { code: ERROR },
      attributes: { 'error.type': '502', 'puente.problem': 'backend_unavailable' },
    });
    expect(children[0]).toMatchObject({ status: { code: ERROR }, attributes: { 'error.type': '500' } });
  });

  test('has its trace id in each of its log lines', async () => {
    const gateway = await startFhirGateway(server, { PUENTE_TRACING_URL: receiver.url });
    await gateway.ask('GET', `/patients/${id('Patient/ana')}`, undefined, { traceparent });
    await gateway.ask('GET', '/nowhere');
    await gateway.stop();
    const lines = gateway.lines.map((line) => JSON.parse(line)).filter(({ event }) => event === 'request');
    expect(lines.map(({ traceId }) => traceId)).toEqual([
      callerTrace,
      receiver.spans.find(({ kind, name }) => kind === SERVER && name === 'GET')?.traceId,
    ]);
  });
});

describe('traces', () => {
  test('give away no patient, no token and no path, whatever is asked', async () => {
    const gateway = await startFhirGateway(server, { PUENTE_TRACING_URL: receiver.url });
    const ana = id('Patient/ana');
    const secret = { authorization: 'Bearer puente_00000000_secret' };
    const asked = [
      await gateway.ask('GET', `/patients/${ana}`),
      await gateway.ask('PUT', `/patients/${ana}`, { phone: '+54 11 5555-0000', email: 'ana@example.org' }),
      await gateway.ask('GET', '/patients?identifier_type=DNI&identifier_value=96000000'),
      await gateway.ask('GET', `/patients/${ana}/family_group`),
      await gateway.ask('GET', `/nowhere/${ana}?phone=5555-0000`),
      await gateway.ask('GET', `/patients/${ana}`, undefined, secret),
      await gateway.ask('GET', `/patients/${ana}`, undefined, { traceparent: `00-${ana}-puente_00000000_secret` }),
    ];
    await gateway.stop();
    expect(receiver.spans.filter(({ kind }) => kind === SERVER)).toHaveLength(asked.length);
    const ids = new Set(receiver.spans.map(({ spanId }) => spanId));
    expect(receiver.spans.filter(({ kind, parentSpanId = '' }) => kind !== SERVER && !ids.has(parentSpanId))).toEqual(
      [],
    );
    receiver.expectNoLeaks();
    // As a word of its own: the digits of the id occur in times and ids of spans too.
    const personal = new RegExp(`(?<![\\da-f])${ana}(?![\\da-f])|nowhere`);
    expect(receiver.bodies.filter((body) => personal.test(body))).toEqual([]);
  });

  test('are of the share of the requests that is set, unless the caller has decided', async () => {
    const gateway = await startGateway({
      environment: { PUENTE_TRACING_URL: receiver.url, PUENTE_TRACING_SAMPLE_RATIO: '0' },
    });
    await gateway.ask('GET', '/livez');
    await gateway.ask('GET', '/livez', undefined, { traceparent });
    await gateway.stop();
    expect(receiver.spans.map(({ traceId }) => traceId)).toEqual([callerTrace]);
  });

  test('that nobody takes are lost, which the log says, and requests go on', async () => {
    const refusing = await serve((request, response) => {
      request.resume();
      response.writeHead(400).end();
    });
    const gateway = await startGateway({ environment: { PUENTE_TRACING_URL: `${refusing}/v1/traces` } });
    expect((await gateway.ask('GET', '/livez')).status).toBe(200);
    await gateway.stop();
    const lines = gateway.lines.map((line) => JSON.parse(line)).filter(({ event }) => event === 'traces lost');
    expect(lines).toMatchObject([{ level: 'warn', cause: '400' }]);
  });
});

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Agent, type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startHospital } from './hospital-in-fhir/start.ts';
import { CallCounter, type CallCounts } from './support/call-counts.ts';
import { startFhirGateway } from './support/fhir-gateway.ts';
import { type RunningGateway, startGateway } from './support/gateway.ts';

/**
 * What a request costs, in counts instead of times: they are the same on every machine, however busy. The limits are
 * somewhat above what it costs today: whoever comes near one has made every request dearer.
 */
const unlimited = {
  PUENTE_LIMITS_CLIENTS_READ_REQUESTS: '1000000',
  PUENTE_LIMITS_CLIENTS_SLOT_SEARCH_REQUESTS: '1000000',
};
const { server, id } = await startHospital();
const memory = await startGateway({ environment: { ...unlimited, PUENTE_ADAPTER_SETTINGS_SANDBOX: 'false' } });
const fhir = await startFhirGateway(server, unlimited);
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
afterAll(async () => {
  agent.destroy();
  await memory.stop();
  await fhir.stop();
});

interface Asked {
  readonly path: string;
  readonly body?: object;
}

/** Asks on the one connection, and resolves to the bytes of the head and the body of the response. */
function ask({ path, body }: Asked, { url, token }: RunningGateway = memory): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const options = { agent, method: body ? 'POST' : 'GET', headers };
    const sent = request(`${url}${path}`, options, (response: IncomingMessage) => {
      let size = response.rawHeaders.join('\r\n').length;
      response.on('data', (bytes: Buffer) => {
        size += bytes.length;
      });
      response.once('end', () => {
        if (response.statusCode === 200) resolve(size);
        else reject(new Error(`${path}: ${response.statusCode}`));
      });
    });
    sent.once('error', reject).end(body && JSON.stringify(body));
  });
}

const patient: Asked = { path: '/patients/ana' };
const slots: Asked = { path: '/available-appointments/search?health_care_service_id=consulta-clinica' };
const page: Asked = { path: '/v1/available-slots?limit=10', body: { hcsId: 'consulta-clinica' } };

describe('a request', () => {
  const counter = new CallCounter();
  beforeAll(() => counter.start());
  afterAll(() => counter.stop());

  const count = async (asked: Asked, gateway?: RunningGateway): Promise<CallCounts> => {
    for (let turn = 0; turn < 2; turn++) await ask(asked, gateway);
    return counter.count(() => ask(asked, gateway));
  };

  test('for a patient calls few functions, and gets few bytes', async () => {
    const { own, dependencies } = await count(patient);
    expect(own).toBeLessThanOrEqual(125);
    expect(dependencies).toBeLessThanOrEqual(330);
    expect(await ask(patient)).toBeLessThanOrEqual(900);
  });

  test('for a patient over FHIR calls few functions', async () => {
    expect((await count({ path: `/patients/${id('Patient/ana')}` }, fhir)).own).toBeLessThanOrEqual(480);
  });

  test('for all slots calls few functions for each', async () => {
    const { own, dependencies, of } = await count(slots);
    const made = of('adapters/memory/appointments.ts', 'toSlot');
    expect(made).toBeGreaterThan(100);
    expect(own / made).toBeLessThanOrEqual(20);
    expect(dependencies / made).toBeLessThanOrEqual(10);
    expect((await ask(slots)) / made).toBeLessThanOrEqual(180);
  });

  test('for a page of ten slots makes ten, and checks no others', async () => {
    const all = await count(slots);
    const { own, dependencies, of } = await count(page);
    expect(of('adapters/memory/appointments.ts', 'toSlot')).toBe(10);
    expect(own).toBeLessThanOrEqual(0.8 * all.own);
    expect(dependencies).toBeLessThanOrEqual(0.2 * all.dependencies);
  });
});

describe('a thousand requests', () => {
  const collectGarbage = (): void => {
    setFlagsFromString('--expose-gc');
    runInNewContext('gc')();
  };
  const connections = new Set<Socket>();
  const see = (message: unknown) => void connections.add((message as { socket: Socket }).socket);
  const inspect = () => {
    collectGarbage();
    return {
      heap: process.memoryUsage().heapUsed,
      timers: process.getActiveResourcesInfo().filter((type) => type === 'Timeout' || type === 'Immediate').length,
      listeners: [...connections].reduce(
        (sum, socket) => sum + socket.eventNames().reduce((all, name) => all + socket.listenerCount(name), 0),
        0,
      ),
      lines: memory.lines.length,
    };
  };

  test('leave no timer, no listener and no memory behind, and one log line each', async () => {
    subscribe('http.server.request.start', see);
    for (let turn = 0; turn < 100; turn++) await ask(patient);
    const before = inspect();
    for (let turn = 0; turn < 1_000; turn++) await ask(patient);
    const after = inspect();
    unsubscribe('http.server.request.start', see);
    // Those of the process itself come and go.
    expect(after.timers).toBeLessThanOrEqual(before.timers + 10);
    expect(after.listeners).toBeLessThanOrEqual(before.listeners + 10);
    expect(after.lines).toBe(before.lines + 1_000);
    // The lines of the log stay in this test.
    expect(after.heap).toBeLessThan(before.heap + 4_000_000);
  });
});

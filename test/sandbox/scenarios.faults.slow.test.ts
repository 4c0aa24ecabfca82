import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { PuenteProcess } from '../support/process.ts';

let running: PuenteProcess;
let gateway: { url: string; token: string };
beforeAll(async () => {
  running = new PuenteProcess(['serve', '--sandbox', '--port', '0', '--seed', '8'], {}, { compares: false });
  await running.waitForOutput('\n');
  gateway = JSON.parse(running.stdout);
});
afterAll(async () => {
  running.signal('SIGTERM');
  await running.ended;
});

const ask = (method: string, path: string, { body, headers = {} }: { body?: object; headers?: object } = {}) =>
  fetch(gateway.url + path, {
    method,
    headers: {
      Authorization: `Bearer ${gateway.token}`,
      ...(body && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  });
const asked = (scenario: string, path = '/location/') => ask('GET', path, { headers: { 'Puente-Scenario': scenario } });
const plan = async (body: object) => (await ask('POST', '/sandbox/scenarios', { body })).status;
beforeEach(async () => {
  expect((await ask('POST', '/sandbox/reset')).status).toBe(200);
});

describe('a fault by its share', () => {
  const strike = async (): Promise<string> => {
    const statuses: number[] = [];
    for (let count = 0; count < 200; count++) statuses.push((await asked('rate_limited=20%')).status);
    return statuses.join();
  };

  test('strikes that share of the calls, the same ones after a reset with a seed', async () => {
    const first = await strike();
    const share = first.split(',').filter((status) => status === '429').length / 200;
    expect(share).toBeGreaterThan(0.12);
    expect(share).toBeLessThan(0.28);
    await ask('POST', '/sandbox/reset');
    expect(await strike()).toBe(first);
  });

  test('follows a value', async () => {
    const answers = await Promise.all(Array.from({ length: 60 }, () => asked('overloaded=7,50%')));
    const waits = new Set(answers.map(({ status, headers }) => `${status} ${headers.get('retry-after')}`));
    expect(waits).toEqual(new Set(['200 null', '503 7']));
  });

  test('is at most 100%', async () => {
    expect((await asked('drop=101%')).status).toBe(400);
  });
});

test('slow=p50:20,p99:200 delays answers by a distribution with these percentiles', async () => {
  const delays: number[] = [];
  for (let count = 0; count < 40; count++) {
    const startedAt = performance.now();
    await (await asked('slow=p50:20,p99:200')).arrayBuffer();
    delays.push(performance.now() - startedAt);
  }
  delays.sort((a, b) => a - b);
  expect(delays[20]).toBeGreaterThan(12);
  expect(delays[20]).toBeLessThan(60);
  expect(delays.at(-1)).toBeGreaterThan(60);
});

describe('an answer of a wrong shape', () => {
  test.each(['garbled', 'cut'])('is whole as HTTP, and no JSON (%s)', async (scenario) => {
    const answer = await asked(scenario);
    const text = await answer.text();
    expect([answer.status, Number(answer.headers.get('content-length'))]).toEqual([200, Buffer.byteLength(text)]);
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
  });

  test('has more bytes in its Content-Length than come, and then the connection ends (wrong_length)', async () => {
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    const head = `GET /location/ HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${gateway.token}\r\n`;
    socket.write(`${head}Puente-Scenario: wrong_length\r\n\r\n`);
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    const [headers = '', body = ''] = text.split('\r\n\r\n');
    const announced = Number(/content-length: (\d+)/i.exec(headers)?.[1]);
    expect(announced).toBe(2 * Buffer.byteLength(body));
    expect(JSON.parse(body)).toHaveProperty('locations');
    await expect(asked('wrong_length').then((each) => each.text())).rejects.toThrow();
  });

  test('is whole again when a write comes again with its key, which was made once', async () => {
    const path = '/patients/ana/ticket_type/receta/ticket';
    const body = { observations: 'Gracias', fields: [{ id: 'medicamento', value: 'Ibuprofeno' }] };
    const list = async () => ((await (await ask('GET', '/patients/ana/ticket/')).json()) as unknown[]).length;
    const before = await list();
    const headers = { 'Idempotency-Key': 'one' };
    const spoiled = await ask('POST', path, { body, headers: { ...headers, 'Puente-Scenario': 'cut' } });
    expect(await spoiled.text()).toBe('{');
    const again = await ask('POST', path, { body, headers });
    expect([again.status, again.headers.get('idempotency-replayed'), await again.json()]).toEqual([201, 'true', {}]);
    expect((await list()) - before).toBe(1);
  });
});

describe('a plan', () => {
  const status = async (path: string) => (await ask('GET', path)).status;

  test('without an operation is for each that has the scenario', async () => {
    expect(await plan({ scenario: 'not_cancelable', calls: 5 })).toBe(200);
    expect(await plan({ scenario: 'rate_limited', calls: 2 })).toBe(200);
    expect([await status('/patients/ana'), await status('/location/'), await status('/location/')]).toEqual([
      429, 429, 200,
    ]);
  });

  test('for a patient is for no other, whether path, query or body names them', async () => {
    expect(await plan({ scenario: 'backend_unavailable', patient: 'bruno', calls: 3 })).toBe(200);
    expect(await status('/patients/ana')).toBe(200);
    expect(await status('/patients/bruno')).toBe(502);
    const services = 'health-care-services/search?health_insurance_id=ana-osde&patient_id';
    expect([await status(`/${services}=ana`), await status(`/${services}=bruno`)]).toEqual([200, 502]);
    const body = { credentialNumber: '60-1', insurancePlanId: 'osde-210' };
    const answers = [
      await ask('POST', '/v1/coverages', { body: { ...body, beneficiaryId: 'ana' } }),
      await ask('POST', '/v1/coverages', { body: { ...body, beneficiaryId: 'bruno' } }),
    ];
    expect(answers.map((each) => each.status)).toEqual([201, 502]);
  });

  test('that is used up is listed on demand, until plans are removed', async () => {
    await plan({ scenario: 'rate_limited', operation: 'getPatient' });
    await status('/patients/ana');
    const list = async (query = '') => (await ask('GET', `/sandbox/scenarios${query}`)).json();
    expect(await list()).toEqual([]);
    const usedUp = { scenario: 'rate_limited', operation: 'getPatient', client: 'trial', calls: 0 };
    expect(await list('?used_up=true')).toEqual([usedUp]);
    await ask('DELETE', '/sandbox/scenarios');
    expect(await list('?used_up=true')).toEqual([]);
  });
});

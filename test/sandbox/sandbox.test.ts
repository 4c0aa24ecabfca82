import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startGateway } from '../support/gateway.ts';

const gateway = await startGateway();
beforeEach(async () => {
  expect((await gateway.ask('POST', '/sandbox/reset')).status).toBe(200);
});
afterAll(() => gateway.stop());

const scenario = (name: string) => ({ 'Puente-Scenario': name });
const parse = ({ text }: { readonly text: string }) => JSON.parse(text) as { readonly code?: string; detail: string };
const plan = (body: object) => gateway.ask('POST', '/sandbox/scenarios', body);

/** A free time of a service. */
async function findSlot(): Promise<string> {
  const path = '/available-appointments/search?health_care_service_id=consulta-clinica&practitioner_id=paz';
  const { appointments } = JSON.parse((await gateway.ask('GET', path)).text) as { appointments: { date: string }[] };
  return appointments.at(-1)!.date;
}

const book = async (headers: Record<string, string>, date?: string) =>
  gateway.ask(
    'POST',
    '/patients/ana/appointments',
    { health_care_service_id: 'consulta-clinica', practitioner_id: 'paz', date: date ?? (await findSlot()) },
    headers,
  );

async function countAppointments(): Promise<number> {
  const { text } = await gateway.ask('GET', '/patients/ana/appointments');
  return (JSON.parse(text) as { appointments: unknown[] }).appointments.length;
}

describe('a scenario', () => {
  test('is that of the header, for this request alone', async () => {
    const failed = await gateway.ask('GET', '/patients/ana', undefined, scenario('backend_unavailable'));
    expect([failed.status, parse(failed).code]).toEqual([502, 'backend_unavailable']);
    expect((await gateway.ask('GET', '/patients/ana')).status).toBe(200);
  });

  test('is logged as the real cause is', async () => {
    await gateway.ask('GET', '/patients/ana', undefined, { ...scenario('backend_unavailable'), 'X-Request-Id': 'one' });
    const lines = gateway.lines.map((line): Record<string, unknown> => JSON.parse(line));
    expect(lines.find(({ requestId }) => requestId === 'one')).toMatchObject({
      level: 'error',
      event: 'request',
      operation: 'getPatient',
      adapter: 'memory',
      client: 'trial',
      status: 502,
      code: 'backend_unavailable',
    });
  });

  test.each(['nonsense', 'slot_taken', 'slow=long', 'rate_limited=2'])(
    'that an operation does not have (%s) is 400, which says what it has',
    async (name) => {
      const answer = await gateway.ask('GET', '/patients/ana', undefined, scenario(name));
      expect([answer.status, parse(answer).code]).toEqual([400, 'malformed_request']);
      expect(parse(answer).detail).toMatch(/of getPatient must be one of .*backend_timeout.*slow, drop|takes /);
    },
  );

  test('is planned for so many calls of an operation', async () => {
    const planned = await plan({ scenario: 'rate_limited', operation: 'getPatient', calls: 2 });
    expect(JSON.parse(planned.text)).toEqual({
      scenario: 'rate_limited',
      operation: 'getPatient',
      calls: 2,
      client: 'trial',
    });
    const ask = async () => (await gateway.ask('GET', '/patients/ana')).status;
    expect((await gateway.ask('GET', '/location/')).status).toBe(200);
    expect([await ask(), await ask(), await ask()]).toEqual([429, 429, 200]);
  });

  test('is planned for another client, and not had by who planned it', async () => {
    await plan({ scenario: 'rate_limited', operation: 'getPatient', client: 'other' });
    expect((await gateway.ask('GET', '/patients/ana')).status).toBe(200);
  });

  test.each([
    ['an operation that is not there', { scenario: 'slow=1', operation: 'nothing' }, 400, /getPatient/],
    ['a scenario that it does not have', { scenario: 'nope', operation: 'getPatient' }, 400, /backend_timeout/],
    ['no number of calls', { scenario: 'slow=1', operation: 'getPatient', calls: 0 }, 422, /invalid/],
  ])('is not planned for %s', async (_, body, status, detail) => {
    const answer = await plan(body);
    expect(answer.status).toBe(status);
    expect(parse(answer).detail).toMatch(detail);
  });

  test.each([
    ['backend_outcome_unknown', 1],
    ['backend_outcome_unknown=made', 1],
    ['backend_outcome_unknown=lost', 0],
  ])('%s makes %i bookings', async (name, made) => {
    const before = await countAppointments();
    const answer = await book(scenario(name));
    expect([answer.status, parse(answer).code]).toEqual([504, 'backend_outcome_unknown']);
    expect((await countAppointments()) - before).toBe(made);
  });

  test('backend_outcome_unknown is found out when the write comes again with its key', async () => {
    const before = await countAppointments();
    const date = await findSlot();
    await book({ ...scenario('backend_outcome_unknown'), 'Idempotency-Key': 'again' }, date);
    expect((await book({ 'Idempotency-Key': 'again' }, date)).status).toBe(201);
    expect((await countAppointments()) - before).toBe(1);
  });

  test('drop ends the connection after the write', async () => {
    const before = await countAppointments();
    await expect(book(scenario('drop'))).rejects.toThrow('socket hang up');
    expect((await countAppointments()) - before).toBe(1);
  });

  test('slow answers later', async () => {
    const startedAt = performance.now();
    expect((await gateway.ask('GET', '/patients/ana', undefined, scenario('slow=0.2'))).status).toBe(200);
    expect(performance.now() - startedAt).toBeGreaterThan(190);
  });

  test('omitted lacks a record of the list, and says how many it lacks', async () => {
    const whole = await countAppointments();
    const answer = await gateway.ask('GET', '/patients/ana/appointments', undefined, scenario('omitted'));
    expect(answer.headers['puente-omitted']).toBe('1');
    expect((JSON.parse(answer.text) as { appointments: unknown[] }).appointments).toHaveLength(whole - 1);
  });
});

describe('the clock of a sandbox', () => {
  const move = (now: string) => gateway.ask('POST', '/sandbox/clock', { now });

  test('moves the now of the hospital, and not that of the log', async () => {
    const { text } = await move('2030-01-02T10:00:00-03:00');
    expect(JSON.parse(text)).toMatchObject({ local: expect.stringMatching(/^2030-01-02T10:00:0/) });
    expect(await findSlot()).toMatch(/^2030-0[23]/);
    expect(JSON.parse(gateway.lines.at(-1)!).time).not.toMatch(/^2030/);
  });

  test('makes it too late to cancel', async () => {
    const date = await findSlot();
    const path = String((await book({}, date)).headers.location);
    await move(date);
    const answer = await gateway.ask('PUT', path, { status: 'canceled' });
    expect([answer.status, parse(answer).code]).toEqual([409, 'not_cancelable']);
  });

  test.each(['tomorrow', '2030-13-01T10:00:00'])('is not moved to %s', async (now) => {
    const answer = await move(now);
    expect([answer.status, parse(answer).code]).toEqual([422, 'validation']);
  });
});

describe('a reset', () => {
  test('brings back data, clock, scenarios and keys', async () => {
    const before = await countAppointments();
    const date = await findSlot();
    expect((await book({ 'Idempotency-Key': 'one' }, date)).status).toBe(201);
    await plan({ scenario: 'rate_limited', operation: 'listAppointments' });
    await gateway.ask('POST', '/sandbox/clock', { now: '2030-01-02T10:00:00' });
    await gateway.ask('POST', '/sandbox/reset');
    expect(await countAppointments()).toBe(before);
    expect(await findSlot()).toBe(date);
    expect((await book({ 'Idempotency-Key': 'one' }, date)).headers['idempotency-replayed']).toBeUndefined();
  });
});

describe('a gateway without sandbox', () => {
  test('knows neither the header nor the paths', async () => {
    const plain = await startGateway({ environment: { PUENTE_ADAPTER_SETTINGS_SANDBOX: 'false' } });
    const get = await plain.ask('GET', '/patients/ana', undefined, scenario('nonsense'));
    const paths = ['/sandbox/scenarios', '/sandbox/clock', '/sandbox/reset'];
    const found = await Promise.all(paths.map(async (path) => (await plain.ask('POST', path, {})).status));
    const document = (await plain.ask('GET', '/openapi.json')).text;
    await plain.stop();
    expect([get.status, ...found]).toEqual([200, 404, 404, 404]);
    expect(document).not.toMatch(/sandbox|Puente-Scenario/);
  });
});

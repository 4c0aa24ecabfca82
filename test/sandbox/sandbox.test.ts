import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { loadWorld } from '../../adapters/memory/load-world.ts';
import { findBundledWorld, parseJson, readWorld } from '../../adapters/memory/world-file.ts';
import { buildExample, isWrite, type Operation, operations } from '../../src/api/index.ts';
import { createMemoryState } from '../../src/state/open.ts';
import { startAuditedGateway } from '../support/audited-gateway.ts';
import { startGateway } from '../support/gateway.ts';

const gateway = await startGateway();
beforeEach(async () => {
  expect((await gateway.ask('POST', '/sandbox/reset')).status).toBe(200);
});
afterAll(() => gateway.stop());

/** A gateway with a client beside the first. */
const otherToken = 'puente_00000001_the-token-of-a-second-client';
const twoClients = {
  PUENTE_AUTH_TOKENS: JSON.stringify([{ client: 'second', sha256: hash('sha256', otherToken), scopes: 'all' }]),
};

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

  test.each(['nonsense', 'slot_taken', 'slow=long', 'rate_limited=soon'])(
    'that an operation does not have (%s) is 400, which says what it has',
    async (name) => {
      const answer = await gateway.ask('GET', '/patients/ana', undefined, scenario(name));
      expect([answer.status, parse(answer).code]).toEqual([400, 'malformed_request']);
      expect(parse(answer).detail).toMatch(
        /of getPatient must be one of .*overloaded\[=SECONDS\].*slow=SECONDS\|p50:MS,p99:MS, drop|must be written (rate_limited\[=SECONDS\]|slow=SECONDS\|p50:MS,p99:MS), and a share such as 2% may follow\. /,
      );
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

  test('is still planned after a hundred others that are used up', async () => {
    await plan({ scenario: 'rate_limited', operation: 'getPatient', calls: 1_000 });
    for (let count = 0; count < 100; count++) {
      await plan({ scenario: 'rate_limited', operation: 'listLocations' });
      expect((await gateway.ask('GET', '/location/')).status).toBe(429);
    }
    expect((await gateway.ask('GET', '/patients/ana')).status).toBe(429);
  });

  test('is planned a hundred times by one client, which pushes out none and is told so', async () => {
    const other = await startGateway({ environment: twoClients });
    try {
      const as = { authorization: `Bearer ${otherToken}` };
      const mine = { scenario: 'rate_limited', operation: 'getPatient' };
      await other.ask('POST', '/sandbox/scenarios', mine, as);
      const statuses: number[] = [];
      for (let count = 0; count <= 100; count++)
        statuses.push((await other.ask('POST', '/sandbox/scenarios', { ...mine, client: 'second' })).status);
      expect(statuses).toEqual([...Array.from({ length: 100 }, () => 200), 400]);
      const planned = JSON.parse((await other.ask('GET', '/sandbox/scenarios', undefined, as)).text);
      expect(planned).toEqual([{ ...mine, client: 'second', calls: 1 }]);
      expect(JSON.parse((await other.ask('DELETE', '/sandbox/scenarios')).text)).toEqual({ removed: 100 });
      const ask = async () => (await other.ask('GET', '/patients/ana', undefined, as)).status;
      expect([await ask(), await ask()]).toEqual([429, 200]);
    } finally {
      await other.stop();
    }
  });

  test('is listed until it is used up or removed', async () => {
    const list = async () => JSON.parse((await gateway.ask('GET', '/sandbox/scenarios')).text);
    const planned = { operation: 'getPatient', scenario: 'rate_limited', client: 'trial' };
    await plan({ ...planned, calls: 2 });
    await gateway.ask('GET', '/patients/ana');
    expect(await list()).toEqual([{ ...planned, calls: 1 }]);
    await gateway.ask('GET', '/patients/ana');
    expect(await list()).toEqual([]);
    await plan({ ...planned, calls: 2 });
    expect(JSON.parse((await gateway.ask('DELETE', '/sandbox/scenarios')).text)).toEqual({ removed: 1 });
    expect((await gateway.ask('GET', '/patients/ana')).status).toBe(200);
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

  test.each([
    ['overloaded', '1'],
    ['overloaded=7', '7'],
    ['rate_limited', '10'],
    ['rate_limited=2', '2'],
  ])('%s says that the client waits for %s seconds', async (name, seconds) => {
    const { headers } = await gateway.ask('GET', '/patients/ana', undefined, scenario(name));
    expect(headers['retry-after']).toBe(seconds);
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

  test('can be read, and goes on', async () => {
    await move('2030-01-02T10:00:00');
    const { status, text } = await gateway.ask('GET', '/sandbox/clock');
    expect([status, JSON.parse(text)]).toEqual([
      200,
      {
        now: expect.stringMatching(/^2030-01-02T13:00:0.*Z$/),
        local: expect.stringMatching(/^2030-01-02T10:00:0\d-03:00$/),
        timeZone: 'America/Argentina/Buenos_Aires',
        frozen: false,
      },
    ]);
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

describe('a reset, for the next test,', () => {
  const ask = async (name?: string) =>
    parse(await gateway.ask('GET', '/location/', undefined, name === undefined ? {} : scenario(name)));

  test('closes a circuit that is open', async () => {
    for (let count = 0; count < 20; count++) await ask('backend_unavailable');
    expect((await ask()).code).toBe('backend_circuit_open');
    await gateway.ask('POST', '/sandbox/reset');
    expect((await ask()).code).toBeUndefined();
  });

  test('lets a client begin anew that is beyond its limit', async () => {
    const limited = await startGateway({ environment: { PUENTE_LIMITS_CLIENTS_READ_REQUESTS: '2' } });
    const statuses = async () => [
      (await limited.ask('GET', '/location/')).status,
      (await limited.ask('GET', '/location/')).status,
      (await limited.ask('GET', '/location/')).status,
    ];
    const before = await statuses();
    await limited.ask('POST', '/sandbox/reset');
    const after = await statuses();
    await limited.stop();
    expect([before, after]).toEqual([
      [200, 200, 429],
      [200, 200, 429],
    ]);
  });
});

describe('the state of a sandbox', () => {
  test('replays no response of before a restart and a reset, whose data is gone', async () => {
    const state = createMemoryState();
    const before = await startGateway({ state });
    const path = '/available-appointments/search?health_care_service_id=consulta-clinica&practitioner_id=paz';
    const [{ date }] = JSON.parse((await before.ask('GET', path)).text).appointments;
    const body = { health_care_service_id: 'consulta-clinica', practitioner_id: 'paz', date };
    const bookAt = async ({ ask }: typeof gateway) => {
      const answer = await ask('POST', '/patients/ana/appointments', body, { 'Idempotency-Key': 'kept' });
      const { appointments } = JSON.parse((await ask('GET', '/patients/ana/appointments')).text);
      const isThere = appointments.some(({ id }: { id: string }) => String(answer.headers.location).endsWith(`/${id}`));
      return [answer.status, answer.headers['idempotency-replayed'], isThere];
    };
    expect(await bookAt(before)).toEqual([201, undefined, true]);
    await before.stop();
    const after = await startGateway({ state });
    try {
      expect(await bookAt(after)).toEqual([201, undefined, true]);
      await after.ask('POST', '/sandbox/reset');
      expect(await bookAt(after)).toEqual([201, undefined, true]);
      expect(await bookAt(after)).toEqual([201, 'true', true]);
    } finally {
      await after.stop();
    }
  });

  test('is after a reset what it was before the example of every write', async () => {
    const ask = (operation: Operation) => {
      const { params = {}, query = {}, body } = buildExample(operation, new Date());
      const [method, route] = operation.route.split(' ') as [string, string];
      const path = route.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(Object(params)[name]));
      return gateway.ask(method, `${path}?${new URLSearchParams(query as Record<string, string>)}`, body);
    };
    const readAll = async () => {
      const answers: [string, string][] = [];
      for (const operation of operations)
        if (!isWrite(operation)) answers.push([operation.name, (await ask(operation)).text]);
      return answers;
    };
    const before = await readAll();
    for (const operation of operations.filter(isWrite)) expect((await ask(operation)).status).toBeLessThan(300);
    const changed = await readAll();
    expect(changed.filter(([, text], index) => text !== before[index]![1]).length).toBeGreaterThan(4);
    await gateway.ask('POST', '/sandbox/reset');
    expect(await readAll()).toEqual(before);
  });

  test('is reset without a load of the data, which would keep all others waiting', async () => {
    const spent = async (act: () => Promise<unknown>) => {
      const before = process.threadCpuUsage();
      await act();
      const { user, system } = process.threadCpuUsage(before);
      return (user + system) / 1_000;
    };
    await gateway.ask('POST', '/sandbox/reset');
    const resets = Array.from({ length: 16 });
    const took = await spent(() => Promise.all(resets.map(() => gateway.ask('POST', '/sandbox/reset'))));
    const world = readWorld(findBundledWorld(), parseJson(findBundledWorld('sandbox-cast.json')));
    const institution = { timeZone: 'America/Argentina/Buenos_Aires', locale: 'es-AR', bookingHorizonDays: 60 };
    const load = await spent(async () => loadWorld(world, institution, new Date().toISOString()));
    expect(took).toBeLessThan(3 * load);
  });

  test('leaves a record of each reset and each plan in the audit trail', async () => {
    const audited = await startAuditedGateway();
    try {
      await audited.ask('POST', '/sandbox/reset');
      await audited.ask('GET', '/sandbox/scenarios');
      const records = await audited.listRecords();
      expect(records.map(({ operation, phase, client, status }) => [operation, phase, client, status])).toEqual([
        ['resetSandbox', 'ended', 'trial', 200],
        ['listPlannedScenarios', 'ended', 'trial', 200],
      ]);
    } finally {
      await audited.stop();
    }
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

describe('the cast of the sandbox', () => {
  const { cast } = JSON.parse(readFileSync('config/sandbox-cast.json', 'utf8')) as {
    cast: Record<string, { says: string; try: string }>;
  };
  test('is led to from the first page, which leads nowhere without a sandbox', async () => {
    const plain = await startGateway({ environment: { PUENTE_ADAPTER_SETTINGS_SANDBOX: 'false' } });
    const pages = [(await gateway.ask('GET', '/')).text, (await plain.ask('GET', '/')).text];
    await plain.stop();
    expect(pages.map((page) => page.includes('href="/sandbox"'))).toEqual([true, false]);
  });

  const get = async (path: string) => JSON.parse((await gateway.ask('GET', path)).text);

  test('stands on the page, with an operation to try', async () => {
    const { text, headers } = await gateway.ask('GET', '/sandbox');
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    const { paths } = await get('/openapi.json');
    const known = Object.values(paths).flatMap((path) => Object.values(path as object).map((each) => each.operationId));
    for (const [id, { try: operation }] of Object.entries(cast)) {
      expect(text).toContain(`<code>${id}</code>`);
      expect(known).toContain(operation);
      expect(text).toMatch(new RegExp(`/docs#tag/[\\w-]+/${operation}"`));
    }
    expect(known).toContain('planScenario');
    for (const written of ['slow=SECONDS|p50:MS,p99:MS', 'overloaded[=SECONDS]', 'backend_outcome_unknown[=made|lost]'])
      expect(text).toContain(`<code>${written}</code>`);
  });

  test.each(Object.keys(cast))('has %s', async (id) => {
    expect((await gateway.ask('GET', `/patients/${id}`)).status).toBe(200);
  });

  test.each([
    ['no-document', { identifier: '' }],
    ['passport', { identifier_type: 'Passport', identifier: '24FV90817' }],
    ['one-word-name', { last_name: '' }],
    ['merged', { id: 'survivor' }],
  ])('has %s as it is said', async (id, fields) => {
    expect(await get(`/patients/${id}`)).toMatchObject(fields);
  });

  test('has a name of 120 characters, 1,200 appointments and a circle of relatives', async () => {
    const { name, last_name: lastName } = await get('/patients/long-name');
    expect(`${name} ${lastName}`).toHaveLength(120);
    expect((await get('/patients/many-appointments/appointments')).appointments).toHaveLength(1_200);
    const follow = async (id: string) => (await get(`/patients/${id}/family_group`)).family_group[0].related_patient_id;
    expect(await follow(await follow(await follow('circle-one')))).toBe('circle-one');
  });

  test('has a merged patient in whose place the other one books', async () => {
    const body = { health_care_service_id: 'consulta-clinica', practitioner_id: 'paz', date: await findSlot() };
    expect((await gateway.ask('POST', '/patients/merged/appointments', body)).status).toBe(201);
    expect((await get('/patients/survivor/appointments')).appointments).toHaveLength(1);
  });

  test('lets nobody book for who is dead, nor with a coverage that ended', async () => {
    const body = { health_care_service_id: 'consulta-clinica', practitioner_id: 'paz', date: await findSlot() };
    const dead = await gateway.ask('POST', '/patients/deceased/appointments', body);
    const ended = { ...body, health_insurance_id: 'coverage-ended-osde' };
    const answer = await gateway.ask('POST', '/patients/coverage-ended/appointments', ended);
    expect([dead, answer].map((each) => [each.status, parse(each).detail.split('.')[0]])).toEqual([
      [422, 'The record of this patient is closed'],
      [422, 'The coverage is inactive'],
    ]);
  });
});

describe('the nights of a clock change', () => {
  test('are there where the zone has them, to the second 02:15', async () => {
    const madrid = await startGateway({ environment: { PUENTE_INSTITUTION_TIME_ZONE: 'Europe/Madrid' } });
    const offsets: string[] = [];
    const list = async (now: string, day: string) => {
      const moved = JSON.parse((await madrid.ask('POST', '/sandbox/clock', { now })).text);
      offsets.push(moved.local.slice(-6));
      const path = '/available-appointments/search?health_care_service_id=guardia-nocturna';
      const { appointments } = JSON.parse((await madrid.ask('GET', path)).text) as { appointments: { date: string }[] };
      return appointments.filter(({ date }) => date.startsWith(day)).map(({ date }) => date.slice(11, 16));
    };
    try {
      expect((await list('2027-03-28T01:15:00', '2027-03-28')).slice(0, 2)).toEqual(['01:30', '03:00']);
      expect((await list('2027-10-31T02:15:00+02:00', '2027-10-31'))[0]).toBe('02:30');
      expect((await list('2027-10-31T02:15:00+01:00', '2027-10-31'))[0]).toBe('03:00');
      expect(offsets).toEqual(['+01:00', '+02:00', '+01:00']);
    } finally {
      await madrid.stop();
    }
  });
});

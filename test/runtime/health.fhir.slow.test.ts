import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { WithId } from '@medplum/core';
import type { Bundle, Resource, Slot } from '@medplum/fhirtypes';
import type { LoggedRequest } from '../fhir-server/request-log.ts';
import { startHospital } from '../hospital-in-fhir/start.ts';
import { startFhirGateway } from '../support/fhir-gateway.ts';
import { listOffers } from '../support/fhir-offers.ts';
import type { RunningGateway } from '../support/gateway.ts';

// What a running gateway finds out about its FHIR server. Fifteen seconds are a few milliseconds here.

const { server, id } = await startHospital();
const LOOK_MS = 15;
/** Longer than any test: whoever notices something did not wait for the next look. */
const NEVER_MS = 3_600_000;

let gateway: RunningGateway;
beforeEach(() => server.reset());
afterEach(() => gateway.stop());

async function start(lookEvery: number, environment: Readonly<Record<string, string>> = {}): Promise<void> {
  gateway = await startFhirGateway(server, environment, { lookEvery });
  await waitFor(async () => hasLogged('backend found'));
}

const hasLogged = (text: string): boolean => gateway.lines.some((line) => line.includes(text));

async function waitFor(isSo: () => Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 10_000; turn++) {
    if (await isSo()) return;
    await sleep(5);
  }
  throw new Error('it did not happen');
}

async function listImpairments(): Promise<readonly string[]> {
  const { text } = await gateway.ask('GET', '/readyz');
  const { impairments = [] } = JSON.parse(text) as { impairments?: readonly { readonly code: string }[] };
  return impairments.map(({ code }) => code);
}

const waitForImpairments = (...codes: readonly string[]) =>
  waitFor(async () => String(await listImpairments()) === String(codes));

const isTransaction = ({ method, path }: LoggedRequest): boolean => method === 'POST' && path === '';

const book = (offer: object | undefined) => gateway.ask('POST', `/patients/${id('Patient/bruno')}/appointments`, offer);

const listOfBruno = () => server.search('Appointment', `patient=Patient/${id('Patient/bruno')}`);

/** From now on a transaction is a mere batch, and somebody else takes the slot of the next one before it arrives. */
function switchTransactionsOff(): { readonly taken: WithId<Slot>[] } {
  const taken: WithId<Slot>[] = [];
  server.quirks.transactions = 'batch';
  server.quirks.loseRequest = (request) => {
    if (!isTransaction(request) || taken.length > 0) return false;
    const { entry = [] } = JSON.parse(request.body) as Bundle<WithId<Resource>>;
    for (const { resource } of entry) {
      if (resource?.resourceType !== 'Slot') continue;
      taken.push(resource);
      server.load({ ...resource, status: 'busy' });
    }
    return false;
  };
  return { taken };
}

describe('a FHIR server that goes away', () => {
  test('is told at /readyz and in the log within one look, and so is its return', async () => {
    await start(LOOK_MS);
    expect(await listImpairments()).toEqual([]);
    server.quirks.loseRequest = () => true;
    await waitForImpairments('backend_unreachable');
    expect(gateway.lines.at(-1)).not.toContain('recovered');
    server.quirks.loseRequest = () => false;
    await waitForImpairments();
    const looks = gateway.lines.map((line) => JSON.parse(line) as { event: string; code?: string });
    expect(looks.filter(({ event }) => event !== 'request').map(({ event, code }) => [event, code])).toEqual([
      ['backend found', undefined],
      ['adapter impaired', 'backend_unreachable'],
      ['adapter recovered', undefined],
    ]);
  });

  test('is told as soon as a call could not reach it', async () => {
    await start(NEVER_MS);
    server.quirks.loseRequest = () => true;
    expect((await gateway.ask('GET', `/patients/${id('Patient/ana')}`)).status).toBe(502);
    await waitForImpairments('backend_unreachable');
  });

  test('is told as soon as a call got no answer in the time that the settings give it, which is before the deadline', async () => {
    await start(NEVER_MS, {
      PUENTE_ADAPTER_SETTINGS_TIMEOUT: '1000',
      PUENTE_ADAPTER_SETTINGS_RETRIES: '0',
      PUENTE_HTTP_READ_DEADLINE: '30000',
    });
    server.quirks.fault = () => ({ commits: false, answer: 'hang' });
    const { status, text } = await gateway.ask('GET', `/patients/${id('Patient/ana')}`);
    expect([status, JSON.parse(text)]).toEqual([504, expect.objectContaining({ code: 'backend_timeout' })]);
    expect(gateway.lines.at(-1)).toContain('"cause":"ETIMEDOUT"');
    await waitForImpairments('backend_unreachable');
  });

  test('whose capabilities a cache still tells, is told too', async () => {
    await start(LOOK_MS);
    server.quirks.fault = ({ path }) =>
      path === 'metadata'
        ? undefined
        : { commits: false, answer: () => ({ status: 500, headers: {}, body: 'no connection to the database' }) };
    await waitForImpairments('backend_unreachable');
  });

  test('for want of its database is unreachable, and no right is missing, from the start or later', async () => {
    server.quirks.databaseAway = true;
    gateway = await startFhirGateway(server, {}, { lookEvery: LOOK_MS });
    const body = {
      date: '2099-01-05T09:00:00',
      practitioner_id: id('Practitioner/paz'),
      health_care_service_id: id('HealthcareService/consulta-clinica'),
    };
    const bookNow = async () => {
      const { status, text } = await book(body);
      return [status, (JSON.parse(text) as { code: string }).code];
    };
    const isAway = async () => {
      await waitForImpairments('backend_unreachable');
      server.requests.reset();
      await waitFor(async () => server.requests.calls.length > 8);
      expect(await bookNow()).toEqual([502, 'backend_unavailable']);
      expect(await listImpairments()).toEqual(['backend_unreachable']);
    };
    await isAway();
    server.quirks.databaseAway = false;
    await waitForImpairments();
    expect(await bookNow()).toEqual([422, 'slot_unknown']);
    server.quirks.databaseAway = true;
    await isAway();
    expect(gateway.lines.filter((line) => line.includes('adapter impaired') && !line.includes('unreachable'))).toEqual(
      [],
    );
  });

  test('at the moment of the test of its rights is taken for no refusal', async () => {
    server.quirks.fault = ({ method }) => {
      server.quirks.databaseAway ||= method === 'POST';
      return undefined;
    };
    gateway = await startFhirGateway(server, {}, { lookEvery: LOOK_MS });
    await waitForImpairments('backend_unreachable');
  });

  test('is tested again when it is back, for it may be another one', async () => {
    await start(LOOK_MS);
    server.quirks.loseRequest = () => true;
    await waitForImpairments('backend_unreachable');
    server.quirks.transactions = 'batch';
    server.quirks.loseRequest = () => false;
    await waitForImpairments('backend_not_atomic');
  });

  test('is not written to by a look as long as nothing happens', async () => {
    await start(LOOK_MS);
    server.requests.reset();
    await waitFor(async () => server.requests.calls.length > 3);
    expect(new Set(server.requests.calls)).toEqual(new Set(['GET Location']));
  });
});

describe('a catalogue of more resources than a search may read', () => {
  const limit = { PUENTE_ADAPTER_SETTINGS_LIMITS_ENTRIES: '50' };
  const findSlots = async () => {
    const service = id('HealthcareService/consulta-clinica');
    return (await gateway.ask('GET', `/available-appointments/search?health_care_service_id=${service}`)).status;
  };
  const readDetails = async () => gateway.impairments().map(({ code, detail }) => [code, detail]);
  /** So many schedules, and no fewer than those of the hospital. */
  const loadSchedules = async (count: number) => {
    const own = (await server.search('Schedule')).length;
    for (let number = own; number < count; number++) {
      server.load({ resourceType: 'Schedule', id: `more-${number}`, actor: [{ display: 'a device' }] });
    }
  };

  test('is warned of before, and told at /readyz with the setting that mends it', async () => {
    await loadSchedules(45);
    await start(LOOK_MS, limit);
    expect(await readDetails()).toEqual([
      [
        'catalogue_nearly_too_large',
        'the FHIR server has 45 Schedule resources, but a search reads 50 at most; raise limits.entries before the limit is reached',
      ],
    ]);
    expect(await findSlots()).toBe(200);
    await gateway.stop();
    await loadSchedules(51);
    await start(LOOK_MS, limit);
    expect(await findSlots()).toBe(502);
    expect(await readDetails()).toEqual([
      [
        'catalogue_too_large',
        expect.stringMatching(
          /^the FHIR server has 51 Schedule resources, but a search reads 50, .*; raise limits\.entries$/,
        ),
      ],
    ]);
    await gateway.stop();
    await start(LOOK_MS, { PUENTE_ADAPTER_SETTINGS_LIMITS_ENTRIES: '100' });
    expect(await readDetails()).toEqual([]);
    expect(await findSlots()).toBe(200);
  });

  test('is told with every setting that bounds it', async () => {
    await loadSchedules(260);
    await start(LOOK_MS, { PUENTE_ADAPTER_SETTINGS_LIMITS_PAGES: '1', ...limit });
    expect((await readDetails()).join()).toMatch(/raise limits\.entries and limits\.pages$/);
  });
});

describe('transactions that are switched off while the gateway runs', () => {
  test('are noticed by the first booking of which a half was done, which leaves nothing', async () => {
    await start(NEVER_MS);
    const [first, second] = await listOffers(gateway, id);
    const busy = (await server.search('Slot', 'status=busy')).length;
    const { taken } = switchTransactionsOff();
    const before = await listOfBruno();
    const { status } = await book(first);
    expect(status).toBe(501);
    expect(await listOfBruno()).toEqual(before);
    expect(await server.read('Slot', taken[0]?.id ?? '')).toMatchObject({ status: 'busy' });
    expect(gateway.lines.at(-1)).toContain('"cause":"non_atomic_transaction"');
    await waitForImpairments('backend_not_atomic');
    expect((await book(second)).status).toBe(501);
    expect(await listOfBruno()).toEqual(before);
    expect(await server.search('Slot', 'status=busy')).toHaveLength(busy + 1);
  });

  test('are used again, without a restart, when they are switched on again', async () => {
    await start(LOOK_MS);
    const [first, second] = await listOffers(gateway, id);
    const busy = (await server.search('Slot', 'status=busy')).length;
    switchTransactionsOff();
    expect((await book(first)).status).toBe(501);
    await waitForImpairments('backend_not_atomic');
    expect((await book(second)).status).toBe(501);
    server.quirks.transactions = 'atomic';
    await waitForImpairments();
    expect(hasLogged('adapter recovered')).toBe(true);
    expect((await book(second)).status).toBe(201);
    expect(await server.search('Slot', 'status=busy')).toHaveLength(busy + 2);
    expect(await server.search('Basic')).toEqual([]);
  });

  test('leave an appointment booked of whose cancellation a half was done', async () => {
    await start(NEVER_MS);
    const appointment = await server.read('Appointment', id('Appointment/turno-ana-1'));
    switchTransactionsOff();
    const path = `/patients/${id('Patient/ana')}/appointments/${appointment.id}`;
    expect((await gateway.ask('PUT', path, { status: 'canceled' })).status).toBe(501);
    const { meta: _, ...content } = appointment;
    expect(await server.read('Appointment', appointment.id)).toMatchObject(content);
    expect((await server.read('Appointment', appointment.id)).cancelationReason).toBeUndefined();
  });

  test('leave an unknown outcome and a line in the log where a half cannot be undone', async () => {
    await start(NEVER_MS);
    const [offer] = await listOffers(gateway, id);
    switchTransactionsOff();
    server.quirks.fault = ({ method }) =>
      method === 'DELETE' ? { commits: false, answer: (answer) => ({ ...answer, status: 403 }) } : undefined;
    expect((await book(offer)).status).toBe(504);
    expect(JSON.parse(gateway.lines.findLast((line) => line.includes('"request"')) ?? '')).toMatchObject({
      code: 'backend_outcome_unknown',
      cause: 'transaction_not_undone',
      at: 'Appointment',
    });
  });
});

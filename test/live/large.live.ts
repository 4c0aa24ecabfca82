import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Bundle, Resource } from '@medplum/fhirtypes';
import { parseLocation } from '../../adapters/fhir/rest/decode.ts';
import { call, get } from '../fhir-server/caller.ts';
import { connect } from '../support/fhir-adapter.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { readLiveServer } from '../support/live-server.ts';
import { logIn } from '../support/write-resources.ts';

// npm run test:live: what only a server of real size shows. It writes some thousand resources and removes them again; it
// speaks to the server as the gateway does.
const server = readLiveServer();
const { baseUrl, auth = { kind: 'none' } } = server;
const readHeaders = async () => ({ 'cache-control': 'no-cache', ...(await logIn(server)) });

const run = randomUUID().slice(0, 8);
const namespace = `https://hia.example.org/large/${run}`;
const IN_A_BUNDLE = 200;
/** A limit that a server of real size exceeds. */
const LIMIT = 1_000;
const APPOINTMENTS = 1_100;
const made: string[] = [];

jest.setTimeout(600_000);

/** Creates all of them in the order given, and returns their ids. */
async function create(resources: readonly object[]): Promise<string[]> {
  const ids: string[] = [];
  for (let from = 0; from < resources.length; from += IN_A_BUNDLE) {
    const entry = resources.slice(from, from + IN_A_BUNDLE).map((resource) => ({
      fullUrl: `urn:uuid:${randomUUID()}`,
      resource: resource as Resource,
      request: { method: 'POST' as const, url: (resource as Resource).resourceType },
    }));
    const { status, body } = await call<Bundle>(
      baseUrl,
      'POST',
      { resourceType: 'Bundle', type: 'transaction', entry },
      await readHeaders(),
    );
    expect(status).toBe(200);
    for (const { response } of body.entry ?? []) {
      const { type, id = '' } = parseLocation(response?.location);
      made.push(`${type}/${id}`);
      ids.push(id);
    }
  }
  return ids;
}

async function removeAll(): Promise<void> {
  const last = made.splice(0).toReversed();
  for (let from = 0; from < last.length; from += IN_A_BUNDLE) {
    const entry = last.slice(from, from + IN_A_BUNDLE).map((url) => ({ request: { method: 'DELETE' as const, url } }));
    await call(baseUrl, 'POST', { resourceType: 'Bundle', type: 'transaction', entry }, await readHeaders());
  }
}

const countSchedules = async () =>
  (await get<Bundle>(`${baseUrl}/Schedule?_summary=count`, await readHeaders())).body.total ?? 0;

const inDays = (days: number, minutes = 0) => {
  const day = new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 11);
  return new Date(Date.parse(`${day}15:00:00Z`) + minutes * 60_000).toISOString();
};

interface Hospital {
  readonly patient: string;
  readonly service: string;
  readonly practitioners: readonly [string, string];
  readonly schedule: string;
}
let hospital: Hospital;

const participate = (...references: readonly string[]) =>
  references.map((reference) => ({ actor: { reference }, status: 'accepted' }));

beforeAll(async () => {
  const concept = { coding: [{ system: `${namespace}/CodeSystem/hcs`, code: `L${run}` }] };
  const [patient = '', location = '', first = '', second = ''] = await create([
    { resourceType: 'Patient', name: [{ family: `Largo ${run}` }], birthDate: '1960-01-01', gender: 'female' },
    { resourceType: 'Location', name: `Sede ${run}`, status: 'active' },
    { resourceType: 'Practitioner', name: [{ family: `Uno ${run}` }] },
    { resourceType: 'Practitioner', name: [{ family: `Dos ${run}` }] },
  ]);
  const place = { reference: `Location/${location}` };
  const people = [first, second].map((id) => ({ reference: `Practitioner/${id}` }));
  const [service = '', schedule = '', device = ''] = await create([
    { resourceType: 'HealthcareService', name: `Control ${run}`, active: true, type: [concept], location: [place] },
    { resourceType: 'Schedule', active: true, serviceType: [concept], actor: [...people, place] },
    { resourceType: 'Schedule', active: true, serviceType: [concept], actor: [place] },
  ]);
  const slot = (id: string, from: number, minutes = 20) => ({
    resourceType: 'Slot',
    schedule: { reference: `Schedule/${id}` },
    status: 'free',
    start: inDays(3, from),
    end: inDays(3, from + minutes),
  });
  await create([slot(schedule, 0), slot(schedule, 20), slot(device, 0), slot(device, 20), slot(schedule, 40, 0.5)]);
  hospital = { patient, service, practitioners: [first, second], schedule };
});

afterAll(removeAll);

const gateways: RunningGateway[] = [];
afterAll(async () => {
  for (const gateway of gateways) await gateway.stop();
});

/** A gateway in front of the server, which may hold more of others than these limits allow unless they say so. */
async function start(entries: number, pages = 1_000) {
  const gateway = await startGateway({
    file: 'config/fhir.yaml',
    environment: {
      PUENTE_ADAPTER_SETTINGS_BASE_URL: baseUrl,
      PUENTE_ADAPTER_SETTINGS_AUTH: JSON.stringify(auth),
      PUENTE_ADAPTER_SETTINGS_NAMESPACE: namespace,
      PUENTE_ADAPTER_SETTINGS_LIMITS_ENTRIES: String(entries),
      PUENTE_ADAPTER_SETTINGS_LIMITS_PAGES: String(pages),
      PUENTE_ADAPTER_SETTINGS_TIMEOUT: '60000',
      PUENTE_HTTP_READ_DEADLINE: '120000',
      PUENTE_HTTP_WRITE_DEADLINE: '120000',
    },
    lookEvery: 3_600_000,
  });
  gateways.push(gateway);
  while (!gateway.lines.some((line) => line.includes('backend found'))) await new Promise((go) => setTimeout(go, 100));
  const ask = async (method: string, path: string, body?: object) => {
    const response = await fetch(gateway.url + path, {
      method,
      headers: { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const listImpairments = async () => gateway.impairments();
  const search = async (practitioner?: string) => {
    const filter = practitioner === undefined ? '' : `&practitioner_id=${practitioner}`;
    const { status, body } = await ask(
      'GET',
      `/available-appointments/search?health_care_service_id=${hospital.service}${filter}`,
    );
    return { status, offers: (body.appointments ?? []) as { date: string; practitioner_id: string }[] };
  };
  return { ask, listImpairments, search };
}

describe('on a real server', () => {
  test('every practitioner of a schedule is offered and booked, and doctor lists the slots of nobody', async () => {
    const { ask, search } = await start(50_000);
    const [first, second] = hospital.practitioners;
    for (const practitioner of [first, second]) {
      expect((await search(practitioner)).offers.map(({ practitioner_id }) => practitioner_id)).toEqual([
        practitioner,
        practitioner,
      ]);
    }
    const [offer] = (await search(second)).offers;
    const booking = { date: offer?.date, health_care_service_id: hospital.service, practitioner_id: second };
    expect((await ask('POST', `/patients/${hospital.patient}/appointments`, booking)).status).toBe(201);
    expect((await search(first)).offers).toHaveLength(1);
    const { body } = await get<Bundle>(
      `${baseUrl}/Appointment?patient=Patient/${hospital.patient}`,
      await readHeaders(),
    );
    made.push(...(body.entry ?? []).map(({ resource }) => `Appointment/${resource?.id}`));

    const limits = { entries: 50_000, pages: 1_000 };
    const { readiness } = await connect({ url: baseUrl }, { auth, namespace, limits, timeout: 60_000 });
    const signal = AbortSignal.timeout(300_000);
    const uses = new Set(['appointments.slots'] as const);
    const found = await Array.fromAsync(readiness.examine?.({ signal, uses }) ?? []);
    const details = found.filter(({ check }) => check === 'free slots').map(({ detail }) => detail);
    expect(details).toContainEqual(expect.stringMatching(/^\d+ of \d+ future free slots .*names no practitioner/));
    expect(details).toContainEqual(
      expect.stringMatching(new RegExp(`less than a minute .*Schedule/${hospital.schedule}`)),
    );
  });

  test(`a patient with ${APPOINTMENTS} appointments has all of them`, async () => {
    const { patient, practitioners, service } = hospital;
    const people = participate(
      `Patient/${patient}`,
      `Practitioner/${practitioners[0]}`,
      `HealthcareService/${service}`,
    );
    const times = Array.from({ length: APPOINTMENTS }, (_, index) => inDays(-2 * (index + 1)));
    const { ask } = await start(LIMIT, 20);
    const list = async () =>
      (await ask('GET', `/patients/${patient}/appointments`)).body.appointments as { id: string }[];
    const before = await list();
    const ids = await create(
      times.map((start) => ({
        resourceType: 'Appointment',
        status: 'fulfilled',
        start,
        end: start,
        participant: people,
      })),
    );
    const startedAt = performance.now();
    const after = await list();
    process.stdout.write(`${after.length} appointments in ${Math.round(performance.now() - startedAt)} ms\n`);
    expect(after.map(({ id }) => id).toSorted()).toEqual([...before.map(({ id }) => id), ...ids].toSorted());
  });

  test(`more than ${LIMIT} schedules are told at /readyz, and read when the limit is raised`, async () => {
    const missing = LIMIT + 1 - (await countSchedules());
    await create(
      Array.from({ length: Math.max(0, missing) }, () => ({ resourceType: 'Schedule', actor: [{ display: run }] })),
    );
    const total = await countSchedules();

    const narrow = await start(LIMIT, 20);
    expect(await narrow.listImpairments()).toContainEqual({
      code: 'catalogue_too_large',
      detail: expect.stringMatching(new RegExp(`\\b${total} Schedule resources.*raise limits\\.entries`)),
    });
    expect((await narrow.search()).status).toBe(502);

    const near = await start(Math.ceil(total * 1.1));
    expect((await near.listImpairments()).map(({ code }) => code)).toContain('catalogue_nearly_too_large');
    expect((await near.search()).status).toBe(200);

    const wide = await start(total * 20);
    expect(await wide.listImpairments()).toEqual([]);
    expect((await wide.search()).offers.length).toBeGreaterThan(0);
  });
});

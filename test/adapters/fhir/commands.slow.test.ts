import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { validateResource } from '@medplum/core';
import type { ResourceType } from '@medplum/fhirtypes';
import { type SandboxBundle, seed } from '../../../adapters/fhir/commands.ts';
import { fhir } from '../../../adapters/fhir/index.ts';
import { sandbox } from '../../../src/contract/fixtures.ts';
import { hapi, medplum } from '../../fhir-server/quirks.ts';
import type { LoggedRequest } from '../../fhir-server/request-log.ts';
import { startFhirServer } from '../../fhir-server/server.ts';
import { changeAll, keepOf, sandboxBundle } from '../../support/fhir-sandbox.ts';
import { bundledWorld as world } from '../../support/sandbox.ts';

/** A Monday at noon in Buenos Aires. */
const MONDAY = Date.UTC(2026, 10, 23, 15);
const DAY = 86_400_000;
/** A hospital that is seeded in a moment. */
const small = keepOf(sandboxBundle, {
  Schedule: ['paz-central'],
  Patient: ['ana', 'bruno', 'camila'],
  Coverage: ['ana-osde'],
  RelatedPerson: [],
  QuestionnaireResponse: [],
  Task: [],
  Appointment: ['turno-ana-1', 'turno-ana-2'],
});
const server = await startFhirServer();

beforeEach(() => server.reset());
afterAll(() => server.stop());

interface SeedOptions {
  readonly bundle?: SandboxBundle;
  readonly days?: number;
  readonly at?: number;
  readonly timeZone?: string;
}

const runSeed = ({ bundle = small, days = 1, at = MONDAY, timeZone = sandbox.timeZone }: SeedOptions = {}) =>
  seed(fhir.settings.parse({ baseUrl: server.url }), {
    bundle,
    timeZone,
    now: new Date(at).toISOString(),
    days,
    signal: new AbortController().signal,
  });

const count = async (type: ResourceType): Promise<number> => (await server.search(type)).length;
const isBundle = ({ method, path }: LoggedRequest): boolean => method === 'POST' && path === '';
const listBundles = () => server.requests.all.filter(isBundle).map(({ body }) => JSON.parse(body));

describe.each([hapi, medplum])('the sandbox hospital, seeded into $software', (quirks) => {
  test('is there as a whole, in transactions that every server takes, and another sowing adds nothing', async () => {
    server.reset({ ...quirks, validation: 'on' });
    const first = await runSeed({ bundle: sandboxBundle });
    expect(first).toMatchObject({ existing: 0, skipped: 0 });
    expect(await count('Patient')).toBe(world.patients.length);
    expect(await count('Coverage')).toBe(world.coverages.length);
    expect(await count('RelatedPerson')).toBe(world.familyMembers.length);
    expect(await count('Task')).toBe(world.tickets.length + world.changeRequests.length);
    expect(await count('QuestionnaireResponse')).toBe(world.tickets.length);
    expect(await count('Appointment')).toBe(world.appointments.length);
    const sizes = server.requests.all.filter(isBundle).map(({ body }) => Buffer.byteLength(body));
    expect(Math.max(...sizes)).toBeLessThan(2 ** 20);
    expect(Math.max(...listBundles().map(({ entry }) => entry.length))).toBe(50);
    expect(JSON.stringify(listBundles())).not.toContain('ifNoneExist');
    const slots = await count('Slot');

    server.requests.reset();
    expect(await runSeed({ bundle: sandboxBundle })).toMatchObject({ created: 0, skipped: 0 });
    expect(listBundles()).toEqual([]);
    expect(await count('Slot')).toBe(slots);
  });
});

describe('what is seeded', () => {
  test('is valid FHIR', async () => {
    await runSeed();
    const types = new Set(server.requests.calls.map((call) => call.match(/^POST (\w+)\/_search$/)?.[1]));
    types.delete(undefined);
    expect(types.size).toBeGreaterThan(12);
    for (const type of types) {
      const resources = await server.search(type as ResourceType);
      expect(resources.length).toBeGreaterThan(0);
      for (const resource of resources) expect(() => validateResource(resource)).not.toThrow();
    }
  });

  test('has every slot of the coming days free but those of appointments', async () => {
    const { getId } = await runSeed({ days: 22 });
    const coming = (await server.search('Slot')).filter(({ start }) => Date.parse(start) > MONDAY);
    expect(coming.filter(({ status }) => status === 'busy').map(({ id }) => id)).toEqual([
      getId('Slot', 'paz-central.20261215T1000'),
    ]);
    expect(coming.filter(({ status }) => status === 'free').length).toBe(16 * 9 - 1);
  });

  test('is in use: every practitioner, also those around the institution', async () => {
    await runSeed();
    for (const type of ['Practitioner'] as const) {
      const active = (await server.search(type)).map((resource) => resource.active);
      expect([type, active.length > 3, new Set(active)]).toEqual([type, true, new Set([true])]);
    }
  });

  test('tells pharmacies from other places around the institution', async () => {
    await runSeed();
    const pharmacies = (await server.search('Location')).filter(({ type = [] }) =>
      type.some(({ coding = [] }) => coding.some(({ code }) => code === 'OUTPHARM')),
    );
    expect(pharmacies.length).toBeGreaterThan(0);
    expect(pharmacies.length).toBeLessThan(await count('Location'));
  });

  test('has appointments of the past fulfilled, with a busy slot', async () => {
    const { getId } = await runSeed();
    const { status, slot } = await server.read('Appointment', getId('Appointment', 'turno-ana-2'));
    expect(status).toBe('fulfilled');
    const [, slotId = ''] = slot?.[0]?.reference?.split('/') ?? [];
    expect((await server.read('Slot', slotId)).status).toBe('busy');
  });
});

/** The Sunday on which clocks in Madrid go forward, and the one on which they go back, at noon. */
const [FORWARD, BACK] = [Date.UTC(2026, 2, 29, 10), Date.UTC(2026, 9, 25, 11)];

describe.each([
  ['go forward: what they skip is left out', FORWARD, ['00:40', '01:00', '01:20'], []],
  ['go back: what comes twice is there once', BACK, ['23:40', '00:00', '00:20', '00:40', '02:00', '02:20'], ['00:20']],
])('in a night in which clocks %s', (_, at, starts, booked) => {
  test('slots and appointments keep their local times', async () => {
    const night = changeAll(keepOf(small, { Appointment: ['turno-ana-1'] }), ({ resourceType }) => {
      if (resourceType === 'Slot') return { start: '{SUNDAY 01:40-03:40/20}' };
      return resourceType === 'Appointment' ? { start: '{monday+6 02:20}', minutesDuration: 20 } : {};
    });
    await runSeed({ bundle: night, days: 0, at, timeZone: 'Europe/Madrid' });
    const [slots, appointments] = await Promise.all([server.search('Slot'), server.search('Appointment')]);
    expect(slots.map(({ start }) => start.slice(11, 16)).toSorted()).toEqual(starts.toSorted());
    expect(appointments.map(({ start }) => start?.slice(11, 16))).toEqual(booked);
    for (const { start, end } of slots) expect(Date.parse(end) - Date.parse(start)).toBe(20 * 60_000);
  });
});

describe('sowing again', () => {
  test('days later adds the slots of the new days and nothing else', async () => {
    await runSeed({ days: 2 });
    const before = await count('Slot');
    const { created } = await runSeed({ days: 2, at: MONDAY + 2 * DAY });
    expect(created).toBe(2 * 9);
    expect(await count('Slot')).toBe(before + created);
    expect(await count('Appointment')).toBe(2);
  });

  test('leaves a slot that was booked since as it is', async () => {
    const { getId } = await runSeed();
    const slot = await server.read('Slot', getId('Slot', 'paz-central.20261124T0900'));
    await server.update({ ...slot, status: 'busy' });
    await runSeed();
    expect((await server.read('Slot', slot.id)).status).toBe('busy');
  });

  test('leaves an appointment out whose slot somebody else has', async () => {
    const { getId } = await runSeed({ bundle: keepOf(small, { Appointment: [] }), days: 22 });
    const slot = await server.read('Slot', getId('Slot', 'paz-central.20261215T1000'));
    await server.update({ ...slot, status: 'busy' });
    expect(await runSeed({ days: 22 })).toMatchObject({ skipped: 1 });
    expect(await count('Appointment')).toBe(1);
  });

  test('goes on where another one stopped', async () => {
    const broken = changeAll(small, ({ resourceType }) =>
      resourceType === 'Coverage' ? { beneficiary: { reference: 'Patient/nobody' } } : {},
    );
    await expect(runSeed({ bundle: broken })).rejects.toThrow('a reference to Patient has no earlier target');
    expect([await count('Patient'), await count('Coverage')]).toEqual([3, 0]);
    await runSeed();
    expect([await count('Patient'), await count('Coverage'), await count('Appointment')]).toEqual([3, 1, 2]);
  });
});

describe('trouble on the way', () => {
  test('an answer that is lost after the commit ends it, and sowing again leaves nothing twice', async () => {
    let bundles = 0;
    server.quirks.loseAnswer = (request) => isBundle(request) && bundles++ % 4 === 0;
    let losses = 0;
    const tryAgain = async (error: unknown): Promise<unknown> => {
      expect(error).toMatchObject({ name: 'Failure', kind: 'outcome_unknown' });
      losses += 1;
      return runSeed().catch(tryAgain);
    };
    await runSeed().catch(tryAgain);
    expect(losses).toBeGreaterThan(2);
    expect([await count('Patient'), await count('Coverage'), await count('Appointment')]).toEqual([3, 1, 2]);
  });

  test('a server that runs transactions as a batch gets everything too', async () => {
    server.reset({ ...medplum, transactions: 'batch' });
    await runSeed();
    expect([await count('Patient'), await count('Appointment')]).toEqual([3, 2]);
  });

  test('what the server refuses fails at once, without its words', async () => {
    server.reset({ auth: { kind: 'bearer', token: 'another' } });
    const failure = await runSeed().catch((error: unknown) => error);
    expect(failure).toMatchObject({ kind: 'unavailable', code: 'backend_auth' });
    expect(server.requests.all.length).toBe(2);
  });
});

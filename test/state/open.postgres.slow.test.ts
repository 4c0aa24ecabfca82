import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { WrongEncryptionKey } from '../../src/database/migrations.ts';
import { openPostgres } from '../../src/database/postgres.ts';
import { parts } from '../../src/runtime/parts.ts';
import { openDurableState } from '../../src/state/open.ts';
import type { State } from '../../src/state/state.ts';
import { startHospital } from '../hospital-in-fhir/start.ts';
import { describeAuditRecords } from '../support/audit-contract.ts';
import { startFhirGateway } from '../support/fhir-gateway.ts';
import { startGateway } from '../support/gateway.ts';
import { describeIdempotency } from '../support/idempotency-contract.ts';
import { findPostgresUser } from '../support/postgres-process.ts';
import { missing, startPostgres } from '../support/postgres-server.ts';
import { mountSmallDisk } from '../support/small-disk.ts';
import { describeState, fillAndFree } from '../support/state-contract.ts';

const server = missing === undefined ? await startPostgres() : undefined;
// After the server, which stops before it.
const disk = mountSmallDisk(1_024, missing === undefined ? findPostgresUser() : {});
const encryptionKey = randomBytes(32);
const hospital = await startHospital();

const openState = async (url: string, key = encryptionKey): Promise<State> =>
  openDurableState(await openPostgres(url), key);
const createUrl = async (): Promise<string> => (await server?.createUrl()) ?? '';
const openNew = async (): Promise<State> => openState(await createUrl());

const lease = (now: number) => ({ now, leaseUntil: now + 17_000 });
const claim = { ...lease(0), client: 'a', fingerprint: 'a', expiresAt: 86_400_000 };
const done = { state: 'done', response: { status: 200, headers: {}, body: 'Ferreyra' } } as const;
/** The parts of an offered slot that a booking repeats. */
type Offer = Partial<Record<'date' | 'practitioner_id' | 'health_care_service_id', string>>;

const unavailable = { name: 'StateUnavailable' };

describe(`PostgreSQL${missing === undefined ? '' : `, skipped: ${missing}`}`, () => {
  if (!server) return void test.skip('has a server of its own', () => undefined);

  describeState(openNew);
  describeAuditRecords(openNew);
  describeIdempotency(openNew);

  describe(`on a disk that is full${disk.obstacle === undefined ? '' : `, skipped: ${disk.obstacle}`}`, () => {
    const testOnDisk = disk.obstacle === undefined ? test : test.skip;

    testOnDisk('refuses what it cannot keep, keeps what it was told, and recovers when there is space', async () => {
      await server.sql(`CREATE TABLESPACE small LOCATION '${disk.path}'`);
      const url = `${await createUrl()}${encodeURIComponent(' -c default_tablespace=small')}`;
      await fillAndFree(await openState(url), disk, 'PG_53100');
    });
  });

  test('is shared by gateways that start at the same moment, and by their clock', async () => {
    const url = await createUrl();
    const states = await Promise.all(Array.from({ length: 4 }, () => openState(url)));
    const claims = states.flatMap(({ idempotency }) => Array.from({ length: 25 }, () => idempotency.claim('k', claim)));
    expect((await Promise.all(claims)).filter((record) => record === undefined)).toHaveLength(1);
    const times = states.map((state) => state.now());
    expect(Math.max(...times) - Math.min(...times)).toBeLessThan(1_000);
    await states[3]?.idempotency.settle('k', 1, done);
    for (const { idempotency } of states) expect(await idempotency.claim('k', claim)).toMatchObject(done);
    await Promise.all(states.map((state) => state.close()));
  });

  test('holds no response that can be read, and is not opened with another key', async () => {
    const url = await createUrl();
    const state = await openState(url);
    await state.idempotency.claim('k', claim);
    await state.idempotency.settle('k', 1, done);
    const schema = /search_path%3D(\w+)/.exec(url)?.[1];
    const stored = await server.sql(`SELECT encode(response, 'escape') FROM ${schema}.puente_idempotency`);
    expect(stored.length).toBeGreaterThan(50);
    expect(stored).not.toContain('Ferreyra');
    await state.close();
    await expect(openState(url, randomBytes(32))).rejects.toThrow(WrongEncryptionKey);
  });

  test('that is locked is unavailable in time, and serves when the lock is gone', async () => {
    const url = await createUrl();
    const { idempotency, close } = await openDurableState(await openPostgres(url, 100), encryptionKey);
    const unlock = await server.lock(url, 'puente_idempotency', 'ACCESS EXCLUSIVE');
    const refused = { ...unavailable, code: 'PG_57014' };
    await expect(idempotency.claim('k', claim)).rejects.toMatchObject(refused);
    await unlock();
    expect(await idempotency.claim('k', claim)).toBeUndefined();
    await close();
  });

  test('that restarts is unavailable for the requests of that moment, has lost nothing, and serves again', async () => {
    const { idempotency, close } = await openNew();
    await idempotency.claim('k', claim);
    await idempotency.settle('k', 1, done);
    const keys = Array.from({ length: 200 }, (_, i) => `k${i}`);
    const [outcomes] = await Promise.all([
      Promise.allSettled(keys.map((key) => idempotency.claim(key, claim))),
      server.restart(),
    ]);
    expect(await idempotency.claim('k', claim)).toMatchObject(done);
    for (const [i, outcome] of outcomes.entries()) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(unavailable);
      else expect(await idempotency.claim(keys[i] ?? '', claim)).toMatchObject({ state: 'running', attempt: 1 });
    }
    // Nobody asks now: connections that wait in the pool break too.
    await server.restart();
    expect(await idempotency.claim('k', claim)).toMatchObject(done);
    await close();
  });

  test('that cannot be reached is unavailable', async () => {
    await expect(openPostgres('postgres://puente@127.0.0.1:1/postgres')).rejects.toMatchObject({
      name: 'DatabaseUnavailable',
      code: 'ECONNREFUSED',
    });
  });

  test('makes two gateways book once under one key that comes fifty times', async () => {
    const url = await createUrl();
    const states = [await openState(url), await openState(url)];
    let calls = 0;
    // The booking lasts until a repetition was refused, however fast the machine is.
    const refused = Promise.withResolvers<void>();
    const book = async () => {
      await refused.promise;
      return { id: `booking-${++calls}` };
    };
    const gateways = await Promise.all(
      states.map((state) =>
        startGateway({
          state,
          replacePort: (name, port) => (name === 'appointments' ? { book } : port),
          // Each sandbox has a hospital of its own, and shares no keys with another.
          rebind: (container) => container.rebind(parts.sandbox).toConstantValue(undefined),
        }),
      ),
    );
    const answers = await Promise.all(
      Array.from({ length: 50 }, async (_, i) => {
        const body = { date: '2099-01-05T09:00:00', practitioner_id: 'd', health_care_service_id: 's' };
        const key = { 'idempotency-key': 'one' };
        const answer = await gateways[i % 2]?.ask('POST', '/patients/ana/appointments', body, key);
        if (answer?.status === 409) refused.resolve();
        return answer?.status;
      }),
    );
    expect(calls).toBe(1);
    expect(new Set(answers)).toEqual(new Set([201, 409]));
    for (const each of [...gateways.map(({ stop }) => stop), ...states.map((state) => () => state.close())])
      await each();
  });

  test('makes one of fifty bookings of one slot under different keys, through two gateways', async () => {
    const url = await createUrl();
    const states = [await openState(url), await openState(url)];
    const { server: fhirServer, id } = hospital;
    const gateways = await Promise.all(states.map((state) => startFhirGateway(fhirServer, {}, { state })));
    const bruno = id('Patient/bruno');
    const search = `/available-appointments/search?health_care_service_id=${id('HealthcareService/consulta-clinica')}`;
    const offers = JSON.parse((await gateways[0]?.ask('GET', search))?.text ?? '') as { appointments: Offer[] };
    const [{ date, practitioner_id, health_care_service_id } = {}] = offers.appointments;
    // Several see the slot free before the first takes it.
    fhirServer.quirks.delay = 200;
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, async (_, i) => {
        const body = { date, practitioner_id, health_care_service_id };
        const key = { 'idempotency-key': `key-${i}` };
        const answer = await gateways[i % 2]?.ask('POST', `/patients/${bruno}/appointments`, body, key);
        return `${answer?.status} ${(JSON.parse(answer?.text ?? '') as { code?: string }).code}`;
      }),
    );
    for (const each of [...gateways.map(({ stop }) => stop), ...states.map((state) => () => state.close())])
      await each();
    expect(fhirServer.requests.calls.filter((each) => each === 'POST ').length).toBeGreaterThan(1);
    expect(outcomes.toSorted()).toEqual(['201 undefined', ...Array<string>(49).fill('409 slot_taken')]);
    expect(await fhirServer.search('Appointment', `status=booked&patient=Patient/${bruno}`)).toHaveLength(1);
  });
});

import { randomBytes, randomInt } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { Fixtures } from '../../src/contract/index.ts';
import { missing, startPostgres } from '../support/postgres-server.ts';
import { serve, token } from '../support/process.ts';
import { makeFolder } from '../support/sqlite-state.ts';
import { prepareHospitals } from './hospital.ts';
import { killAmid } from './kill-amid.ts';

// npm run test:crashes: SIGKILL at a random instant while writes are under way, as often as CRASH_ROUNDS says,
// on a stand-in, or on the FHIR server at FHIR_LIVE_URL.
const rounds = Number(process.env.CRASH_ROUNDS ?? 20);

const beginHospital = await prepareHospitals(process.env.FHIR_LIVE_URL);
const folder = makeFolder();
const postgres = missing === undefined ? await startPostgres() : undefined;
let running: Awaited<ReturnType<typeof serve>> | undefined;

afterEach(async () => {
  running?.signal('SIGKILL');
  await running?.ended;
});

/** A store, and how to let the leases of a process that is gone end now. */
interface Store {
  readonly environment: Readonly<Record<string, string>>;
  endLeases(): unknown;
}

const endLeases = (schema = '') => `UPDATE ${schema}puente_idempotency SET lease_until = 0 WHERE state = 'running'`;

const stores: Readonly<Record<string, () => Promise<Store>>> = {
  sqlite: async () => {
    const file = join(folder, `${randomBytes(8).toString('hex')}.db`);
    return {
      environment: { PUENTE_STATE_KIND: 'sqlite', PUENTE_STATE_FILE: file },
      endLeases: () => {
        const database = new DatabaseSync(file);
        database.exec(endLeases());
        database.close();
      },
    };
  },
  ...(postgres && {
    postgres: async () => {
      const url = await postgres.createUrl();
      return {
        environment: { PUENTE_STATE_KIND: 'postgres', PUENTE_STATE_URL: 'env:STATE_URL', STATE_URL: url },
        endLeases: () => postgres.sql(endLeases(`${/search_path%3D(\w+)/.exec(url)?.[1]}.`)),
      };
    },
  }),
};

interface Write {
  readonly key: string;
  readonly path: string;
  readonly body: unknown;
}

async function send({ key, path, body }: Write) {
  const response = await fetch(`${running?.url}${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'Idempotency-Key': key },
    body: JSON.stringify(body),
  });
  return { status: response.status, location: response.headers.get('location'), text: await response.text() };
}

/** Bookings of one slot each, tickets, registrations and coverages, each under a key of its own. */
async function buildWrites({ patients, services, ticketType, plans }: Fixtures, documents: number): Promise<Write[]> {
  const url = `${running?.url}/available-appointments/search?health_care_service_id=${services.bookable}`;
  const found = await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
  const { appointments } = (await found.json()) as { appointments: { date: string; practitioner_id: string }[] };
  const times = new Map(appointments.map((each) => [each.date, each]));
  const bookings = [...times.values()].slice(0, 6).map(({ date, practitioner_id }) => ({
    path: `/patients/${patients.bare}/appointments`,
    body: { date, practitioner_id, health_care_service_id: services.bookable },
  }));
  const fields = [{ id: ticketType.checked.id, value: ticketType.checked.fits }];
  const tickets = [1, 2, 3, 4].map((i) => ({
    path: `/patients/${patients.bare}/ticket_type/${ticketType.id}/ticket`,
    body: { observations: `Nº ${i}`, fields },
  }));
  const registrations = [1, 2, 3].map((i) => ({
    path: '/patients/',
    body: { identifier_type: 'DNI', identifier: documents + i, birth_date: `1990/01/0${i}`, gender: 'Female' },
  }));
  const coverages = [1, 2].map((i) => ({
    path: '/v1/coverages',
    body: { credentialNumber: `${documents}${i}`, beneficiaryId: patients.bare, insurancePlanId: plans.accepted },
  }));
  return [...bookings, ...tickets, ...registrations, ...coverages].map((each, i) => ({ ...each, key: `key-${i}` }));
}

describe.each(Object.entries(stores))('a gateway with its state in %s that is killed at any instant', (name, open) => {
  test(`loses nothing that it has acknowledged and does nothing twice, in ${rounds} rounds`, async () => {
    const figures = { acknowledged: 0, unfinished: 0 };
    for (let round = 0; round < rounds; round++) {
      const { environment: access, fixtures, count, countOwn } = await beginHospital();
      const store = await open();
      // Of nobody whom an earlier round has left in the server.
      const documents = randomInt(60_000_000, 95_000_000);
      const environment = {
        PUENTE_CONFIG: 'config/fhir.yaml',
        ...access,
        PUENTE_STATE_ENCRYPTION_KEY: 'env:STATE_KEY',
        STATE_KEY: randomBytes(32).toString('base64'),
        ...store.environment,
      };
      running = await serve(environment);
      const writes = await buildWrites(fixtures, documents);
      const before = await killAmid(
        writes.map((write) => () => send(write)),
        () => running?.signal('SIGKILL'),
      );
      await running.ended;

      running = await serve(environment);
      await store.endLeases();
      for (const [i, write] of writes.entries()) {
        const acknowledged = before[i];
        const after = await send(write);
        if (acknowledged) expect(after).toEqual(acknowledged);
        else expect([200, 201]).toContain(after.status);
        expect(await send(write)).toEqual(after);
        figures[acknowledged ? 'acknowledged' : 'unfinished']++;
      }
      expect(await countOwn('Appointment?status=booked', 'booking')).toBe(6);
      expect(await countOwn('Task?status=requested', 'request')).toBe(4);
      for (const i of [1, 2, 3]) {
        expect(await count(`Patient?identifier=${documents + i}`)).toBe(1);
      }
      for (const i of [1, 2]) expect(await count(`Coverage?identifier=${documents}${i}`)).toBe(1);
      running.signal('SIGKILL');
      await running.ended;
    }
    process.stdout.write(`${name}: ${JSON.stringify({ rounds, ...figures })}\n`);
    expect(figures.unfinished).toBeGreaterThan(0);
  }, 600_000);
});

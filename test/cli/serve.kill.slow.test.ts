import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, test } from '@jest/globals';
import type { LoggedRequest } from '../fhir-server/request-log.ts';
import { startHospital } from '../hospital-in-fhir/start.ts';
import { NS, ownIds } from '../hospital-in-fhir/terms.ts';
import { serve, token } from '../support/process.ts';
import { makeFolder } from '../support/sqlite-state.ts';

async function start(loss: 'loseAnswer' | 'loseRequest') {
  const { server, id } = await startHospital();
  const file = join(makeFolder(), 'state.db');
  const environment = {
    PUENTE_CONFIG: 'config/fhir.yaml',
    PUENTE_ADAPTER_SETTINGS_BASE_URL: server.url,
    PUENTE_ADAPTER_SETTINGS_NAMESPACE: NS,
    PUENTE_STATE_KIND: 'sqlite',
    PUENTE_STATE_FILE: file,
    PUENTE_STATE_ENCRYPTION_KEY: 'env:STATE_KEY',
    STATE_KEY: randomBytes(32).toString('base64'),
  };
  return { loss, server, id, file, environment, running: await serve(environment) };
}
type Hospital = Awaited<ReturnType<typeof start>>;

// Together, since a start takes longer than all that is asked afterwards.
const [losesAnswer, losesRequest] = await Promise.all([start('loseAnswer'), start('loseRequest')]);
afterAll(async () => {
  for (const { running } of [losesAnswer, losesRequest]) {
    running.signal('SIGKILL');
    await running.ended;
  }
});

const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };

async function findOffer({ running, id }: Hospital) {
  const service = id('HealthcareService/consulta-clinica');
  const url = `${running.url}/available-appointments/search?health_care_service_id=${service}`;
  const { appointments } = (await (await fetch(url, { headers })).json()) as { appointments: Record<string, string>[] };
  const [{ date, practitioner_id } = {}] = appointments;
  return { health_care_service_id: service, practitioner_id, date };
}

async function book({ running, id, loss }: Hospital, offer: object) {
  const response = await fetch(`${running.url}/patients/${id('Patient/bruno')}/appointments`, {
    method: 'POST',
    headers: { ...headers, 'Idempotency-Key': loss },
    body: JSON.stringify(offer),
  });
  const { code } = (await response.json()) as { code?: string };
  return { status: response.status, code, location: response.headers.get('location') };
}

const countBookings = async ({ server }: Hospital): Promise<number> =>
  (await server.search('Appointment', 'status=booked')).filter(({ identifier }) =>
    identifier?.some(({ system }) => system === ownIds('booking')),
  ).length;

/** Lets the leases of the process that is gone end at this time, however long it takes to start another one. */
function endLeases({ file }: Hospital, at: number): void {
  const database = new DatabaseSync(file);
  database.prepare('UPDATE puente_idempotency SET lease_until = ?').run(at);
  database.close();
}

const isBooking = ({ method, body }: LoggedRequest): boolean => method === 'POST' && body.includes('"Appointment"');

describe('a gateway that is killed during a booking', () => {
  test.each([
    ['after the commit', losesAnswer],
    ['before it', losesRequest],
  ])('%s and started again knows the key, and books once', async (_when, hospital) => {
    const { server, loss, running, environment } = hospital;
    const offer = await findOffer(hospital);
    server.quirks[loss] = (request) => {
      if (!isBooking(request)) return false;
      running.signal('SIGKILL');
      return true;
    };
    await expect(book(hospital, offer)).rejects.toThrow();
    await running.ended;
    server.quirks[loss] = () => false;
    expect(await countBookings(hospital)).toBe(loss === 'loseAnswer' ? 1 : 0);

    endLeases(hospital, Date.now() + 3_600_000);
    hospital.running = await serve(environment);
    expect(await book(hospital, offer)).toMatchObject({ status: 409, code: 'idempotency_key_in_use' });
    endLeases(hospital, 0);
    const found = await book(hospital, offer);
    expect(found).toMatchObject({ status: 201, location: expect.any(String) });
    expect(await book(hospital, offer)).toEqual(found);
    expect(await countBookings(hospital)).toBe(1);
  });
});

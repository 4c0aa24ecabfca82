import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { LoggedRequest } from '../fhir-server/request-log.ts';
import { startHospital } from '../hospital-in-fhir/start.ts';
import { NS, ownIds } from '../hospital-in-fhir/terms.ts';
import { serve, token } from '../support/process.ts';
import { makeFolder } from '../support/sqlite-state.ts';

const { server, id } = await startHospital();
const file = join(makeFolder(), 'state.db');
let running: Awaited<ReturnType<typeof serve>>;

afterEach(() => running.signal('SIGKILL'));

const environment = {
  PUENTE_CONFIG: 'config/fhir.yaml',
  PUENTE_ADAPTER_SETTINGS_BASE_URL: server.url,
  PUENTE_ADAPTER_SETTINGS_NAMESPACE: NS,
  PUENTE_STATE_KIND: 'sqlite',
  PUENTE_STATE_FILE: file,
  PUENTE_STATE_ENCRYPTION_KEY: 'env:STATE_KEY',
  STATE_KEY: randomBytes(32).toString('base64'),
};
const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };

async function findOffer() {
  const service = id('HealthcareService/consulta-clinica');
  const url = `${running.url}/available-appointments/search?health_care_service_id=${service}`;
  const { appointments } = (await (await fetch(url, { headers })).json()) as { appointments: Record<string, string>[] };
  const [{ date, practitioner_id } = {}] = appointments;
  return { health_care_service_id: service, practitioner_id, date };
}

async function book(offer: object, key: string) {
  const response = await fetch(`${running.url}/patients/${id('Patient/bruno')}/appointments`, {
    method: 'POST',
    headers: { ...headers, 'Idempotency-Key': key },
    body: JSON.stringify(offer),
  });
  const { code } = (await response.json()) as { code?: string };
  return { status: response.status, code, location: response.headers.get('location') };
}

const countBookings = async (): Promise<number> =>
  (await server.search('Appointment', 'status=booked')).filter(({ identifier }) =>
    identifier?.some(({ system }) => system === ownIds('booking')),
  ).length;

/** Lets the leases of the process that is gone end now. */
function endLeases(): void {
  const database = new DatabaseSync(file);
  database.exec('UPDATE puente_idempotency SET lease_until = 0');
  database.close();
}

const isBooking = ({ method, body }: LoggedRequest): boolean => method === 'POST' && body.includes('"Appointment"');

describe('a gateway that is killed during a booking', () => {
  test.each([
    ['after the commit', 'loseAnswer'],
    ['before it', 'loseRequest'],
  ] as const)(
    '%s and started again knows the key, and books once',
    async (_when, lose) => {
      server.reset();
      running = await serve(environment);
      const offer = await findOffer();
      server.quirks[lose] = (request) => {
        if (!isBooking(request)) return false;
        running.signal('SIGKILL');
        return true;
      };
      await expect(book(offer, lose)).rejects.toThrow();
      await running.ended;
      server.quirks[lose] = () => false;
      expect(await countBookings()).toBe(lose === 'loseAnswer' ? 1 : 0);

      running = await serve(environment);
      expect(await book(offer, lose)).toMatchObject({ status: 409, code: 'idempotency_key_in_use' });
      endLeases();
      const found = await book(offer, lose);
      expect(found).toMatchObject({ status: 201, location: expect.any(String) });
      expect(await book(offer, lose)).toEqual(found);
      expect(await countBookings()).toBe(1);
    },
    30_000,
  );
});

import { randomInt } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { expectBookedOnce } from '../support/booked-once.ts';
import { type Booking, listBookings, serveMapping } from '../support/mapped-gateways.ts';
import { mappedSystems } from '../support/mapped-systems.ts';
import { killAmid } from './kill-amid.ts';

// npm run test:crashes: SIGKILL at a random instant while writes are under way, as often as CRASH_ROUNDS says. The gateway
// keeps its own state in memory: what it has to know after a kill, the adapter knows.
const rounds = Number(process.env.CRASH_ROUNDS ?? 5);

interface Write {
  readonly key: string;
  readonly path: string;
  readonly body: object;
}

/** Bookings of one slot each, registrations and coverages, each under a key of its own. */
function buildWrites(bookings: readonly Booking[], documents: number): Write[] {
  const appointments = bookings.map((body) => ({ path: '/patients/1002/appointments', body }));
  const registrations = [1, 2, 3].map((i) => ({
    path: '/patients/',
    body: { identifier_type: 'DNI', identifier: documents + i, birth_date: `1990/01/0${i}`, gender: 'Female' },
  }));
  const coverages = [1, 2].map((i) => ({
    path: '/v1/coverages',
    body: { credentialNumber: `${documents}${i}`, beneficiaryId: '1002', insurancePlanId: '101' },
  }));
  return [...appointments, ...registrations, ...coverages].map((each, i) => ({ ...each, key: `key-${i}` }));
}

// Servers end after the last test, which only the file itself may ask for, before the tests begin.
for (const { missing, make } of mappedSystems) if (missing === undefined) await make();

describe.each([...mappedSystems])('a gateway over $kind that is killed at any instant', ({ kind, missing, make }) => {
  if (missing !== undefined) return void test.skip(`skipped: ${missing}`, () => undefined);

  test(`loses nothing that it has acknowledged and does nothing twice, in ${rounds} rounds`, async () => {
    const figures = { acknowledged: 0, unfinished: 0 };
    for (let round = 0; round < rounds; round++) {
      const system = await make();
      const documents = randomInt(60_000_000, 95_000_000);
      const killed = await serveMapping(system);
      const writes = buildWrites((await listBookings(killed)).slice(0, 6), documents);
      const before = await killAmid(
        writes.map(
          ({ path, body, key }) =>
            () =>
              killed.ask('POST', path, body, key),
        ),
        killed.kill,
      );
      const { ask, kill } = await serveMapping(system);
      const made: Awaited<ReturnType<typeof ask>>[] = [];
      for (const [i, { path, body, key }] of writes.entries()) {
        const acknowledged = before[i];
        const after = await ask('POST', path, body, key);
        if (acknowledged) expect(after).toEqual(acknowledged);
        expect([200, 201]).toContain(after.status);
        expect(await ask('POST', path, body, key)).toEqual(after);
        figures[acknowledged ? 'acknowledged' : 'unfinished']++;
        made.push(after);
      }
      await expectBookedOnce(system, made.slice(0, 6));
      for (const i of [1, 2, 3]) expect(await system.countPeople(String(documents + i))).toBe(1);
      for (const i of [1, 2]) expect(await system.countCoverages(`${documents}${i}`)).toBe(1);
      await kill();
    }
    process.stdout.write(`${kind}: ${JSON.stringify({ rounds, ...figures })}\n`);
    expect(figures.unfinished).toBeGreaterThan(0);
  }, 1_800_000);
});

import { describe, expect, test } from '@jest/globals';
import { listBookings, serveMapping } from '../../../support/mapped-gateways.ts';
import { type MappedSystem, mappedSystems } from '../../../support/mapped-systems.ts';

const rounds = Number(process.env.BOOKING_ROUNDS ?? 10);
const nineteenTaken = ['201 ', ...Array.from({ length: 19 }, () => '409 slot_taken')];

// Servers end after the last test, which only the file itself may ask for, before the tests begin.
const made: { kind: string; missing: string | undefined; system?: MappedSystem }[] = [];
for (const { kind, missing, make } of mappedSystems) {
  made.push({ kind, missing, ...(missing === undefined && { system: await make() }) });
}

describe.each(made)('over $kind', ({ kind, missing, system }) => {
  if (!system) return void test.skip(`skipped: ${missing}`, () => undefined);

  test('of twenty bookings of one slot through two gateways at once one is made, and nineteen are told that it is taken', async () => {
    const gateways = await Promise.all([serveMapping(system), serveMapping(system)]);
    for (let round = 1; round <= rounds; round++) {
      const [booking] = await listBookings(gateways[0]);
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => gateways[i % 2]!.ask('POST', '/patients/1002/appointments', booking)),
      );
      expect(answers.map(({ status, code = '' }) => `${status} ${code}`).toSorted()).toEqual(nineteenTaken);
      expect(await system.listBooked('1002')).toHaveLength(round);
    }
    process.stdout.write(`${kind}: ${rounds} rounds of one 201 and nineteen 409\n`);
  });
});

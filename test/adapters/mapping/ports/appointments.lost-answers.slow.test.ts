import { setImmediate as immediate } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import type { FaultServer } from '../../../fault-server/server.ts';
import { expectBookedOnce, expectToldRightly } from '../../../support/booked-once.ts';
import { loseBookings } from '../../../support/lost-bookings.ts';
import {
  bookAtOnce,
  bookUntilMade,
  countAnswers,
  listBookings,
  serveMapping,
} from '../../../support/mapped-gateways.ts';
import { type MappedSystem, type MappedSystemKind, mappedSystems } from '../../../support/mapped-systems.ts';

type Reached = MappedSystem & { readonly between: FaultServer };

// Servers end after the last test, which only the file itself may ask for, before the tests begin.
const made: { kind: MappedSystemKind['kind']; missing: string | undefined; systems: Reached[] }[] = [];
for (const { kind, missing, make } of mappedSystems.filter((each) => each.kind !== 'sqlite')) {
  const systems = missing === undefined ? [await make(), await make()] : [];
  made.push({ kind, missing, systems: systems as Reached[] });
}

describe.each(made)('over $kind', ({ kind, missing, systems: [system, other] }) => {
  if (!system || !other) return void test.skip(`skipped: ${missing}`, () => undefined);

  test('twenty bookings whose answers are lost are told as made, each with the id that the system gave it', async () => {
    const seen = loseBookings(kind, system.between, 'reset');
    const gateway = await serveMapping(system);
    const bookings = (await listBookings(gateway)).slice(0, 20);
    const answers = await bookAtOnce(gateway, bookings);
    process.stdout.write(`${kind}: ${seen.bookings} answers lost, told ${JSON.stringify(countAnswers(answers))}\n`);
    expect(seen.bookings).toBe(20);
    expect(countAnswers(answers)).toEqual({ 201: 20 });
    await expectBookedOnce(system, answers);
    expect(await bookAtOnce(gateway, bookings)).toEqual(answers);
  });

  test('of twenty bookings none is lost or doubled when the system is gone before their answers', async () => {
    const seen = loseBookings(kind, other.between, 'withheld');
    const gateway = await serveMapping(other);
    const bookings = (await listBookings(gateway)).slice(0, 20);
    const sent = bookAtOnce(gateway, bookings);
    // As many as there are connections to a database.
    while (seen.bookings < 5) await immediate();
    await other.between.down();
    const answers = await sent;
    const known = await expectToldRightly(other, bookings, answers);
    process.stdout.write(`${kind}: gone with ${known} booked, told ${JSON.stringify(countAnswers(answers))}\n`);
    expect(countAnswers(answers)).toHaveProperty('504 backend_outcome_unknown');
    other.between.watch = undefined;
    await other.between.up();
    await expectBookedOnce(other, await bookUntilMade(gateway, bookings));
  });
});

import { execFile } from 'node:child_process';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { callNow } from '../../../support/fhir-calls.ts';
import { makeDatabase, openMapping, writeMapping } from '../../../support/mapped-clinic.ts';

const ROUNDS = 10;

/** What became of ten bookings of one slot, of a gateway in a process of its own. */
async function bookTenTimes(file: string, booking: object): Promise<string[]> {
  const script = 'test/support/book-ten-times.ts';
  const { stdout } = await promisify(execFile)(process.execPath, [script, file, JSON.stringify(booking)]);
  return JSON.parse(stdout) as string[];
}

test('of twenty bookings of one slot through two gateways at once one is made, and nineteen are told that it is taken', async () => {
  const database = makeDatabase();
  const file = writeMapping(database);
  const { appointments } = await openMapping(file);
  const rows = new DatabaseSync(database).prepare('SELECT count(*) AS booked FROM turnos WHERE id_paciente = 1002');
  for (let round = 1; round <= ROUNDS; round++) {
    const { items } = await appointments!.slots!({ serviceId: '501' }, callNow());
    const { start, practitionerId } = items[0]!;
    const booking = { serviceId: '501', practitionerIds: [practitionerId], start };
    const outcomes = (await Promise.all([bookTenTimes(file, booking), bookTenTimes(file, booking)])).flat();
    expect(outcomes.toSorted()).toEqual(['made', ...Array.from({ length: 19 }, () => 'slot_taken')]);
    expect(rows.get()).toEqual({ booked: round });
  }
});

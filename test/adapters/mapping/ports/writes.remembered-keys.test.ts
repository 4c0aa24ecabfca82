import { DatabaseSync } from 'node:sqlite';
import { expect, test } from '@jest/globals';
import { callNow } from '../../../support/fhir-calls.ts';
import { makeDatabase, openMapping, writeMapping } from '../../../support/mapped-clinic.ts';

test('a booking happens once under its key in a table of the system, also through a gateway that is started anew', async () => {
  const database = makeDatabase();
  const { appointments } = await openMapping(writeMapping(database));
  const again = await openMapping(writeMapping(database));
  const call = { ...callNow(), idempotencyKey: 'once' };
  const { items } = await appointments!.slots!({ serviceId: '501' }, call);
  const toBooking = ({ practitionerId, start }: (typeof items)[number]) => ({
    serviceId: '501',
    practitionerIds: [practitionerId],
    start,
  });
  const [first, second] = [toBooking(items[0]!), toBooking(items[1]!)];
  const made = await appointments!.book!('1002', first, call);
  expect(await again.appointments!.book!('1002', first, call)).toEqual(made);
  await expect(again.appointments!.book!('1002', second, call)).rejects.toMatchObject({
    code: 'idempotency_key_reused',
  });
  const rows = new DatabaseSync(database).prepare('SELECT made FROM puente_claves').all();
  expect(rows.map(({ made: id }) => id)).toEqual([made.id]);
});

test('a key under which a booking was refused may be used again', async () => {
  const { appointments } = await openMapping(writeMapping(makeDatabase()));
  const call = { ...callNow(), idempotencyKey: 'refused' };
  const { items } = await appointments!.slots!({ serviceId: '501' }, call);
  const [first, second] = items.map(({ practitionerId, start }) => ({
    serviceId: '501',
    practitionerIds: [practitionerId],
    start,
  }));
  await appointments!.book!('1004', first!, callNow());
  await expect(appointments!.book!('1002', first!, call)).rejects.toMatchObject({ code: 'slot_taken' });
  await expect(appointments!.book!('1002', second!, call)).resolves.toHaveProperty('id');
});

test('keys are removed from the table of the system after 31 days', async () => {
  const database = makeDatabase();
  const { appointments } = await openMapping(writeMapping(database));
  const keys = new DatabaseSync(database);
  const old = Date.now() - 32 * 86_400_000;
  keys.exec(
    `INSERT INTO puente_claves VALUES ('a', 'x', '1', ${old}), ('b', 'x', '1', ${old}), ('c', 'x', '1', ${Date.now()})`,
  );
  const { items } = await appointments!.slots!({ serviceId: '501' }, callNow());
  const { practitionerId, start } = items[0]!;
  const booking = { serviceId: '501', practitionerIds: [practitionerId], start };
  await appointments!.book!('1002', booking, { ...callNow(), idempotencyKey: 'new' });
  const left = keys.prepare('SELECT digest, claimed_at FROM puente_claves').all();
  expect(left.filter(({ digest }) => String(digest).length === 1)).toEqual([
    { digest: 'c', claimed_at: expect.any(Number) },
  ]);
  expect(left).toHaveLength(2);
  expect(left.map(({ claimed_at }) => Date.now() - Number(claimed_at) < 60_000)).toEqual([true, true]);
});

import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from '@jest/globals';
import { keyStoreSettings, openKeyStore } from '../../../../adapters/common/key-store.ts';
import { getMadeId, makeOnce, requireGone } from '../../../../adapters/mapping/ports/writes.ts';
import type { ChangeResult } from '../../../../adapters/mapping/sources/source.ts';
import { Failure } from '../../../../src/ports/index.ts';
import { callNow } from '../../../support/fhir-calls.ts';
import { makeDatabase, openMapping, writeMapping } from '../../../support/mapped-clinic.ts';

describe('a write that makes something', () => {
  const make = async (write: () => Promise<string | undefined>, find: () => Promise<string | undefined>) =>
    makeOnce(await openKeyStore(keyStoreSettings.parse({}), 'keys'), callNow(), { content: ['make'], write, find });

  test('has the id that the system says', async () => {
    expect(
      await make(
        async () => '7',
        async () => '8',
      ),
    ).toEqual({ id: '7' });
  });

  test('is found by content when the system says no id', async () => {
    expect(
      await make(
        async () => undefined,
        async () => '8',
      ),
    ).toEqual({ id: '8' });
  });

  test('is of unknown outcome when the system says no id, and has it not', async () => {
    const nothing = async () => undefined;
    await expect(make(nothing, nothing)).rejects.toMatchObject({ kind: 'outcome_unknown' });
  });
});

const down = async () => {
  throw new Failure('unavailable', 'the system is down');
};

test('a write is of unknown outcome when the system took it, says no id, and cannot be asked for it', async () => {
  const keys = await openKeyStore(keyStoreSettings.parse({}), 'keys');
  const write = async () => undefined;
  await expect(makeOnce(keys, callNow(), { content: ['make'], write, find: down })).rejects.toMatchObject({
    kind: 'outcome_unknown',
  });
});

describe('a removal', () => {
  test('that the system calls done is of unknown outcome when nobody can look whether it is', async () => {
    await expect(requireGone({ meaning: 'done' }, down)).rejects.toMatchObject({ kind: 'outcome_unknown' });
  });

  test('that the system made is not judged by a look that fails', async () => {
    await expect(requireGone({}, down)).resolves.toBeUndefined();
  });

  test.each<ChangeResult>([{ meaning: 'done' }, {}])(
    'is of unknown outcome when the record is still there: %j',
    async (result) => {
      await expect(requireGone(result, async () => true)).rejects.toMatchObject({ kind: 'outcome_unknown' });
    },
  );
});

describe('what a change means', () => {
  test.each([
    ['slot_taken', 'conflict', 'slot_taken'],
    ['slot_unknown', 'invalid', 'slot_unknown'],
    ['not_cancelable', 'conflict', 'not_cancelable'],
    ['busy', 'overloaded', undefined],
    ['refused', 'unavailable', undefined],
    ['session', 'unavailable', undefined],
    ['invalid', 'invalid', undefined],
    ['nothing', 'bad_answer', undefined],
    ['exists', 'bad_answer', undefined],
  ] as const)('%s fails with %s', (meaning, kind, code) => {
    expect(() => getMadeId({ meaning })).toThrow(expect.objectContaining({ kind, code }));
  });

  test('fails as the write expects it', () => {
    const missing = new Failure('not_found', 'there is no such thing');
    expect(() => getMadeId({ meaning: 'nothing' }, { nothing: missing })).toThrow(missing);
  });

  test('is no failure when it was done already', () => {
    expect(getMadeId({ meaning: 'done' })).toBeUndefined();
    expect(getMadeId({ id: '7' })).toBe('7');
  });
});

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

test('a booking is not sent when the table of the system takes no key for it', async () => {
  const database = makeDatabase();
  const { appointments } = await openMapping(writeMapping(database));
  new DatabaseSync(database).exec(
    `DROP TABLE puente_claves; CREATE TABLE puente_claves (digest TEXT PRIMARY KEY CHECK (length(digest) <= 32),
     content TEXT NOT NULL, made TEXT, claimed_at BIGINT)`,
  );
  const call = { ...callNow(), idempotencyKey: 'k' };
  const { items } = await appointments!.slots!({ serviceId: '501' }, call);
  const { practitionerId, start } = items[0]!;
  const booking = { serviceId: '501', practitionerIds: [practitionerId], start };
  await expect(appointments!.book!('1002', booking, call)).rejects.toMatchObject({ kind: 'unavailable' });
  expect((await appointments!.slots!({ serviceId: '501' }, call)).items[0]).toEqual(items[0]);
});

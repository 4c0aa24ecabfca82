import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { type KeyStore, keyStoreSettings, openKeyStore } from '../../adapters/common/key-store.ts';
import { type Call, Failure } from '../../src/ports/index.ts';
import { callNow } from './fhir-calls.ts';

const stores: KeyStore[] = [];
/** Opens the store of these settings; it is closed after the test. */
export const open = async (settings: object) => {
  const store = await openKeyStore(keyStoreSettings.parse(settings), 'keys');
  stores.push(store);
  return store;
};
afterEach(async () => {
  // Some tests have closed theirs.
  for (const each of stores.splice(0)) await each.close().catch(() => undefined);
});

export const keyed = (idempotencyKey: string, client = 'platform'): Call => ({ ...callNow(), client, idempotencyKey });
const content = ['book', 'ana', { start: '2026-11-23T09:30:00' }];

/** A write to a system that knows no keys, which ends as it is told; `find` finds what is there. */
export function createWrite(...ends: (string | Failure)[]) {
  const write = jest.fn(async () => {
    const end = ends.shift() ?? 'none';
    if (end instanceof Failure) throw end;
    return end;
  });
  const find = jest.fn(async (): Promise<string | undefined> => undefined);
  return { content, write, find };
}

const lost = new Failure('outcome_unknown', 'the answer was lost');

/** What a store of keys promises, wherever it keeps them; `createSettings` names a place that nobody has used yet. */
export function describeKeyStore(name: string, createSettings: () => Promise<object>): void {
  describe(`the store of keys in ${name}`, () => {
    test('lets a write happen once under a key of one client, and tells what it made', async () => {
      const store = await open(await createSettings());
      const first = createWrite('41', '42', '43');
      expect(await store.once(keyed('k'), first)).toBe('41');
      expect(await store.once(keyed('k'), first)).toBe('41');
      expect(await store.once(keyed('k', 'another'), first)).toBe('42');
      expect(await store.once(callNow(), first)).toBe('43');
      expect(first.find).not.toHaveBeenCalled();
    });

    test('refuses another content under the key, and writes nothing', async () => {
      const store = await open(await createSettings());
      await store.once(keyed('k'), createWrite('41'));
      const other = { ...createWrite('42'), content: [...content, 'more'] };
      await expect(store.once(keyed('k'), other)).rejects.toMatchObject({
        kind: 'invalid',
        code: 'idempotency_key_reused',
      });
      expect(other.write).not.toHaveBeenCalled();
    });

    test('looks for what a write has made whose answer was lost, and writes again only when it finds nothing', async () => {
      const store = await open(await createSettings());
      const [made, unmade] = [createWrite(lost), createWrite(lost, '43')];
      await expect(store.once(keyed('made'), made)).rejects.toThrow(lost);
      made.find.mockResolvedValue('42');
      expect(await store.once(keyed('made'), made)).toBe('42');
      expect(await store.once(keyed('made'), made)).toBe('42');
      expect([made.write.mock.calls.length, made.find.mock.calls.length]).toEqual([1, 1]);
      await expect(store.once(keyed('unmade'), unmade)).rejects.toThrow(lost);
      expect(await store.once(keyed('unmade'), unmade)).toBe('43');
      expect([unmade.write.mock.calls.length, unmade.find.mock.calls.length]).toEqual([2, 1]);
    });

    test('frees the key of a write that was refused, but not after one whose answer was lost', async () => {
      const store = await open(await createSettings());
      const taken = new Failure('conflict', 'the slot is no longer free', { code: 'slot_taken' });
      const refused = createWrite(taken, '41');
      await expect(store.once(keyed('k'), refused)).rejects.toThrow(taken);
      expect(await store.once(keyed('k'), refused)).toBe('41');
      expect(refused.find).not.toHaveBeenCalled();
      // The first attempt takes effect after somebody looked for it.
      const late = createWrite(lost, taken);
      await expect(store.once(keyed('late'), late)).rejects.toThrow(lost);
      await expect(store.once(keyed('late'), late)).rejects.toThrow(taken);
      late.find.mockResolvedValue('42');
      expect(await store.once(keyed('late'), late)).toBe('42');
    });

    test('looks again when a later attempt is refused, as the first one may have taken effect in between', async () => {
      const store = await open(await createSettings());
      const inTheWay = createWrite(
        lost,
        new Failure('conflict', 'taken, by the first attempt', { code: 'slot_taken' }),
      );
      await expect(store.once(keyed('k'), inTheWay)).rejects.toThrow(lost);
      inTheWay.find.mockResolvedValueOnce(undefined).mockResolvedValueOnce('42');
      expect(await store.once(keyed('k'), inTheWay)).toBe('42');
      expect(await store.once(keyed('k'), inTheWay)).toBe('42');
    });

    test('lets those wait who come with the key meanwhile', async () => {
      const store = await open(await createSettings());
      const slow = createWrite('41');
      const calls = Array.from({ length: 5 }, () => store.once(keyed('k'), slow));
      expect(await Promise.all(calls)).toEqual(['41', '41', '41', '41', '41']);
      expect(slow.write).toHaveBeenCalledTimes(1);
    });

    test('sends nothing when the store cannot be reached, and tells what was made when it cannot note it', async () => {
      const store = await open(await createSettings());
      const write = createWrite('41');
      write.write.mockImplementation(async () => {
        await store.close();
        return '41';
      });
      expect(await store.once(keyed('k'), write)).toBe('41');
      const unsent = createWrite('42');
      await expect(store.once(keyed('l'), unsent)).rejects.toMatchObject({ kind: 'unavailable' });
      expect(unsent.write).not.toHaveBeenCalled();
    });
  });
}

/** What one promises besides that keeps them in a database. */
export function describeDurableKeyStore(name: string, createSettings: () => Promise<object>): void {
  describe(`a store of keys in ${name} that is opened again`, () => {
    test('knows what was made, and of what nobody knows', async () => {
      const settings = await createSettings();
      const store = await open(settings);
      await store.once(keyed('made'), createWrite('41'));
      await expect(store.once(keyed('lost'), createWrite(lost))).rejects.toThrow(lost);
      await store.close();
      const again = await open(settings);
      expect(await again.once(keyed('made'), createWrite())).toBe('41');
      const found = createWrite();
      found.find.mockResolvedValue('42');
      expect(await again.once(keyed('lost'), found)).toBe('42');
      expect(found.write).not.toHaveBeenCalled();
    });
  });
}

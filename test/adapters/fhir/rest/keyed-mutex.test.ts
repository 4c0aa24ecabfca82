import { describe, expect, test } from '@jest/globals';
import { KeyedMutex } from '../../../../adapters/fhir/rest/keyed-mutex.ts';

describe('a keyed mutex', () => {
  test('runs the works of one key one after the other, also after one that fails, and those of two keys at once', async () => {
    const mutex = new KeyedMutex();
    const events: string[] = [];
    const work = (name: string, key: string, fails = false) =>
      mutex.runExclusive(key, async () => {
        events.push(`${name} begins`);
        await Promise.resolve();
        events.push(`${name} ends`);
        if (fails) throw new Error(name);
        return name;
      });
    const results = await Promise.allSettled([work('one', 'a', true), work('two', 'a'), work('other', 'b')]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    expect(events).toEqual([
      ...['one begins', 'other begins', 'one ends', 'other ends'],
      ...['two begins', 'two ends'],
    ]);
  });
});

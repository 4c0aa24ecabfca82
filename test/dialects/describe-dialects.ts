import { beforeAll, describe, expect, test } from '@jest/globals';
import { compareDays, type Step } from './day.ts';
import { dialects, losses } from './dialects.ts';
import type { DialectProxy } from './proxy.ts';

/** Compares a day of work through the proxy with one in each dialect. Records of others may be left out of the lists of any day. */
export function describeDialects(
  proxy: DialectProxy,
  workDay: (settings?: Readonly<Record<string, unknown>>) => Promise<Step[]>,
  { hasRecordsOfOthers }: { readonly hasRecordsOfOthers: boolean },
): void {
  let usual: readonly Step[] = [];

  beforeAll(async () => {
    usual = await workDay();
  });

  test('a day of work has 40 calls, and all but the second booking of a slot succeed', () => {
    expect(usual).toHaveLength(40);
    expect(usual.filter(({ status }) => status > 201).map(({ name, status }) => [name, status])).toEqual([
      ['bookAppointment', 409],
    ]);
    if (!hasRecordsOfOthers) expect(usual.flatMap(({ omitted }) => omitted)).toEqual([]);
  });

  describe('a day of work is the same on a server that speaks with', () => {
    test.each(Object.entries(dialects))('%s', async (_, { create, mayDiffer, settings }) => {
      proxy.speak(create());
      expect(compareDays(usual, await workDay(settings), mayDiffer)).toEqual([]);
      expect(proxy.asked.length).toBeGreaterThan(40);
    });
  });

  describe('a day of work loses nothing but what is told, on a server with', () => {
    test.each(Object.entries(losses))('%s', async (_, { create, mayDiffer, told }) => {
      proxy.speak(create());
      const day = await workDay();
      expect(compareDays(usual, day, mayDiffer)).toEqual([]);
      for (const [call, what] of Object.entries(told)) {
        const { omitted = [], body } = day.find(({ name }) => name === call) ?? {};
        expect(JSON.stringify([omitted, body])).toContain(JSON.stringify(what));
      }
    });
  });
}

import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { Turns } from '../../src/http/turns.ts';

/** Forty pieces of work, and what of them was done after so many turns. */
async function doForty(how: 'add' | 'take'): Promise<{ turns: Turns; done: number[]; counts: number[] }> {
  const turns = new Turns();
  const done: number[] = [];
  for (let i = 0; i < 40; i++) turns[how](() => void done.push(i));
  const counts = [done.length];
  for (let turn = 0; turn < 3; turn++) {
    await setImmediate();
    counts.push(done.length);
  }
  return { turns, done, counts };
}
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

test('what can wait is done a little in each turn of the event loop, half of what came last and half of what came first', async () => {
  const { done, counts } = await doForty('add');
  expect(counts).toEqual([0, 16, 32, 40]);
  expect(done).toEqual([...range(32, 40), ...range(0, 8), ...range(24, 32), ...range(8, 16), ...range(16, 24)]);
});

test('what is new is done at once, until enough was done in a turn', async () => {
  const { turns, done, counts } = await doForty('take');
  expect(counts).toEqual([16, 32, 40, 40]);
  turns.take(() => void done.push(40));
  expect(done.at(-1)).toBe(40);
});

test('what comes after a burst does not wait for its end', async () => {
  const turns = new Turns();
  const done: number[] = [];
  for (let i = 0; i < 500; i++) turns.take(() => void done.push(i));
  turns.take(() => void done.push(500));
  await setImmediate();
  expect(done).toContain(500);
  expect(done.length).toBeLessThan(50);
});

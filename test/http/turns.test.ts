import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { Turns } from '../../src/http/turns.ts';

/** Ten pieces of work, and what of them was done after so many turns. */
async function doTen(how: 'add' | 'take'): Promise<{ turns: Turns; done: number[]; counts: number[] }> {
  const turns = new Turns();
  const done: number[] = [];
  for (let i = 0; i < 10; i++) turns[how](() => void done.push(i));
  const counts = [done.length];
  for (let turn = 0; turn < 3; turn++) {
    await setImmediate();
    counts.push(done.length);
  }
  return { turns, done, counts };
}

test('what can wait is done a little in each turn of the event loop, half of what came last and half of what came first', async () => {
  const { done, counts } = await doTen('add');
  expect(counts).toEqual([0, 4, 8, 10]);
  expect(done).toEqual([8, 9, 0, 1, 6, 7, 2, 3, 4, 5]);
});

test('what is new is done at once, until enough was done in a turn', async () => {
  const { turns, done, counts } = await doTen('take');
  expect(counts).toEqual([4, 8, 10, 10]);
  turns.take(() => void done.push(10));
  expect(done.at(-1)).toBe(10);
});

test('what comes after a burst does not wait for its end', async () => {
  const turns = new Turns();
  const done: number[] = [];
  for (let i = 0; i < 500; i++) turns.take(() => void done.push(i));
  turns.take(() => void done.push(500));
  await setImmediate();
  expect(done).toContain(500);
  expect(done.length).toBeLessThanOrEqual(12);
});

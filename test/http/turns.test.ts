import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { Turns } from '../../src/http/turns.ts';

/** Ten pieces of work, and what of them was done after so many turns. */
async function doTen(how: 'add' | 'take'): Promise<{ turns: Turns; done: number[]; counts: number[] }> {
  const turns = new Turns();
  const done: number[] = [];
  for (let i = 0; i < 10; i++) turns[how]('a', () => void done.push(i));
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
  turns.take('a', () => void done.push(10));
  expect(done.at(-1)).toBe(10);
});

test('what comes after a burst does not wait for its end', async () => {
  const turns = new Turns();
  const done: number[] = [];
  for (let i = 0; i < 500; i++) turns.take('a', () => void done.push(i));
  turns.take('a', () => void done.push(500));
  await setImmediate();
  expect(done).toContain(500);
  expect(done.length).toBeLessThanOrEqual(12);
});

test('a caller waits for none of what another has sent', async () => {
  const turns = new Turns();
  const done: string[] = [];
  for (let i = 0; i < 500; i++) turns.take('a', () => void done.push('a'));
  for (let i = 0; i < 3; i++) turns.add('b', () => void done.push('b'));
  turns.add('c', () => void done.push('c'));
  for (let i = 0; i < 250; i++) turns.take('a', () => void done.push('a'));
  done.length = 0;
  await setImmediate();
  expect(done.toSorted()).toEqual(['a', 'a', 'b', 'c']);
  await setImmediate();
  await setImmediate();
  expect(done.filter((each) => each === 'b')).toHaveLength(3);
});

test('all that several callers have sent is done once, however many they are', async () => {
  const turns = new Turns();
  const done: string[] = [];
  for (let i = 0; i < 10; i++) for (const caller of 'abcdefg') turns.add(caller, () => void done.push(`${caller}${i}`));
  let most = 0;
  while (done.length < 70) {
    const before = done.length;
    await setImmediate();
    most = Math.max(most, done.length - before);
  }
  await setImmediate();
  expect([new Set(done).size, done.length, most]).toEqual([70, 70, 4]);
});

test('in a turn in which a connection came in, one thing is done, so that the next one comes in soon', async () => {
  const turns = new Turns();
  const done: number[] = [];
  const counts: number[] = [];
  for (let i = 0; i < 10; i++) turns.add('a', () => void done.push(i));
  for (const isAccepting of [true, true, false]) {
    if (isAccepting) turns.hurry();
    await setImmediate();
    counts.push(done.length);
  }
  expect(counts).toEqual([1, 2, 6]);
});

import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { Turns } from '../../src/http/turns.ts';

test('what can wait is done in order, a little in each turn of the event loop', async () => {
  const turns = new Turns();
  const done: number[] = [];
  for (let i = 0; i < 40; i++) turns.add(() => void done.push(i));
  const counts = [done.length];
  for (let turn = 0; turn < 3; turn++) {
    await setImmediate();
    counts.push(done.length);
  }
  expect(counts).toEqual([0, 16, 32, 40]);
  expect(done).toEqual(Array.from({ length: 40 }, (_, i) => i));
});

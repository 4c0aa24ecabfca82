import { expect, jest, test } from '@jest/globals';
import { Trickle } from '../../src/http/trickle.ts';

test('what nobody waits for is done one after another, in a millisecond each, and leaves no timer', () => {
  jest.useFakeTimers();
  const trickle = new Trickle();
  const done: number[] = [];
  for (const i of [1, 2, 3]) trickle.add(() => void done.push(i));
  expect(done).toEqual([]);
  jest.advanceTimersByTime(2);
  expect(done).toEqual([1, 2]);
  jest.advanceTimersByTime(1);
  expect([done, jest.getTimerCount()]).toEqual([[1, 2, 3], 0]);
  trickle.add(() => void done.push(4));
  jest.advanceTimersByTime(1);
  expect(done).toEqual([1, 2, 3, 4]);
  jest.useRealTimers();
});

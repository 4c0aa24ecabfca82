import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { SamplingWindow } from '../../src/guard/sampling-window.ts';
import { takeClocks } from '../support/clock.ts';

let moveClocks: (milliseconds: number) => void;
beforeEach(() => {
  moveClocks = takeClocks();
});
afterEach(() => {
  jest.restoreAllMocks();
});

const createWindow = () => new SamplingWindow({ window: 10_000, minimum: 4, faultRate: 0.5 });

describe('a sampling window', () => {
  test('tells at the fault with which there are enough outcomes and half of them are faults', () => {
    const window = createWindow();
    window.success();
    window.success();
    expect([window.failure(), window.failure(), window.success(), window.failure()]).toEqual([
      false,
      true,
      undefined,
      true,
    ]);
  });

  test('tells nothing while a little less than half of the outcomes are faults', () => {
    const window = createWindow();
    for (let i = 0; i < 4; i++) window.success();
    expect([window.failure(), window.failure(), window.failure(), window.failure()]).toEqual([
      false,
      false,
      false,
      true,
    ]);
  });

  test('forgets faults by the time that passes, not by the number of outcomes', () => {
    const window = createWindow();
    for (let hour = 0; hour < 5; hour++) {
      expect([window.failure(), window.failure()]).toEqual([false, false]);
      moveClocks(3_600_000);
    }
  });

  test('remembers faults for nine tenths of its time at least', () => {
    const window = createWindow();
    for (let i = 0; i < 3; i++) window.failure();
    moveClocks(8_900);
    expect(window.failure()).toBe(true);
  });

  test('follows no clock that is set back', () => {
    const window = createWindow();
    for (let i = 0; i < 3; i++) window.failure();
    jest.spyOn(Date, 'now').mockReturnValue(0);
    expect(window.failure()).toBe(true);
  });
});

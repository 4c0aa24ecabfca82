import { jest } from '@jest/globals';

/** A function that moves both clocks of this process forward; timers stay as they are. `jest.restoreAllMocks` ends it. */
export function takeClocks(): (milliseconds: number) => void {
  let ahead = 0;
  for (const clock of [performance, Date]) {
    const original = clock.now.bind(clock);
    jest.spyOn(clock, 'now').mockImplementation(() => original() + ahead);
  }
  return (milliseconds) => {
    ahead += milliseconds;
  };
}

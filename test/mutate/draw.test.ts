import { describe, expect, test } from '@jest/globals';
import { draw } from './draw.ts';

const all = Array.from({ length: 1_000 }, (_, index) => index);

describe('a draw', () => {
  test('is the same for the same seed, and another for another', () => {
    expect(draw(all, 20, 7)).toEqual(draw(all, 20, 7));
    expect(draw(all, 20, 7)).not.toEqual(draw(all, 20, 8));
  });

  test('takes each at most once, from everywhere', () => {
    const drawn = draw(all, 300, 1);
    expect(new Set(drawn).size).toBe(300);
    expect(drawn.filter((each) => each < 500).length).toBeGreaterThan(120);
    expect(drawn.filter((each) => each >= 500).length).toBeGreaterThan(120);
  });

  test('takes all where there are not so many', () => {
    expect(draw([1, 2, 3], 10, 1).toSorted()).toEqual([1, 2, 3]);
  });
});

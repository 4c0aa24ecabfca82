import { describe, expect, test } from '@jest/globals';
import { draw, type Mutant } from './mutant.ts';

const toMutant = (index: number): Mutant => {
  const code = `const a = ${Math.floor(index / 2)};`;
  const at = { file: 'src/a.ts', start: index * 20, end: index * 20 + 1, line: index + 1, code };
  return { ...at, operator: 'number', original: '1', replacement: '2' };
};
const all = Array.from({ length: 1_000 }, (_, index) => toMutant(index));

describe('a draw', () => {
  test('is the same for the same seed, and another for another', () => {
    expect(draw(all, 20, 7)).toEqual(draw(all, 20, 7));
    expect(draw(all, 20, 7)).not.toEqual(draw(all, 20, 8));
  });

  test('takes each at most once, from everywhere', () => {
    const drawn = draw(all, 300, 1);
    expect(new Set(drawn).size).toBe(300);
    expect(drawn.filter(({ line }) => line <= 500).length).toBeGreaterThan(120);
    expect(drawn.filter(({ line }) => line > 500).length).toBeGreaterThan(120);
  });

  test('takes all where there are not so many', () => {
    expect(
      draw(all.slice(0, 3), 10, 1)
        .map(({ line }) => line)
        .toSorted(),
    ).toEqual([1, 2, 3]);
  });

  test('stays when code comes before what is drawn', () => {
    const moved = all.map((mutant) => ({
      ...mutant,
      start: mutant.start + 9,
      end: mutant.end + 9,
      line: mutant.line + 1,
    }));
    const added = { ...toMutant(0), code: 'const b = 1;' };
    const before = draw(all, 100, 3);
    const after = draw([added, ...moved], 100, 3).filter(({ code }) => code !== added.code);
    expect(after.map(({ line }) => line - 1)).toEqual(before.map(({ line }) => line).slice(0, after.length));
    expect(after.length).toBeGreaterThanOrEqual(99);
  });
});

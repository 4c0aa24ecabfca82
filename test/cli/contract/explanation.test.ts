import { describe, expect, test } from '@jest/globals';
import { formatDifference } from '../../../src/cli/contract/explanation.ts';

describe('a difference', () => {
  test('shows with + what was answered and with - what was expected, and what is the same around them', () => {
    const same = { a: 'first value of many', b: 'second value of many', c: 'third value of many' };
    expect(formatDifference({ ...same, d: 1, e: true }, { ...same, d: 2, e: true })).toBe(
      [
        "    b: 'second value of many'",
        "    c: 'third value of many'",
        '+   d: 1',
        '-   d: 2',
        '    e: true',
        '  }',
      ].join('\n'),
    );
  });

  test('goes ten levels deep', () => {
    const nest = (depth: number, value: unknown): unknown => (depth === 0 ? value : { a: nest(depth - 1, value) });
    expect(formatDifference(nest(11, 1), nest(11, 2))).toMatch(/^\+ +a: 1$/m);
    expect(formatDifference(nest(12, 1), nest(12, 2))).not.toMatch(/^[+-]/m);
  });

  test('marks the lines that it leaves out, and has lists that are longer on one side', () => {
    const items = Array.from({ length: 30 }, (_, i) => `item ${i}`);
    const lines = formatDifference([...items, 'last'], ['first', ...items]).split('\n');
    expect(lines.filter((line) => /^[+-]/.test(line))).toEqual(["-   'first'", "+   'last'"]);
    expect(lines).toContain('  …');
    expect(lines.length).toBeLessThan(15);
  });
});

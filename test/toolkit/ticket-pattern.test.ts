import { Script } from 'node:vm';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { RE2JS } from 're2js';
import { isPattern, PatternMatcher } from '../../src/toolkit/ticket-pattern.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

/** Gives every pattern ten seconds, on machines of any speed. */
function extendTimeouts(): void {
  const { runInContext } = Script.prototype;
  jest.spyOn(Script.prototype, 'runInContext').mockImplementation(function (this: Script, sandbox) {
    return runInContext.call(this, sandbox, { timeout: 10_000 });
  });
}

const lookahead = '^(?=a)(a+)+$';
const attack = `${'a'.repeat(40)}!`;

/** Some patterns are valid only without Unicode mode. */
function createPattern(pattern: string): RegExp {
  try {
    return new RegExp(`^(?:${pattern})$`, 'u');
  } catch {
    return new RegExp(`^(?:${pattern})$`);
  }
}

test.each([
  '\\s',
  '\\S+',
  '[\\w\\s.,-]+',
  '[^\\s]+',
  '[\\S,]+',
  '[^\\S ]+',
  '[\\s\\S]+',
  '.+',
  '[.]',
  '[[:alpha:]]+',
  '\\Aab\\z',
  '\\Qab\\E',
  '\\pL+',
  '\\p{L}+',
  '\\x41',
  '\\x{2}',
  '\\a',
  '[]|[^]',
])('the pattern %s has the meaning of ECMAScript', (pattern) => {
  extendTimeouts();
  const values = ['a', 'ab', 'A', 'a b', 'é', ',', '.', ' ', '\u00a0', '\u3000', '\ufeff', '\v', '\r', '\n', '\u2028'];
  const more = ['😀', 'a:', 'Aabz', 'QabE', 'pLL', 'xx', ''];
  for (const value of [...values, ...more]) {
    const matches = createPattern(pattern).test(value);
    expect([value, new PatternMatcher().matches(pattern, value)]).toEqual([value, matches]);
  }
});

describe('the patterns of one ticket', () => {
  test('that need a time limit share one: after two that use it up, no further one is tried', () => {
    const run = jest.spyOn(Script.prototype, 'runInContext');
    jest.spyOn(process, 'threadCpuUsage').mockImplementation((before) => ({
      user: before ? 50_000 : 0,
      system: 0,
    }));
    const matcher = new PatternMatcher();
    const matched = Array.from({ length: 20 }, () => matcher.matches(lookahead, attack));
    expect(matched).toEqual(Array.from({ length: 20 }, () => false));
    expect(run.mock.calls.length).toBe(2);
    expect(run.mock.calls.every(([, options]) => Number((options as { timeout: number }).timeout) <= 50)).toBe(true);
    run.mockRestore();
    extendTimeouts();
    expect(new PatternMatcher().matches(lookahead, 'aaa')).toBe(true);
  });

  test('that need a time limit are tried again while a busy machine kept the processor from them', () => {
    const { runInContext } = Script.prototype;
    const run = jest.spyOn(Script.prototype, 'runInContext').mockImplementation(function (this: Script, sandbox) {
      const isLate = run.mock.calls.length <= 3;
      if (isLate) throw Object.assign(new Error('late'), { code: 'ERR_SCRIPT_EXECUTION_TIMEOUT' });
      return runInContext.call(this, sandbox, { timeout: 10_000 });
    });
    jest.spyOn(process, 'threadCpuUsage').mockImplementation((before) => ({ user: before ? 5_000 : 0, system: 0 }));
    expect(new PatternMatcher().matches(lookahead, 'aaa')).toBe(true);
    expect(run).toHaveBeenCalledTimes(4);
  });

  test.each([
    ['nested repetitions', '((a?){31}){31}', 'a'.repeat(4_000)],
    ['long values', '^(a|b|ab)*c?$', 'ab'.repeat(2_000)],
    ['a file', '^[A-Za-z0-9+/=]+$', 'A'.repeat(2_000_000)],
  ])('try a bounded number of instructions of the linear-time engine, with %s', (_with, pattern, value) => {
    const { matches } = RE2JS.prototype;
    let steps = 0;
    jest.spyOn(RE2JS.prototype, 'matches').mockImplementation(function (this: RE2JS, input) {
      steps += this.programSize() * String(input).length;
      return matches.call(this, input);
    });
    const matcher = new PatternMatcher();
    for (let i = 0; i < 20; i++) matcher.matches(pattern, value);
    expect(steps).toBeLessThanOrEqual(500_000);
  });

  test('that are too large for the linear-time engine are not even compiled for it', () => {
    extendTimeouts();
    const compile = jest.spyOn(RE2JS, 'compile');
    const matcher = new PatternMatcher();
    expect(matcher.matches('((b?){31}){31}', 'b')).toBe(true);
    expect(matcher.matches('\\p{N}?'.repeat(10), '7')).toBe(true);
    expect(matcher.matches('\\p{N}{1,20}', '7')).toBe(true);
    expect(compile).not.toHaveBeenCalled();
  });

  test('share the time for compiling them: after some that use it up, no further one is compiled', () => {
    const compile = jest.spyOn(RE2JS, 'compile');
    jest.spyOn(process, 'threadCpuUsage').mockImplementation((before) => ({ user: before ? 30_000 : 0, system: 0 }));
    const patterns = Array.from({ length: 50 }, (_, i) => `[a-z]{${(i % 9) + 1}}x{${i}}`);
    const matcher = new PatternMatcher();
    expect(patterns.map((pattern) => matcher.matches(pattern, '1'))).not.toContain(true);
    expect(compile.mock.calls.length).toBe(4);
    jest.restoreAllMocks();
    const later = new PatternMatcher();
    expect(patterns.map((pattern, i) => later.matches(pattern, 'x'.repeat((i % 9) + 1 + i)))).not.toContain(false);
  });

  test('have 1,000 characters at most', () => {
    const matcher = new PatternMatcher();
    expect(matcher.matches('x?'.repeat(500), 'x')).toBe(true);
    expect(isPattern('x?'.repeat(500))).toBe(true);
    expect(() => matcher.matches('x'.repeat(1_001), 'x')).toThrow(
      'not a regular expression of at most 1,000 characters',
    );
    expect(isPattern('x'.repeat(1_001))).toBe(false);
  });

  test('match as ever when there are fifty of them', () => {
    extendTimeouts();
    const matcher = new PatternMatcher();
    const patterns = [
      '^\\d{4}-\\d{2}-\\d{2}$',
      '^(?=.*\\d)[\\d-]{10}$',
      '^[0-9-]{1,200}$',
      '^[\\s\\S]{0,1000}$',
      '^\\p{N}',
    ];
    const matched = patterns.flatMap((pattern) =>
      Array.from({ length: 10 }, () => matcher.matches(pattern, '2026-11-22')),
    );
    expect(matched.slice(0, 40)).toEqual(Array.from({ length: 40 }, () => true));
    expect(matched.slice(40)).toEqual(Array.from({ length: 10 }, () => false));
  });
});

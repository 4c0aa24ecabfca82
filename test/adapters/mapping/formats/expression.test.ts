import { describe, expect, test } from '@jest/globals';
import { compileExpression, createBudget, ExpressionFault } from '../../../../adapters/mapping/formats/expression.ts';
import type { SourceRecord } from '../../../../adapters/mapping/sources/source.ts';

const evaluate = (expression: string, record: SourceRecord) => compileExpression(expression)(record, createBudget());

describe('an expression', () => {
  test.each<readonly [expression: string, record: SourceRecord, value: unknown]>([
    ['record.APENOM.split(", ")[1] + " " + record.APENOM.split(", ")[0]', { APENOM: 'PAZ, ANA' }, 'ANA PAZ'],
    ['record.A.matches("^[0-9]+$") ? "1" : "2"', { A: '12' }, '1'],
    ['record.A.size()', { A: 'abc' }, '3'],
    ['record.N + 1.0', { N: 2 }, 3],
    ['record.L.filter(x, x != "b")', { L: ['a', 'b', 'c'] }, ['a', 'c']],
    ['has(record.A)', { B: '1' }, false],
    ['record.P.A', { P: { A: 'x' } }, 'x'],
    ['record["A"]', { A: 'x' }, 'x'],
    ['null', {}, null],
  ])('%s of %j', (expression, record, value) => {
    expect(evaluate(expression, record)).toEqual(value);
  });

  test.each<readonly [string, SourceRecord]>([
    ['record.B', { A: '1' }],
    ['record.A + 1', { A: '1' }],
    ['record.A.split(", ")[1]', { A: 'x' }],
    ['int(record.A)', { A: 'x' }],
    ['{"a": 1}', {}],
  ])('%s does not suit %j', (expression, record) => {
    expect(() => evaluate(expression, record)).toThrow();
  });
});

describe('no expression blocks the loop', () => {
  const long = 'a'.repeat(50_000);
  const many = Array.from({ length: 5_000 }, () => 'a');

  test('a pattern that keeps a backtracking engine busy for minutes takes linear time', () => {
    expect(evaluate('record.A.matches("^(a+)+$")', { A: `${'a'.repeat(5_000)}!` })).toBe(false);
    expect(evaluate('record.A.matches("(a|a)*b|(a*)*c")', { A: 'a'.repeat(5_000) })).toBe(false);
  });

  test.each<readonly [what: string, expression: string, record: SourceRecord]>([
    ['a macro over a long list', 'record.L.all(x, x == "a")', { L: many }],
    ['a macro in a macro', 'record.L.all(x, record.L.all(y, x == y))', { L: many.slice(0, 500) }],
    ['three of them', 'record.L.all(x, record.L.all(y, record.L.all(z, z == x)))', { L: many.slice(0, 60) }],
    [
      'one after another',
      'record.L.map(x, x + record.A).join("").split("").map(x, x + record.A)',
      { L: many.slice(0, 100), A: long.slice(0, 100) },
    ],
    ['the characters of a text', 'record.A.split("").exists(x, record.A.contains(x + "b"))', { A: long }],
    ['a pattern over a long text', 'record.A.matches("(a+)+(b|c)(a+)+$")', { A: long.repeat(10) }],
    [
      'a pattern in a macro',
      'record.L.all(x, record.A.matches("a*b"))',
      { L: many.slice(0, 1_000), A: long.slice(0, 1_000) },
    ],
    [
      'a text that doubles',
      'cel.bind(a, record.A + record.A, cel.bind(b, a + a, cel.bind(c, b + b, cel.bind(d, c + c, d + d)))).size()',
      { A: long.slice(0, 100) },
    ],
    [
      'a record that is used as a whole',
      'record.all(k, record.all(l, k == l))',
      Object.fromEntries(many.slice(0, 1_000).map((_, i) => [`k${i}`, 'x'])),
    ],
    ['a deep record', 'record.A.all(k, k.size() > 0)', { A: Array.from({ length: 300 }, () => many.slice(0, 100)) }],
  ])('%s is refused for a record that is too large', (_, expression, record) => {
    expect(() => evaluate(expression, record)).toThrow('the records are too large for the expression');
  });

  test('the records of one answer share what may be taken', () => {
    const matches = compileExpression('record.A.matches("^(a+)+$")');
    const [budget, record] = [createBudget(), { A: long.slice(0, 1_000) }];
    const readUntilRefused = (): number => {
      for (let count = 0; count < 10_000; count++) {
        try {
          matches(record, budget);
        } catch {
          return count;
        }
      }
      return Number.POSITIVE_INFINITY;
    };
    expect(readUntilRefused()).toBeGreaterThan(10);
    expect(readUntilRefused()).toBe(0);
  });

  test.each([
    ['a pattern out of the record', 'record.A.matches(record.B)', 'the pattern of matches() has to be written out'],
    ['a pattern that is made', 'record.A.matches("a" + "b")', 'the pattern of matches() has to be written out'],
    ['a separator out of the record', 'record.L.join(record.A)', 'the separator of join() has to be written out'],
    ['the time of a text', 'timestamp(record.A).getHours("UTC") == 1', 'getHours() is not there'],
    ['deep nesting', `${'('.repeat(30)}1${')'.repeat(30)}`, 'Exceeded'],
    ['more than 200 operations', Array.from({ length: 201 }, () => 'record.A').join(' + '), 'Exceeded'],
    ['a long list', `[${Array.from({ length: 51 }, () => '1').join(',')}].size()`, 'Exceeded'],
  ])('%s is refused at the start', (_, expression, what) => {
    expect(() => compileExpression(expression)).toThrow(ExpressionFault);
    expect(() => compileExpression(expression)).toThrow(what);
  });

  test('what an ordinary record takes is far from the limit', () => {
    const record = { APENOM: 'FERREYRA, ANA MARIA', NOTA: 'x'.repeat(10_000), L: many.slice(0, 20) };
    expect(evaluate('record.APENOM.split(", ").map(x, x.trim()).join(" ")', record)).toBe('FERREYRA ANA MARIA');
    expect(evaluate('record.L.filter(x, x.matches("^[a-z]$")).map(x, x + "!").size()', record)).toBe('20');
    expect(evaluate('record.NOTA.matches("^x+$")', record)).toBe(true);
  });
});

import { describe, expect, test } from '@jest/globals';
import { compileExpression, ExpressionFault } from '../../../../adapters/mapping/formats/expression.ts';
import type { SourceRecord } from '../../../../adapters/mapping/sources/source.ts';

const evaluate = (expression: string, record: SourceRecord) => compileExpression(expression)(record);

describe('an expression', () => {
  test.each<readonly [expression: string, record: SourceRecord, value: unknown]>([
    ['record.APENOM.split(", ")[1] + " " + record.APENOM.split(", ")[0]', { APENOM: 'PAZ, ANA' }, 'ANA PAZ'],
    ['record.A.startsWith("1") ? "1" : "2"', { A: '12' }, '1'],
    ['record.A.size()', { A: 'abc' }, '3'],
    ['record.N + 1.0', { N: 2 }, 3],
    ['record.A.replace(".", "").replace("-", "/")', { A: '3.3-4.4' }, '33/44'],
    ['record.A.split(",").join("; ")', { A: 'a,b' }, 'a; b'],
    ['minutesBetween(record.A, record.B)', { A: '09:45', B: '10:15:00' }, 30],
    ['minutesBetween(record.A, record.B)', { A: '2026-12-01 23:45', B: '2026-12-02T00:15:00' }, 30],
    ['minutesBetween(record.A, record.B)', { A: '2026-12-01T09:00:00-03:00', B: '2026-12-01T12:15:00Z' }, 15],
    ['minutesBetween(record.A, record.B, "dd/MM/yyyy HHmm")', { A: '01/12/2026 0900', B: '01/12/2026 0920' }, 20],
    ['(int(record.B) - int(record.A)) / 60000', { A: '1796119200000', B: '1796120400000' }, '20'],
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
    ['minutesBetween(record.A, "10:00")', { A: 'x' }],
    ['{"a": 1}', {}],
  ])('%s does not suit %j', (expression, record) => {
    expect(() => evaluate(expression, record)).toThrow();
  });
});

describe('no expression blocks the loop', () => {
  test.each([
    ['a regular expression, which may never end', 'record.A.matches("^(a+)+$")', 'matches() is not available: `codes`'],
    ['a separator out of the record', 'record.L.join(record.A)', 'join() requires the separator as literal text'],
    [
      'a macro over a list',
      'record.L.exists(x, x == "a")',
      'exists() is not available: a path finds entries of a list',
    ],
    ['a name for a value', 'cel.bind(a, record.A, a + a)', 'bind() is not available'],
    [
      'a text that is put in out of the record',
      'record.A.replace("a", record.B)',
      'replace() requires the searched text',
    ],
    [
      'a format out of the record',
      'minutesBetween(record.A, record.B, record.F)',
      'minutesBetween() requires the format',
    ],
    ['the time of a text', 'timestamp(record.A).getHours("UTC") == 1', 'getHours() is not available'],
    ['deep nesting', `${'('.repeat(30)}1${')'.repeat(30)}`, 'Exceeded'],
    ['more than 200 operations', Array.from({ length: 201 }, () => 'record.A').join(' + '), 'Exceeded'],
    ['a long list', `[${Array.from({ length: 51 }, () => '1').join(',')}].size()`, 'Exceeded'],
  ])('%s is refused at the start', (_, expression, what) => {
    expect(() => compileExpression(expression)).toThrow(ExpressionFault);
    expect(() => compileExpression(expression)).toThrow(what);
  });
});

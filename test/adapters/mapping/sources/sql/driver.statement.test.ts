import { describe, expect, test } from '@jest/globals';
import { bind, findSqlNames, readVerb } from '../../../../../adapters/mapping/sources/sql/driver.ts';

const numbered = { mark: (number: number) => `$${number}` };
const positional = { mark: () => '?', isPositional: true } as const;

describe('the :names of a statement', () => {
  test.each([
    ['WHERE id = :id', ['id']],
    ['a = :a AND b = :b OR a = :a', ['a', 'b']],
    ['IN (:all) AND x IN(:few)', ['all', 'few']],
    [`x = ':no' AND y = 'it''s :no' AND z = :yes`, ['yes']],
    ['":no" = :yes', ['yes']],
    ['`:no` = :yes', ['yes']],
    ['-- :no\n:yes', ['yes']],
    ['/* :no\n:no */ :yes', ['yes']],
    ['$$ :no $$ || $tag$ :no $$ $tag$ || :yes', ['yes']],
    ['x::text = :yes::text', ['yes']],
    ["'08:30' || y[1:2] || :yes", ['yes']],
    ["E'it\\'s :no' || :yes", ['yes']],
    ["data #> '{:no}' || :yes", ['yes']],
  ])('of %j are %j', (sql, names) => {
    expect([...findSqlNames(sql)]).toEqual(names);
  });
});

describe('what a statement does', () => {
  test.each([
    ['SELECT 1', 'SELECT'],
    ['-- UPDATE\n  update t SET a = 1', 'UPDATE'],
    ['WITH q AS (SELECT 1) DELETE FROM t', 'DELETE'],
    ["INSERT INTO t SELECT 'UPDATE'", 'INSERT'],
    ['/* x */ CALL p(:id)', 'CALL'],
    ['CREATE TABLE t (a INT)', ''],
  ])('is told of %j: %s', (sql, verb) => {
    expect(readVerb(sql)).toBe(verb);
  });
});

describe('binding', () => {
  test('gives a name one mark wherever it stands', () => {
    expect(bind('sexo = :gender OR :gender IS NULL', { gender: ['F'] }, numbered)).toMatchObject({
      sql: 'sexo = $1 OR $1 IS NULL',
      values: ['F'],
    });
  });

  test('gives a value again for each mark where marks have no number', () => {
    expect(bind('sexo = :gender OR :gender IS NULL', { gender: ['F'] }, positional)).toMatchObject({
      sql: 'sexo = ? OR ? IS NULL',
      values: ['F', 'F'],
    });
  });

  test('spreads all values over IN, and takes the first one elsewhere', () => {
    expect(bind('t IN (:type) AND :type = n', { type: ['LC', 'LE', 'CI'] }, numbered)).toMatchObject({
      sql: 't IN ($1, $2, $3) AND $1 = n',
      values: ['LC', 'LE', 'CI'],
    });
  });

  test('writes NULL for what nobody gave', () => {
    expect(bind('a = :a AND b IN (:b)', { b: [] }, numbered)).toMatchObject({
      sql: 'a = $1 AND b IN ($2)',
      values: [null, null],
    });
  });

  test('leaves what it does not bind as it was', () => {
    const sql = `SELECT ':a', ":b" -- :c\n, $x$ :d $x$ /* :e */ FROM t WHERE x::int = 1`;
    expect(bind(sql, {}, numbered)).toMatchObject({ sql, values: [] });
  });
});

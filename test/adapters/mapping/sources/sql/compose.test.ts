import { expect, test } from '@jest/globals';
import { composeQuestion, type KeyedQuestion } from '../../../../../adapters/mapping/sources/sql/compose.ts';

const compose = (question: Partial<KeyedQuestion>, ...given: string[]) =>
  composeQuestion(
    { select: 'SELECT * FROM t', conditions: [], ...question },
    (name) => given.filter((each) => each === name).length,
  );

test('a question without keys has what always holds, and its order', () => {
  expect(compose({ where: "deleted = 'N'", order: 'name' })).toBe(
    "SELECT * FROM t\nWHERE (deleted = 'N'\n)\nORDER BY name",
  );
  expect(compose({})).toBe('SELECT * FROM t');
});

test('what always holds cannot let others in by an OR, nor end in a comment', () => {
  const conditions = [{ name: 'id', is: '=', column: 't.id' }] as const;
  expect(compose({ where: 'a = 1 OR b = 2 -- both', conditions })).toBe(
    'SELECT * FROM t\nWHERE (a = 1 OR b = 2 -- both\n)\n  AND t.id = :id',
  );
});

test('a condition that may be left out stands only where there is a value, with what it joins', () => {
  const join = 'JOIN d ON d.id = t.id';
  const conditions = [
    { name: 'identifier', is: '=', column: 'd.number', join },
    { name: 'identifierType', is: '=', column: "coalesce(d.type, 'DNI')", join, isOptional: true },
  ] as const;
  expect(compose({ conditions }, 'identifier')).toBe(`SELECT * FROM t\n${join}\nWHERE d.number = :identifier`);
  expect(compose({ conditions }, 'identifier', 'identifierType')).toBe(
    `SELECT * FROM t\n${join}\nWHERE d.number = :identifier\n  AND (coalesce(d.type, 'DNI')\n) = :identifierType`,
  );
});

test('one value is compared by an equality, and several by IN', () => {
  const conditions = [{ name: 'id', is: '=', column: 'lower(id)' }] as const;
  expect(compose({ conditions }, 'id')).toBe('SELECT * FROM t\nWHERE (lower(id)\n) = :id');
  expect(compose({ conditions }, 'id', 'id')).toBe('SELECT * FROM t\nWHERE (lower(id)\n) IN (:id)');
});

test('the two limits of one column are one BETWEEN, and those of two columns are two comparisons', () => {
  const from = { name: 'from', is: '>=', column: 'starts' } as const;
  const to = { name: 'to', is: '<=', column: 'starts' } as const;
  for (const conditions of [
    [from, to],
    [to, from],
  ])
    expect(compose({ conditions })).toBe('SELECT * FROM t\nWHERE starts BETWEEN :from AND :to');
  expect(compose({ conditions: [{ ...to, column: 'ends' }, from] })).toBe(
    'SELECT * FROM t\nWHERE ends <= :to\n  AND starts >= :from',
  );
});

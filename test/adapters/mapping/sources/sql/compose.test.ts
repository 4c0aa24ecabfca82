import { expect, test } from '@jest/globals';
import { composeQuestion, type KeyedQuestion } from '../../../../../adapters/mapping/sources/sql/compose.ts';

const compose = (question: Partial<KeyedQuestion>, ...given: string[]) =>
  composeQuestion({ select: 'SELECT * FROM t', conditions: [], ...question }, (name) => given.includes(name));

test('a question without keys has what always holds, and its order', () => {
  expect(compose({ where: "deleted = 'N'", order: 'name' })).toBe(
    "SELECT * FROM t\nWHERE (deleted = 'N'\n)\nORDER BY name",
  );
  expect(compose({})).toBe('SELECT * FROM t');
});

test('what always holds cannot let others in by an OR, nor end in a comment', () => {
  const conditions = [{ name: 'id', is: '=', column: 't.id' }] as const;
  expect(compose({ where: 'a = 1 OR b = 2 -- both', conditions })).toBe(
    'SELECT * FROM t\nWHERE (a = 1 OR b = 2 -- both\n)\n  AND t.id IN (:id)',
  );
});

test('a condition that may be left out stands only where there is a value, with what it joins', () => {
  const join = 'JOIN d ON d.id = t.id';
  const conditions = [
    { name: 'identifier', is: '=', column: 'd.number', join },
    { name: 'identifierType', is: '=', column: "coalesce(d.type, 'DNI')", join, isOptional: true },
  ] as const;
  expect(compose({ conditions }, 'identifier')).toBe(`SELECT * FROM t\n${join}\nWHERE d.number IN (:identifier)`);
  expect(compose({ conditions }, 'identifier', 'identifierType')).toBe(
    `SELECT * FROM t\n${join}\nWHERE d.number IN (:identifier)\n  AND (coalesce(d.type, 'DNI')\n) IN (:identifierType)`,
  );
});

test('a window has both bounds', () => {
  const conditions = [
    { name: 'from', is: '>=', column: 'starts' },
    { name: 'to', is: '<=', column: 'starts' },
  ] as const;
  expect(compose({ conditions })).toBe('SELECT * FROM t\nWHERE starts >= :from\n  AND starts <= :to');
});

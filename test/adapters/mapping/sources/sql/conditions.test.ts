import { describe, expect, test } from '@jest/globals';
import { uses } from '../../../../../adapters/mapping/sources/sql/conditions.ts';
import { readVerb } from '../../../../../adapters/mapping/sources/sql/driver.ts';

describe('a question means one patient alone', () => {
  test.each([
    'SELECT * FROM t WHERE p = :id',
    'SELECT * FROM t WHERE :id = t.p AND estado = 1',
    "select * from t where estado in ('A', 'B') and upper(p) = upper(trim(:id))",
    'SELECT * FROM t WHERE p IN (:id) AND (tipo IN (:type) OR :type IS NULL)',
    'SELECT * FROM t WHERE (p = :id OR tutor = :id)',
    'SELECT * FROM t WHERE p = :id OR :id IS NULL',
    'SELECT * FROM t WHERE p = CAST(:id AS bigint)',
    'SELECT * FROM t WHERE "p" = :id::int',
    'SELECT * FROM t JOIN c ON c.x = t.x AND c.p = :id',
    'SELECT * FROM t LEFT JOIN d USING (x) INNER JOIN c ON c.p = :id',
    'SELECT * FROM t LEFT JOIN d ON d.x = t.x WHERE t.p = :id ORDER BY 1',
    'SELECT * FROM t WHERE x IN (SELECT x FROM d WHERE nro IN (:id))',
    'SELECT * FROM t WHERE EXISTS (SELECT 1 FROM d WHERE d.x = t.x AND d.nro = :id)',
    'SELECT * FROM t WHERE :id IN (SELECT nro FROM d WHERE d.x = t.x)',
    'SELECT * FROM (SELECT * FROM t WHERE p = :id) own',
    'WITH own AS (SELECT * FROM t WHERE p = :id) SELECT * FROM own',
    'SELECT a FROM t WHERE p = :id UNION ALL SELECT b FROM u WHERE p = :id',
    'SELECT * FROM appointments_of(:id)',
    'CALL appointments_of(:id)',
    "SELECT * FROM t -- that's all\nWHERE p = :id",
  ])('by %s', (sql) => {
    expect(uses(sql, 'id', 'key')).toBe(true);
  });

  test.each([
    'SELECT * FROM t',
    'SELECT *, :id AS p FROM t',
    'SELECT * FROM t -- WHERE p = :id',
    "SELECT * FROM t WHERE p = ':id'",
    'SELECT * FROM t WHERE p = :id OR estado = 1',
    'SELECT * FROM t WHERE estado = 1 AND tipo = 2 OR p = :id',
    'SELECT * FROM t WHERE p <> :id',
    'SELECT * FROM t WHERE NOT p = :id',
    'SELECT * FROM t WHERE NOT (p = :id)',
    'SELECT * FROM t WHERE p NOT IN (:id)',
    'SELECT * FROM t WHERE p >= :id',
    'SELECT * FROM t WHERE p LIKE :id',
    'SELECT * FROM t WHERE :id = :id',
    'SELECT * FROM t WHERE :id IS NOT NULL',
    'SELECT * FROM t WHERE 1 = :id',
    'SELECT * FROM t WHERE NOT EXISTS (SELECT 1 FROM d WHERE d.nro = :id)',
    'SELECT * FROM t WHERE x = (SELECT max(x) FROM d WHERE nro <> :id)',
    'SELECT * FROM t WHERE EXISTS (SELECT 1 FROM d WHERE d.nro = :id OR 1 = 1)',
    'SELECT * FROM t LEFT JOIN c ON c.x = t.x AND c.p = :id',
    'SELECT * FROM t LEFT OUTER JOIN (SELECT * FROM c WHERE p = :id) own ON own.x = t.x',
    'SELECT (SELECT x FROM c WHERE c.p = :id) FROM t',
    'SELECT a FROM t WHERE p = :id UNION ALL SELECT b FROM u',
    'SELECT * FROM t ORDER BY p = :id',
    '(SELECT * FROM t',
  ])('not by %s', (sql) => {
    expect(uses(sql, 'id', 'key')).toBe(false);
  });
});

describe('a change', () => {
  test.each([
    ['UPDATE t SET p = :p WHERE n = :n', 'p', 'kept', true],
    ['UPDATE t SET p = :p WHERE n = :n', 'p', 'key', false],
    ['UPDATE t SET p = :p WHERE n = :n', 'n', 'key', true],
    ['UPDATE t SET p = :p WHERE n = :n', 'n', 'kept', false],
    ['DELETE FROM t WHERE n = :n', 'n', 'key', true],
    ['INSERT INTO t (a, b) VALUES (:a, upper(:b))', 'b', 'kept', true],
    ['INSERT INTO t (a) SELECT :a WHERE NOT EXISTS (SELECT 1 FROM t WHERE b = :b)', 'a', 'kept', true],
    ['INSERT INTO t (a) SELECT :a WHERE NOT EXISTS (SELECT 1 FROM t WHERE b = :b)', 'b', 'kept', false],
    ['INSERT INTO t (a) SELECT id FROM p WHERE id = :b', 'b', 'kept', true],
    ['INSERT INTO t SET a = :a', 'a', 'kept', true],
    ['CALL book(:a)', 'a', 'kept', true],
  ] as const)('%s uses :%s as %s: %s', (sql, name, use, isUsed) => {
    expect(uses(sql, name, use)).toBe(isUsed);
  });
});

test('a window is two bounds in a condition', () => {
  const sql = 'SELECT * FROM t WHERE a BETWEEN :from AND :to AND (b = :b OR c = 1)';
  expect(['from', 'to', 'b'].map((name) => uses(sql, name, 'window'))).toEqual([true, true, false]);
});

test('what a statement does is its first verb, after comments and WITH', () => {
  const statements = ['-- UPDATE\nSELECT replace(a, 1, 2)', 'WITH a AS (SELECT 1) UPDATE t SET b = 1', 'call p()', 'x'];
  expect(statements.map(readVerb)).toEqual(['SELECT', 'UPDATE', 'CALL', '']);
});

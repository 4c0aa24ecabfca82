import { expect, test } from '@jest/globals';
import { canPass, describeDatabaseCode, explanations } from '../../src/database/database.ts';

test.each([
  'ECONNREFUSED',
  'ENOTFOUND',
  'PG_08006',
  'PG_57P03',
  'PG_53300',
  'connect_timeout',
  'pool_busy',
  'SQLITE_FULL',
])('%s is waited for', (code) => expect(canPass(code)).toBe(true));

test.each(['PG_28P01', 'PG_3D000', 'PG_42501', 'tls_refused', 'password_missing', 'ERR_INVALID_URL', 'SQLITE_NOTADB'])(
  '%s needs another setting',
  (code) => expect(canPass(code)).toBe(false),
);

test.each(Object.entries(explanations))('%s is explained as a fault, a colon and what to do', (_code, sentence) => {
  expect(sentence).toMatch(/^[^:]+: [^:]+$/);
});

test('a code that nobody explains is shown as it is', () => {
  expect(describeDatabaseCode('PG_XX000')).toBe('PG_XX000');
  expect(describeDatabaseCode('PG_28P01')).toMatch(/^PG_28P01: the user or the password is wrong: .*percent-encode /);
});

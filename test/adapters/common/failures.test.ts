import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { checkBirthDate, createPromisedFailure } from '../../../adapters/common/failures.ts';

describe('a failure that a port promises', () => {
  test.each([
    ['change_request_open', 'conflict', undefined],
    ['coverage_exists', 'conflict', undefined],
    ['no_change_request', 'not_found', undefined],
    ['no_main_practitioner', 'not_found', undefined],
    ['not_cancelable', 'conflict', undefined],
    ['relation_exists', 'conflict', undefined],
    ['search_too_wide', 'invalid', undefined],
    ['slot_taken', 'conflict', undefined],
    ['slot_unknown', 'invalid', 'start'],
  ] as const)('with the code %s is %s, as the port says', (code, kind, at) => {
    expect(createPromisedFailure(code)).toMatchObject({ name: 'Failure', code, kind, at });
    const ports = globSync('src/ports/*.ts').map((file) => readFileSync(file, 'utf8'));
    const field = at === undefined ? '' : ` at \`${at}\``;
    expect(ports.some((text) => new RegExp(`${kind}[^@]*\`${code}\`${field}`).test(text))).toBe(true);
  });
});

describe('a birth date', () => {
  test.each(['2026-10-19', '1900-01-01', undefined])('may be today or earlier, or not given: %s', (birthDate) => {
    expect(() => checkBirthDate(birthDate, '2026-10-19')).not.toThrow();
  });

  test('is refused when it is tomorrow', () => {
    const failure = expect.objectContaining({ kind: 'invalid', at: 'birthDate' });
    expect(() => checkBirthDate('2026-10-20', '2026-10-19')).toThrow(failure);
  });
});

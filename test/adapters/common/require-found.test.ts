import { describe, expect, test } from '@jest/globals';
import { requireFound } from '../../../adapters/common/require-found.ts';

describe('what a request names', () => {
  test('is given when it was found', () => {
    const found = { id: 'a' };
    expect(requireFound(found, 'reason', 'reasonId')).toBe(found);
    expect(requireFound(true, 'reason', 'reasonId')).toBe(true);
  });

  test.each([undefined, false] as const)('is invalid at its field when it was not: %s', (found) => {
    const failure = { kind: 'invalid', message: 'there is no such reason', at: 'reasonId' };
    expect(() => requireFound(found, 'reason', 'reasonId')).toThrow(expect.objectContaining(failure));
  });
});

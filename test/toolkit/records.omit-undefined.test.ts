import { describe, expect, test } from '@jest/globals';
import { omitUndefined } from '../../src/toolkit/records.ts';

describe('what is left without undefined', () => {
  test('has no key whose value was undefined, and every other', () => {
    const values = { name: undefined, email: '', phone: null, active: false };
    expect(Object.entries(omitUndefined(values))).toEqual([
      ['email', ''],
      ['phone', null],
      ['active', false],
    ]);
    expect(values).toHaveProperty('name');
  });

  test('has in its type that a key may be absent, and that none is undefined', () => {
    const { name, email } = omitUndefined<{ name: string | undefined; email: string }>({ name: undefined, email: 'x' });
    expect(email.length).toBe(1);
    // @ts-expect-error may be absent
    expect(() => name.length).toThrow();
    const exact: { name?: string; email: string } = omitUndefined<{ name?: string | undefined; email: string }>({
      name: undefined,
      email: 'x',
    });
    expect(exact).not.toHaveProperty('name');
  });
});

import { describe, expect, test } from '@jest/globals';
import { readToken } from '../../../src/cli/contract/token.ts';

const environment = { PUENTE_CONTRACT_TOKEN: 'default', OTHER: 'other' };

describe('the token', () => {
  test('is that of the option, of standard input, of the variable that is named, or of PUENTE_CONTRACT_TOKEN', () => {
    expect(readToken({ token: 'given' }, environment)).toBe('given');
    expect(readToken({ tokenStdin: true }, environment, () => 'piped\n')).toBe('piped');
    expect(readToken({ tokenEnv: 'OTHER' }, environment)).toBe('other');
    expect(readToken({}, environment)).toBe('default');
  });

  test('may be left out', () => {
    expect(readToken({}, {})).toBeUndefined();
  });

  test('that is not where it should be, or cannot be one, is refused without being shown', () => {
    expect(() => readToken({ tokenEnv: 'NONE' }, environment)).toThrow('the environment has no NONE');
    expect(() => readToken({ tokenStdin: true }, {}, () => '')).toThrow('standard input holds no token');
    expect(() => readToken({ token: 'two words' }, {})).toThrow(/^--token holds no token$/);
  });
});

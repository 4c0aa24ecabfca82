import { afterAll, describe, expect, test } from '@jest/globals';
import { findProblems, folder } from '../support/read-config.ts';

afterAll(() => folder.remove());

const suggest = (yaml: string) => findProblems(yaml)[0]?.split('; ')[1];
const suggestOperation = (name: string) => suggest(`guard: { operations: { ${name}: {} } }`);

describe('a word that is close to a known one', () => {
  test.each([
    ['getPatien', 'getPatient'],
    ['GETPATIENT', 'getPatient'],
    ['fetAvailableSlots', 'getAvailableSlots'],
    ['getAvailableSl', 'getAvailableSlots'],
    ['fetAvailableSlo', 'getAvailableSlots'],
  ])('is taken for it with up to three letters wrong: %s for %s', (word, meant) => {
    expect(suggestOperation(word)).toBe(`did you mean ${meant}?`);
  });

  test('is taken for none with four letters wrong', () => {
    expect(suggestOperation('getAvailableS')).toBeUndefined();
    expect(suggestOperation('fetAvailableSl')).toBeUndefined();
  });

  test('is taken for it with fewer letters wrong when it is short', () => {
    expect(suggest('log: { levl: info }')).toBe('did you mean level?');
    expect(suggest('log: { lvl: info }')).toBeUndefined();
    expect(suggest('log: { leavl: info }')).toBe('did you mean level?');
    expect(suggest('lg: { level: info }')).toBe('did you mean log?');
  });
});

import { describe, expect, test } from '@jest/globals';
import { formatPractitionerName } from '../../../../adapters/fhir/practitioners/read.ts';
import { pickName } from '../../../../adapters/fhir/schema/read.ts';

describe('a practitioner', () => {
  const name = [{ text: 'PAZ JULIA', family: 'Paz', given: ['Julia'], prefix: ['Dra.'] }];

  test.each([
    ['text', 'PAZ JULIA'],
    ['given-first', 'Dra. Julia Paz'],
    ['family-first', 'Dra. Paz Julia'],
  ] as const)('is called by %s as %s', (order, words) => {
    expect(formatPractitionerName(name, order, () => true)).toBe(words);
  });

  test('without a name is called nothing', () => {
    expect(formatPractitionerName(undefined, 'text', () => true)).toBe('');
    expect(pickName([], () => true)).toBeUndefined();
  });
});

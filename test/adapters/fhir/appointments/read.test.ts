import { describe, expect, test } from '@jest/globals';
import { toModality } from '../../../../adapters/fhir/appointments/read.ts';

describe('the modality', () => {
  const category = (code: string) => [
    { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode', code }] },
  ];

  test('is virtual, in person, or not said', () => {
    expect(toModality(category('VR'))).toBe('virtual');
    expect(toModality(category('AMB'))).toBe('in-person');
    expect(toModality([{ text: 'x' }])).toBeUndefined();
    expect(toModality(undefined)).toBeUndefined();
  });
});

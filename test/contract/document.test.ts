import { describe, expect, test } from '@jest/globals';
import { operations } from '../../src/api/index.ts';
import { documented } from '../../src/contract/cases/document-conformance.ts';

describe('the transcription of the API document', () => {
  test('has the 25 operations of Group A and the 8 of Group B in 10 variants', () => {
    const ofB = documented.filter(({ operationId }) => operationId !== undefined);
    expect(ofB).toHaveLength(10);
    expect(documented).toHaveLength(35);
  });

  test('and the declared operations are the same, one to one, in the same order', () => {
    expect(operations.map(({ route }) => route)).toEqual(documented.map(({ route }) => route));
  });

  test.each(documented.map((entry) => [entry.route, entry] as const))(
    '%s is declared as it is transcribed',
    (_, entry) => {
      const declared = operations.find(({ route }) => route === entry.route);
      expect(declared?.returns[0]).toBe(entry.status);
      expect(declared?.uses).toBe(entry.needs);
      if (entry.operationId) expect(declared?.name).toBe(entry.operationId);
    },
  );
});

import { describe, expect, test } from '@jest/globals';
import { parseOutcome, toStatusFailure } from '../../../../adapters/fhir/rest/errors.ts';
import { readWords } from '../../../../adapters/fhir/rest/words.ts';
import { findSaid } from '../../../../src/toolkit/failures.ts';

describe('the words of a server', () => {
  test.each([
    [
      'HAPI-0524: Unknown search parameter "_offset" for resource type "Slot". Valid search parameters for this search are: [_id, start]',
      ['_offset'],
      'HAPI-0524 Unknown search parameter _offset for resource type Slot',
    ],
    ['Invalid value Prueba for identifier: 31465466', ['identifier'], 'Invalid value … for identifier …'],
    ['Dante Prueba, nacido 1990-05-06', [], undefined],
    ['_include:iterate is not supported', ['_include'], '… is not supported'],
  ])('%s name a parameter, and keep no value', (text, names, words) => {
    expect(readWords([text])).toEqual({ names, words });
  });

  test('stand under a failure with the issue code, for the log', () => {
    const issue = [{ severity: 'error', code: 'not-supported', diagnostics: 'Unsupported parameter _sort of Prueba' }];
    const failure = toStatusFailure(400, parseOutcome({ resourceType: 'OperationOutcome', issue }), 'read');
    expect(findSaid(failure)).toBe('not-supported: Unsupported parameter _sort of …');
  });
});

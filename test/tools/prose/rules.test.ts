import { describe, expect, test } from '@jest/globals';
import { checkSentence, listSentences, listWords } from './rules.ts';

const rulesOf = (sentence: string) => checkSentence(sentence).map(({ rule }) => rule);

describe('the rules for a sentence', () => {
  test.each([
    ['Incomplete patients are still returned.', []],
    ['Who lacks something is shown all the same.', ['headless']],
    ['What cannot be read closes more, never less.', ['headless']],
    ['What is kept', []],
    ['What does an adapter return?', []],
    ['The file is read, its columns are compared, and its rows are counted.', ['passive']],
    ['Otherwise it is retried, and nobody else is asked.', []],
    ['A place is needed, else it waits.', ['word']],
    ['The page says what stands there.', ['word', 'word']],
    [`${'word '.repeat(31)}.`, ['length']],
    [`${'CODE, '.repeat(40)}.`, []],
  ])('%s', (sentence, expected) => {
    expect(rulesOf(sentence)).toEqual(expected);
  });

  test('leave the words of names and code to no dictionary', () => {
    expect(listWords('Puente’s `x` reads a camelCase name, FHIR, 5xx and docs/x.md; it normalises.')).toEqual([
      ...['Puente', 'reads', 'name', 'and', 'it', 'normalises'],
    ]);
  });

  test('take an abbreviation for no end of a sentence', () => {
    expect(listSentences('Set a key, e.g. this one. Then go on.')).toHaveLength(2);
  });
});

import { describe, expect, test } from '@jest/globals';
import { readWords } from '../../../src/cli/mapping/index.ts';

describe('the words after puente mapping try', () => {
  test('are a question and values by name, several of one name in a list', () => {
    const words = ['appointments.book', '--slotIds', '7', '--slotIds', '8', '--authorization', 'true'];
    expect(readWords(words)).toEqual({
      entry: 'appointments.book',
      given: { slotIds: ['7', '8'], authorization: true },
    });
  });

  test('may have the values first', () => {
    expect(readWords(['--id', '12', 'patients.byId'])).toEqual({ entry: 'patients.byId', given: { id: '12' } });
  });

  test.each([
    [['patients.byDocument', '--identifer', '1'], '--identifer is not known; did you mean --identifier?'],
    [['patients.byId', '--id'], '--id needs a value after it'],
    [['--id', '1'], 'name one question, e.g. patients.byId --id 12'],
  ])('are refused with what mends them: %j', (words, problem) => {
    expect(() => readWords(words)).toThrow(expect.objectContaining({ problems: [problem] }));
  });

  test.each([[[]], [['a', 'b']], [['a', '--nothing', '1']], [['a', '--id']]])('are refused: %j', (words) => {
    expect(() => readWords(words)).toThrow(expect.objectContaining({ name: 'ConfigProblems' }));
  });
});

import { afterAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { adapter } from '../../adapters/adapter.ts';
import { readConfig } from '../../src/config/read.ts';
import { findProblems, folder, listProblems } from '../support/read-config.ts';

afterAll(() => folder.remove());

test('a number or a length beyond its end is told with the end, and whether that itself is allowed', () => {
  const settings = z.strictObject({
    atLeast: z.number().min(2),
    moreThan: z.number().gt(2),
    atMost: z.number().max(2),
    lessThan: z.number().lt(2),
    filled: z.string().min(1),
    long: z.string().min(3),
    short: z.string().max(3),
    many: z.array(z.string()).min(2),
    few: z.array(z.string()).max(2),
  });
  const bounded = adapter({ settings, offer: () => ({}) });
  const given =
    "{ atLeast: 1, moreThan: 2, atMost: 3, lessThan: 2, filled: '', long: ab, short: abcd, many: [a], few: [a, b, c] }";
  const file = folder.write('x.yaml', `adapter:\n  name: bounded\n  settings: ${given}\n`);
  expect(listProblems(() => readConfig({ file, environment: {}, adapters: { bounded } }))).toEqual(
    [
      'atLeast: must be at least 2',
      'moreThan: must be more than 2',
      'atMost: must be at most 2',
      'lessThan: must be less than 2',
      'filled: must not be empty',
      'long: must have at least 3 characters',
      'short: must have at most 3 characters',
      'many: must have at least 2 entries',
      'few: must have at most 2 entries',
    ].map((line) => `x.yaml:3 adapter.settings.${line}`),
  );
});

const suggest = (yaml: string) => findProblems(yaml)[0]?.split(': ').at(-1);

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
    expect(suggestOperation('getAvailableS')).toBe('remove it');
    expect(suggestOperation('fetAvailableSl')).toBe('remove it');
  });

  test('is taken for it with fewer letters wrong when it is short', () => {
    expect(suggest('log: { levl: info }')).toBe('did you mean level?');
    expect(suggest('log: { lvl: info }')).toBe('remove it');
    expect(suggest('log: { leavl: info }')).toBe('did you mean level?');
    expect(suggest('lg: { level: info }')).toBe('did you mean log?');
  });
});

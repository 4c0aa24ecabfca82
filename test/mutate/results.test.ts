import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { findReason } from './equivalents.ts';
import { Results } from './results.ts';

const folder = mkdtempSync(join(tmpdir(), 'mutate-'));
afterAll(() => rmSync(folder, { recursive: true }));
const mutant = {
  file: 'src/a.ts',
  start: 4,
  end: 5,
  line: 2,
  code: 'a(1);',
  operator: 'number',
  original: '1',
  replacement: '2',
};

test('a outcome holds until its file changes, and that of a survivor until the tests do', () => {
  const file = join(folder, 'results.jsonl');
  const first = new Results(file, 'tests');
  const other = { ...mutant, replacement: '3' };
  first.add(mutant, 'text', { state: 'killed', by: 'types' });
  first.add(other, 'text', { state: 'survived', tests: 1, left: 0 });
  const find = (tests: string, text = 'text') => {
    const again = new Results(file, tests);
    return [again.find(mutant, text)?.state, again.find(other, text)?.state];
  };
  expect(find('tests')).toEqual(['killed', 'survived']);
  expect(find('other tests')).toEqual(['killed', undefined]);
  expect(find('tests', 'other text')).toEqual([undefined, undefined]);
});

test('the reason for an equivalent mutant is found by the line, wherever that has moved to', () => {
  const entry = { file: 'src/a.ts', code: 'a(1);', original: '1', replacement: '2', reason: 'nobody looks' };
  expect(findReason([entry], mutant)).toBe('nobody looks');
  expect(findReason([entry], { ...mutant, line: 3 })).toBe('nobody looks');
  expect(findReason([entry], { ...mutant, code: 'b(1);' })).toBeUndefined();
  expect(findReason([entry], { ...mutant, replacement: '0' })).toBeUndefined();
});

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { rows } from './rows.ts';

/** The file with what it shares with others of its kind. */
function readWithShared(file: string): string {
  if (!existsSync(file)) return '';
  const text = readFileSync(file, 'utf8');
  const shared = [...text.matchAll(/from '(\.[^']*support\/[^']+-contract\.ts)'/g)];
  return [text, ...shared.map(([, path = '']) => readFileSync(join(dirname(file), path), 'utf8'))].join('\n');
}

describe('the fault matrix', () => {
  test('has every row from F01 to F53', () => {
    const numbers = Array.from({ length: 53 }, (_, i) => `F${String(i + 1).padStart(2, '0')}`);
    expect(Object.keys(rows)).toEqual(numbers);
  });

  test.each(Object.entries(rows))('%s names tests that are there, or says why there are none', (number, row) => {
    const missing = Object.entries(row.tests).flatMap(([file, titles]) => {
      const text = readWithShared(file);
      const wanted = titles.length > 0 ? titles.map((title) => `'${title}'`) : [`'${number} `];
      return wanted.filter((title) => !text.includes(title)).map((title) => `${file}: ${title}`);
    });
    expect(missing).toEqual([]);
    expect(Object.keys(row.tests).length > 0 || row.leftOut !== undefined).toBe(true);
  });
});

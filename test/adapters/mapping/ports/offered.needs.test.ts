import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { mustMean, type Need, needs } from '../../../../adapters/mapping/ports/offered.ts';

const page = readFileSync('docs/mapping.md', 'utf8');
const quote = (text: string): string => `\`${text}\``;
const formatNeed = (need: Need): string => (typeof need === 'string' ? [need] : need).map(quote).join(' or ');

describe('docs/mapping.md', () => {
  test.each(Object.entries(needs))('says what %s needs', (method, list) => {
    expect(page).toContain(`| ${quote(method)} | ${list.map(formatNeed).join(', ')} |\n`);
  });

  test.each(Object.entries(mustMean))('says what the change of %s must be able to mean', (method, pair) => {
    expect(page).toContain(`| ${[method, ...pair].map(quote).join(' | ')} |\n`);
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { access } from '../../../adapters/fhir/access.ts';
import { readTableOfRights } from '../../support/documented-rights.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/reference/fhir/set-up.md'), 'utf8');

/** What the third column of the page has in code for a type: parameters, and what is included. */
function readSearches(type: string): string[] {
  const rows = page
    .split('\n')
    .map((line) => line.split(' | '))
    .filter(([, rights = '']) => /^(read|search)/.test(rights));
  const [types = '', , cell = ''] =
    rows.find(([first = '']) => first.replace('| ', '').split(', ').includes(type)) ?? [];
  const others = types
    .replace('| ', '')
    .split(', ')
    .filter((each) => each !== type);
  return [...cell.matchAll(/`([^`]+)`/g)]
    .map(([, text = '']) => text.replace(/^_include(:iterate)?=/, ''))
    .filter((text) => text !== 'transactions: trust' && !others.some((each) => text.startsWith(`${each}:`)));
}

test('an examination asks for the rights and the searches that docs/reference/fhir/set-up.md names', () => {
  const named = readTableOfRights();
  expect(Object.fromEntries(access.map(({ type, rights }) => [type, rights]))).toEqual(named);
  for (const { type, parameters = [], includes = [] } of access) {
    expect({ type, searches: [...parameters, ...includes].toSorted() }).toEqual({
      type,
      searches: readSearches(type).toSorted(),
    });
  }
});

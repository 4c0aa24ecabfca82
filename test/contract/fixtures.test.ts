import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { describedFixtures } from '../../src/contract/fixtures.ts';
import { packageRoot } from '../../src/toolkit/package.ts';

/** The names of an interface in the code with the comment before each, those in a section after its name. */
function readInterface(source: string): Map<string, string> {
  const sentences = new Map<string, string>();
  let section = '';
  for (const [, comment = '', indent, name, opens] of source.matchAll(
    /(?:\/\*\*([^/]*)\*\/\n)? {2}( {2})?readonly (\w+)\?: ([{])?/g,
  )) {
    if (opens) section = `${name}.`;
    else sentences.set(`${indent ? section : ''}${name}`, comment.replaceAll(/\s*\n *\* ?/g, ' ').trim());
  }
  return sentences;
}

test('an editor shows of each fixture what a fixture map says of it', () => {
  const source = readFileSync(join(packageRoot, 'src/contract/fixtures.ts'), 'utf8');
  const shown = readInterface(
    source.slice(
      source.indexOf('interface NamedFixtures'),
      source.indexOf('\n}\n', source.indexOf('interface NamedFixtures')),
    ),
  );
  const described = new Map([...describedFixtures].map(([name, { description = '' }]) => [name, description]));
  expect(shown).toEqual(described);
});

import { spawnSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { listCommandBlocks } from './support/command-blocks.ts';
import { testInShells } from './support/shells.ts';

// A reader pastes a block into the shell that they have: bash, the zsh of macOS, or fish. What only one of them knows stands in
// the quotes of `sh -c`.

const blocks = listCommandBlocks();

/** What a shell that somebody types into does not know, with quoted text taken away. */
const faults: readonly (readonly [string, RegExp])[] = [
  ['a comment, which zsh takes for arguments', /(^|\s)#/m],
  ['an assignment alone, which fish refuses: use export', /^\s*\w+=(\S*\s*$|\$\()/m],
  ['a here-document', /<</],
  ['a loop or a condition', /;\s*(do|then)\b/],
  ['a subshell', /(^|[;&|]\s*)\(/m],
  ['a file that is sourced', /(^|[;&|]\s*)(\.|source)\s/m],
  ['set, which sets variables in fish', /(^|[;&|]\s*)set\s/m],
  ['a test in double brackets', /\[\[/],
  ['a process substitution', /[<>]\(/],
];

const stripQuotes = (text: string): string => text.replaceAll(/'[^']*'/g, "''").replaceAll(/"[^"]*"/g, '""');

test('the pages have blocks of commands', () => {
  const places = blocks.map(({ place }) => place.split(':')[0]);
  for (const page of ['README.md', 'docs/how-to/deploy.md', 'docs/tutorials/es/primera-hora.md'])
    expect(places).toContain(page);
});

test('no block of commands has what one of the shells does not know', () => {
  const found = blocks.flatMap(({ place, text }) =>
    faults.filter(([, pattern]) => pattern.test(stripQuotes(text))).map(([fault]) => `${place} has ${fault}`),
  );
  expect(found).toEqual([]);
});

test.each([
  ['npm start # then', 'a comment'],
  ['DATE=$(date)', 'an assignment'],
  ['A=1', 'an assignment'],
  ['cat <<END\nEND', 'a here-document'],
  ['for a in b; do c; done', 'a loop'],
  ['cd a && (set -a; b)', 'a subshell'],
  ['. ./secrets', 'a file'],
  ['set -a', 'set'],
])('%j is found to be %s', (text, expected) => {
  const [fault] = faults.find(([, pattern]) => pattern.test(stripQuotes(text))) ?? [];
  expect(fault).toMatch(new RegExp(`^${expected}`));
});

testInShells('every block of commands is understood by the shell', ({ name, run, check }) => {
  const wrong = blocks.flatMap(({ place, text }) => {
    const { status, stderr } = spawnSync(name, [...run.slice(0, -1), check, '-c', text], { encoding: 'utf8' });
    return status === 0 && stderr === '' ? [] : [`${place} ${stderr.split('\n')[0]}`];
  });
  expect(wrong).toEqual([]);
});

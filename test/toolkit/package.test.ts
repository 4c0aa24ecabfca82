import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { buildVersion, findCommit, version } from '../../src/toolkit/package.ts';
import { makeFolder } from '../support/sqlite-state.ts';

const folder = makeFolder();
const commit = '1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d';

/** A clone with these files. */
function makeClone(name: string, files: Readonly<Record<string, string>>): string {
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, name, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${text}\n`);
  }
  return join(folder, name);
}

describe('the commit of a clone', () => {
  test.each([
    ['of its branch', { '.git/HEAD': 'ref: refs/heads/main', '.git/refs/heads/main': commit }],
    [
      'of a branch that git has packed',
      {
        '.git/HEAD': 'ref: refs/heads/main',
        '.git/packed-refs': `# pack-refs\n${'0'.repeat(40)} refs/heads/a-main\n${commit} refs/heads/main`,
      },
    ],
    ['of a tag that was checked out', { '.git/HEAD': commit }],
    [
      'of a worktree',
      {
        '.git': 'gitdir: main.git/worktrees/a',
        'main.git/worktrees/a/HEAD': 'ref: refs/heads/a',
        'main.git/worktrees/a/commondir': '../..',
        'main.git/refs/heads/a': commit,
      },
    ],
  ])('is found: that %s', (name, files) => {
    expect(findCommit(makeClone(name, files))).toBe(commit);
  });

  test.each([
    ['there is no git', { 'package.json': '{}' }],
    ['nothing was committed yet', { '.git/HEAD': 'ref: refs/heads/main' }],
  ])('is not known where %s', (name, files) => {
    expect(findCommit(makeClone(name, files))).toBeUndefined();
  });
});

test('a build is called by its version and its commit', () => {
  expect(buildVersion).toMatch(/^\d+\.\d+\.\d+(-dev)?(\+[0-9a-f]{8})?$/);
  expect(buildVersion.startsWith(version)).toBe(true);
});

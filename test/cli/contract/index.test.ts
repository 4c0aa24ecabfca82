import { expect, test } from '@jest/globals';
import { contract } from '../../../src/cli/contract/index.ts';

contract.exitOverride().configureOutput({ writeErr: () => {} });

const run = (...options: readonly string[]) => contract.parseAsync(options, { from: 'user' });

test.each([
  ['--list', '--level safe'],
  ['--list', '--bail'],
  ['--list', '--verbose'],
  ['--list', '--json r.json'],
  ['--list', '--junit r.xml'],
  ['--list', '--html r.html'],
  ['--list', '--explore 1'],
  ['--explore 1', '--only patients'],
  ['--explore 1', '--bail'],
  ['--explore 1', '--verbose'],
  ['--explore 1', '--json r.json'],
  ['--explore 1', '--junit r.xml'],
  ['--explore 1', '--html r.html'],
])('puente contract %s refuses %s, which it would not heed', async (mode, other) => {
  const [, name] = other.split(/[- ]+/);
  const message = expect.stringMatching(new RegExp(`cannot be used with option '--${name}\\b`));
  await expect(run(...`${mode} ${other}`.split(' '))).rejects.toMatchObject({ message });
});

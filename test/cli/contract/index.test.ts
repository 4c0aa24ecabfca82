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
])('puente contract %s refuses %s, which it would not heed', async (mode, other) => {
  const [, name] = other.split(/[- ]+/);
  const message = expect.stringMatching(new RegExp(`cannot be used with option '--${name}\\b`));
  await expect(run(...`${mode} ${other}`.split(' '))).rejects.toMatchObject({ message });
});

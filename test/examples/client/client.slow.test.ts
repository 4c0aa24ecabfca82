import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

const run = promisify(execFile);
/** The command as the package has it; npx would ask which package that is. */
const env = { ...process.env, PUENTE: `"${process.execPath}" src/cli/launch.cjs`, NODE_OPTIONS: '' };

test('the client in TypeScript survives fifteen things', async () => {
  const args = ['--test', '--test-reporter=tap', 'examples/client/client.test.ts'];
  const { stdout } = await run(process.execPath, args, { env });
  expect(stdout).toMatch(/^# pass 15$/m);
  expect(stdout).toMatch(/^# (fail|skipped) 0$/m);
});

const { status } = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']);
const inPython = status === 0 ? test : test.skip;
const unless = status === 0 ? '' : ' (skipped: there is no python3 of version 3.9 or later here)';

inPython(`the client in Python survives fifteen things${unless}`, async () => {
  const { stderr } = await run('python3', ['-m', 'unittest', 'discover', 'examples/client'], { env });
  expect(stderr).toMatch(/Ran 15 tests in .*\n\nOK/);
});

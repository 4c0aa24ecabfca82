import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
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

const go = spawnSync('go', ['version'], { encoding: 'utf8' });
const [, major = 0, minor = 0] = (/go(\d+)\.(\d+)/.exec(go.stdout ?? '') ?? []).map(Number);
const hasGo = major > 1 || (major === 1 && minor >= 24);
const inGo = hasGo ? test : test.skip;
const unlessGo = hasGo ? '' : ' (skipped: there is no go of version 1.24 or later here)';

inGo(
  `the client in Go survives fifteen things${unlessGo}`,
  async () => {
    const puente = `"${process.execPath}" "${resolve('src/cli/launch.cjs')}"`;
    const options = { cwd: 'examples/client/go', env: { ...env, PUENTE: puente, GOTOOLCHAIN: 'local' } };
    const { stdout } = await run('go', ['test', '-count=1', '-v', './...'], options);
    expect(stdout.match(/^--- PASS: Test/gm)).toHaveLength(15);
    expect(stdout).not.toMatch(/^--- (FAIL|SKIP)/m);
  },
  120_000,
);

const kits = ['client.test.ts', 'test_client.py', 'go/client_test.go'];

test.each(kits)('each of the fifteen in %s takes at most ten lines', (file) => {
  const bodies = readFileSync(`examples/client/${file}`, 'utf8')
    .split(/^(?: {2}test\('|(?: {4})?def test_|func Test)\d+/m)
    .slice(1)
    .map((text) => text.split('\n').slice(1));
  const lines = bodies.map((body) => {
    const end = body.findIndex((line) => /^( {2}\}\);|\}|)$/.test(line));
    return body.slice(0, end).filter((line) => line.trim() !== '').length;
  });
  expect(lines).toHaveLength(15);
  expect(Math.max(...lines)).toBeLessThanOrEqual(10);
});

import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { PuenteProcess, runPuente } from '../support/process.ts';
import { makeFolder } from '../support/sqlite-state.ts';

const folder = makeFolder();

test('serve --sandbox prints one line of JSON, writes it to the file, and can be asked by it', async () => {
  const file = join(folder, 'ready.json');
  writeFileSync(file, 'of an earlier run');
  const config = join(folder, 'other.yaml');
  writeFileSync(config, 'adapter: { name: fhir }');
  const running = new PuenteProcess(['serve', '--sandbox', '--port', '0', '--ready-file', file], {
    PUENTE_CONFIG: config,
  });
  await running.waitForOutput('\n');
  expect(readFileSync(file, 'utf8')).toBe(running.stdout);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const { url, token, pid } = JSON.parse(running.stdout);
  expect(pid).toBe(running.pid);
  const headers = { Authorization: `Bearer ${token}`, 'Puente-Scenario': 'overloaded' };
  const response = await fetch(`${url}/patients/ana`, { headers });
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
  running.signal('SIGTERM');
  const { code, stdout, stderr } = await running.ended;
  expect(existsSync(file)).toBe(false);
  const [, failed = '', ...more] = stdout.split('\n');
  expect(JSON.parse(failed)).toMatchObject({ level: 'error', status: 503 });
  expect({ code, more, stderr }).toEqual({ code: 0, more: [''], stderr: '' });
});

test.each([
  ['a folder that is missing', 'missing/ready.json', /^--ready-file: \S+ready\.json cannot be used \(ENOENT\)\n$/],
  ['a folder in its place', '.', /^--ready-file: \S+ cannot be used \(\w+\)\n$/],
])('serve --sandbox that cannot write the file, for %s, ends with 78', async (_name, path, sentence) => {
  const { code, stderr } = await runPuente(['serve', '--sandbox', '--port', '0', '--ready-file', join(folder, path)]);
  expect({ code, stderr }).toEqual({ code: 78, stderr: expect.stringMatching(sentence) });
});

test('serve --sandbox that ends leaves the file of another process alone, and removes its own when it is killed by a second signal', async () => {
  const file = join(folder, 'shared.json');
  const start = async () => {
    const running = new PuenteProcess(['serve', '--sandbox', '--port', '0', '--ready-file', file]);
    await running.waitForOutput('\n');
    return running;
  };
  const first = await start();
  const second = await start();
  first.signal('SIGTERM');
  await first.ended;
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ pid: second.pid });
  second.signal('SIGTERM');
  second.signal('SIGINT');
  await second.ended;
  expect(existsSync(file)).toBe(false);
});

test('serve --sandbox refuses production, and leaves no file of an earlier run', async () => {
  const file = join(folder, 'refused.json');
  writeFileSync(file, 'of an earlier run');
  const production = {
    NODE_ENV: 'production',
    PUENTE_AUTH_TOKENS: `[{client: a, sha256: ${'0'.repeat(64)}, scopes: all}]`,
  };
  const { code, stderr } = await runPuente(['serve', '--sandbox', '--port', '0', '--ready-file', file], production);
  expect({ code, stderr }).toEqual({ code: 78, stderr: expect.stringContaining('adapter.settings.sandbox') });
  expect(existsSync(file)).toBe(false);
});

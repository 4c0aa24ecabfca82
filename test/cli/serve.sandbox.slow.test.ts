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
  const [, failed = '', ...more] = stdout.split('\n');
  expect(JSON.parse(failed)).toMatchObject({ level: 'error', status: 503 });
  expect({ code, more, stderr }).toEqual({ code: 0, more: [''], stderr: '' });
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

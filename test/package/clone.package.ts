import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from '@jest/globals';
import { runPuente, serve } from '../support/process.ts';

const root = join(import.meta.dirname, '../..');
const clone = mkdtempSync(join(tmpdir(), 'puente-clone-'));
let running: Awaited<ReturnType<typeof serve>> | undefined;
afterAll(() => {
  running?.signal('SIGKILL');
  rmSync(clone, { recursive: true });
});

test('a clone runs in production after npm ci --omit=dev, without development dependencies', async () => {
  for (const name of ['package.json', 'package-lock.json', '.npmrc', 'src', 'adapters', 'config'])
    cpSync(join(root, name), join(clone, name), { recursive: true });
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` };
  await promisify(execFile)('npm', ['ci', '--omit=dev', '--prefer-offline'], { cwd: clone, env });
  expect(existsSync(join(clone, 'node_modules/jest'))).toBe(false);
  const launcher = join(clone, 'src/cli/launch.cjs');
  const production = { NODE_ENV: 'production', PUENTE_TOKEN: '' };
  const created = await runPuente(['token', 'create', '--client', 'platform', '--scope', 'all'], production, {
    program: launcher,
  });
  const config = join(clone, 'my.yaml');
  writeFileSync(config, created.stdout.slice(created.stdout.indexOf('  auth:')));
  running = await serve({ ...production, PUENTE_CONFIG: config }, { program: launcher });
  expect(await (await fetch(`${running.url}/livez`)).json()).toEqual({ status: 'ok' });
  running.signal('SIGTERM');
  expect((await running.ended).code).toBe(0);
}, 600_000);

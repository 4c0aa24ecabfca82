import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { startFhirServer } from './fhir-server/server.ts';
import { resolveDefaults, services } from './support/compose.ts';
import { runPuente, serve, token } from './support/process.ts';

// Without a container engine: what the image runs, laid out as in the image.
const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'puente-image-'));
const program = join(folder, 'dist/src/cli/index.js');

beforeAll(async () => {
  const compiler = join(root, 'node_modules/@typescript/native/bin/tsc');
  const output = join(folder, 'dist');
  await promisify(execFile)(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--outDir', output], {
    cwd: root,
  });
  for (const name of ['package.json', 'config']) cpSync(join(root, name), join(folder, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
}, 120_000);
const server = await startFhirServer();
let running: Awaited<ReturnType<typeof serve>> | undefined;

afterEach(() => running?.signal('SIGKILL'));
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server.stop();
});

describe('the image', () => {
  test('serves the in-memory hospital and stops on SIGTERM with exit code 0', async () => {
    running = await serve({}, program);
    expect(await (await fetch(`${running.url}/livez`)).json()).toEqual({ status: 'ok' });
    running.signal('SIGTERM');
    expect((await running.ended).code).toBe(0);
  }, 30_000);

  test('does not start in production without a token, and says so', async () => {
    const { code, stderr } = await runPuente(['serve', '--port', '0'], { NODE_ENV: 'production' }, program);
    expect(code).toBe(78);
    expect(stderr).toContain('auth.tokens');
  }, 30_000);
});

describe('docker compose --profile fhir up', () => {
  test('fills the FHIR server with the hospital, and the gateway in front of it finds a patient', async () => {
    const here = (text: string) => resolveDefaults(text).replace('http://fhir:8080/fhir', server.url);
    const [, ...seeding] = services['fhir-seed']?.command?.map(here) ?? [];
    const seeded = await runPuente(seeding, {}, program);
    expect(seeded).toMatchObject({ code: 0, stdout: expect.stringMatching(/created, 0 already there\n$/) });

    const settings = Object.entries(services['gateway-fhir']?.environment ?? {});
    const environment = Object.fromEntries(settings.map(([name, value]) => [name, here(value)]));
    running = await serve({ ...environment, PUENTE_CONFIG: join(folder, environment.PUENTE_CONFIG ?? '') }, program);
    const headers = { Authorization: `Bearer ${token}` };
    const found = await fetch(`${running.url}/patients/search?identifier=31465466&identifier_type=DNI`, { headers });
    expect(await found.json()).toMatchObject({ patients: [{ medical_record_id: 'HC-000001' }] });
    running.signal('SIGTERM');
    expect((await running.ended).code).toBe(0);
  }, 90_000);
});

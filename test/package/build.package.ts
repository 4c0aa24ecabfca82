import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { startFhirServer } from '../fhir-server/server.ts';
import { resolveDefaults, services } from '../support/compose.ts';
import { runPuente, serve, token } from '../support/process.ts';
import { inJavaScript, places } from './directory-adapter.ts';

// One build for what is made of it: the image, laid out as there because a container engine is missing, and the package.
const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'puente-build-'));
const program = join(folder, 'dist/src/cli/index.js');

beforeAll(async () => {
  const compiler = join(root, 'node_modules/@typescript/native/bin/tsc');
  const output = join(folder, 'dist');
  await promisify(execFile)(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--outDir', output], {
    cwd: root,
  });
  const { files, scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly files: readonly string[];
    readonly scripts: Readonly<Record<string, string>>;
  };
  for (const name of [
    'package.json',
    'README.md',
    'LICENSE',
    ...files.filter((each) => each !== 'dist' && !each.startsWith('!')),
  ])
    cpSync(join(root, name), join(folder, name), { recursive: true, filter: isTracked });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  // What the build does after the compiler.
  const [, copy = ''] = /&& node -e "(.*)"$/.exec(scripts.build ?? '') ?? [];
  await promisify(execFile)(process.execPath, ['-e', copy], { cwd: folder });
}, 600_000);
const server = await startFhirServer();
let running: Awaited<ReturnType<typeof serve>> | undefined;

afterEach(async () => {
  running?.signal('SIGKILL');
  await running?.ended;
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server.stop();
});

describe('the image', () => {
  test('serves the in-memory hospital and stops on SIGTERM with exit code 0', async () => {
    running = await serve({}, { program });
    expect(await (await fetch(`${running.url}/livez`)).json()).toEqual({ status: 'ok' });
    for (const file of ['reference.js', 'scalar.js']) {
      const script = await fetch(`${running.url}/docs/assets/${file}`);
      expect(script.status).toBe(200);
      expect(await script.text()).toMatch(/Scalar/);
    }
    running.signal('SIGTERM');
    expect((await running.ended).code).toBe(0);
  }, 30_000);

  test('does not start in production without a token, and says so', async () => {
    const { code, stderr } = await runPuente(['serve', '--port', '0'], { NODE_ENV: 'production' }, { program });
    expect(code).toBe(78);
    expect(stderr).toContain('auth.tokens');
  }, 30_000);
});

describe('docker compose --profile fhir up', () => {
  test('fills the FHIR server with the hospital, and the gateway in front of it finds a patient', async () => {
    const here = (text: string) => resolveDefaults(text).replace('http://fhir:8080/fhir', server.url);
    const toEnvironment = (name: string) => {
      const settings = Object.entries(services[name]?.environment ?? {});
      const environment = Object.fromEntries(settings.map(([key, value]) => [key, here(value)]));
      return { ...environment, PUENTE_CONFIG: join(folder, environment.PUENTE_CONFIG ?? '') };
    };
    const [, ...seeding] = services['fhir-seed']?.command?.map(here) ?? [];
    const seeded = await runPuente(seeding, toEnvironment('fhir-seed'), { program });
    expect(seeded).toMatchObject({ code: 0, stdout: expect.stringMatching(/created, 0 already there\n$/) });

    running = await serve(toEnvironment('gateway-fhir'), { program });
    const headers = { Authorization: `Bearer ${token}` };
    const found = await fetch(`${running.url}/patients/search?identifier=31465466&identifier_type=DNI`, { headers });
    expect(await found.json()).toMatchObject({ patients: [{ medical_record_id: 'HC-000001' }] });
    running.signal('SIGTERM');
    expect((await running.ended).code).toBe(0);
  }, 90_000);
});

describe('the package', () => {
  const outside = mkdtempSync(join(tmpdir(), 'puente-outside-'));
  const installed = join(outside, 'node_modules/puente');
  const command = join(installed, 'dist/src/cli/index.js');
  const execute = promisify(execFile);
  const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}` };
  const link = (name: string, target = name): void => {
    mkdirSync(dirname(join(outside, 'node_modules', name)), { recursive: true });
    symlinkSync(join(root, 'node_modules', target), join(outside, 'node_modules', name));
  };

  /** An empty project into which the packed package is installed, with what it depends on, and no more. */
  beforeAll(async () => {
    const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', outside];
    const { stdout } = await execute('npm', pack, { cwd: folder });
    const tarball = join(outside, stdout.trim());
    mkdirSync(installed, { recursive: true });
    await execute('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
    // As npm notes where it has a package from.
    const lock = { packages: { 'node_modules/puente': { resolved: `file:${basename(tarball)}` } } };
    writeFileSync(join(outside, 'node_modules/.package-lock.json'), JSON.stringify(lock));
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
      readonly dependencies: Readonly<Record<string, string>>;
    };
    for (const name of Object.keys(manifest.dependencies)) link(name);
    link('@types/node');
    link('nock');
    link('typescript', '@typescript/native');
  }, 300_000);
  afterAll(() => rmSync(outside, { recursive: true }));

  test('has no map of sources that are not in it', () => {
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8' });
    expect(files.filter((file) => file.endsWith('.map'))).toEqual([]);
    const code = files.filter((file) => /^dist\/.*\.js$/.test(file));
    expect(code.length).toBeGreaterThan(200);
    expect(code.filter((file) => readFileSync(join(installed, file), 'utf8').includes('sourceMappingURL='))).toEqual(
      [],
    );
  });

  test('writes an adapter in TypeScript that is right by its types, and passes the contract', async () => {
    const project = join(outside, 'his-adapter');
    const made = await runPuente(
      ['adapter', 'new', '@hospital/his-adapter', '--folder', project],
      {},
      { program: command },
    );
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const { devDependencies } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
    expect(devDependencies.puente).toMatch(/^file:\.\.\/puente-.+\.tgz$/);
    expect(existsSync(join(project, devDependencies.puente.slice('file:'.length)))).toBe(true);
    // The adapters of the guide have to compile too.
    const examples = [
      ...readFileSync(join(root, 'docs/tutorials/adapters.md'), 'utf8').matchAll(/```ts\n(import .*?)```/gs),
    ];
    expect(examples).toHaveLength(2);
    for (const [i, [, text = '']] of examples.entries()) writeFileSync(join(project, `src/guide-${i}.ts`), text);
    cpSync(join(root, 'examples/key-store.ts'), join(project, 'src/key-store.ts'));
    const compiler = join(outside, 'node_modules/typescript/bin/tsc');
    const [contract] = await Promise.all([
      execute(process.execPath, ['--test', '--test-reporter=tap', 'test/*.test.ts'], { cwd: project, env }),
      execute(process.execPath, [compiler], { cwd: project }),
    ]);
    expect(contract.stdout).toMatch(/^ok \d+ - practitioners\.list: [^#]*$/m);
    expect(contract.stdout).toMatch(/^ok \d+ - ports\.practitioners\.list\.aborted: [^#]*$/m);
    expect(contract.stdout).toMatch(/^# fail 0$/m);

    const system = spawn(process.execPath, ['support/system.ts'], { cwd: project, env });
    try {
      await once(system.stdout, 'data');
      running = await serve({ PUENTE_CONFIG: join(project, 'puente.yaml') }, { program: command });
      const headers = { Authorization: `Bearer ${token}` };
      const listed = await fetch(`${running.url}/practitioner/`, { headers });
      expect(await listed.json()).toMatchObject({ practitioner: [{ id: 'paz' }, { id: 'vidal' }, { id: 'roca' }] });
      expect((await fetch(`${running.url}/location/`, { headers })).status).toBe(501);
    } finally {
      system.kill();
    }
    expect(running.stdout).toContain('"adapter":"his-adapter"');
  }, 300_000);

  test('has the documentation and the examples that it points to', () => {
    const pages = [
      'README.md',
      'docs/tutorials/adapters.md',
      'docs/how-to/contract.md',
      'examples/clinic-adapter/README.md',
    ];
    const links = pages.flatMap((page) =>
      [...readFileSync(join(installed, page), 'utf8').matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, link = '']) =>
        join(dirname(page), link),
      ),
    );
    // Sources and tests are for who works on Puente, in a clone.
    const promised = links.filter((link) => !/^(src|test)\//.test(link));
    expect(promised.length).toBeGreaterThan(20);
    expect(promised.filter((link) => !existsSync(join(installed, link)))).toEqual([]);
  });

  test('runs the example of an adapter in front of a clinic, which passes the contract beside local', async () => {
    const project = join(outside, 'clinic-adapter');
    cpSync(join(root, 'examples/clinic-adapter'), project, { recursive: true, filter: isTracked });
    // The first port of the guide has to pass too.
    const guide = readFileSync(join(project, 'README.md'), 'utf8');
    writeFileSync(join(project, 'src/first.ts'), guide.match(/```ts\n(import .*?)```/s)?.[1] ?? '');
    const ofFirst = readFileSync(join(project, 'test/contract.test.ts'), 'utf8').replace('/index.ts', '/first.ts');
    writeFileSync(join(project, 'test/first.test.ts'), ofFirst);
    const compiler = join(outside, 'node_modules/typescript/bin/tsc');
    const runTests = (...args: string[]) =>
      execute(process.execPath, ['--test', '--test-reporter=tap', ...args], { cwd: project, env });
    // All of its cases pass in test/examples/clinic-adapter.slow.test.ts; here it is about the package.
    const [contract, others] = await Promise.all([
      runTests('--test-name-pattern=^appointments', 'test/contract.test.ts'),
      runTests('test/first.test.ts', 'test/legacy.test.ts'),
      execute(process.execPath, [compiler], { cwd: project }),
    ]);
    expect(contract.stdout).toMatch(/^ok \d+ - appointments\.book\.parallel: [^#]*$/m);
    expect(contract.stdout).toMatch(/^# fail 0$/m);
    expect(others.stdout).toMatch(/^ok \d+ - directory\.locations: [^#]*$/m);
    expect(others.stdout).toMatch(/^ok \d+ - a slot that another program takes meanwhile [^#]*$/m);
    expect(others.stdout).toMatch(/^# fail 0$/m);

    const environment = {
      PUENTE_CONFIG: join(project, 'puente.yaml'),
      LOCAL_KEY: randomBytes(32).toString('base64'),
    };
    running = await serve(environment, { program: command });
    const ask = async (path: string, body?: object) => {
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
      const post = body && { method: 'POST', body: JSON.stringify(body) };
      const response = await fetch(`${running?.url}${path}`, { headers, ...post });
      return { status: response.status, body: await response.json() };
    };
    const found = await ask('/patients/search?identifier=31.465.466&identifier_type=DNI');
    expect(found.body).toMatchObject({
      patients: [{ id: '1001', last_name: 'Ferreyra', address: { country: 'Argentina' } }],
    });
    const fields = [{ id: 'medicamento', value: 'Ibuprofeno' }];
    expect((await ask('/patients/1001/ticket_type/receta/ticket', { observations: '', fields })).status).toBe(201);
    expect((await ask('/patients/9999/ticket_type/receta/ticket', { observations: '', fields })).status).toBe(404);
    expect((await ask('/api/medical-directory')).status).toBe(501);
    const change = await ask('/patients/1001/practitioner/change_request', { reason_id: 'mudanza' });
    expect(change.status).toBe(200);

    const database = new DatabaseSync(join(project, 'local.db'));
    database.exec(`UPDATE puente_local_tickets SET status = 'completed'`);
    database.close();
    const run = (...args: string[]) => runPuente(args, environment, { program: command });
    expect(await run('doctor', '--patient', '1001')).toMatchObject({ code: 0 });
    expect(await run('contract', '--map', join(project, 'contract.yaml'))).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/[1-9]\d\d passed, 0 failed/),
    });
  }, 300_000);

  test('writes no adapter where something is already', async () => {
    const project = join(outside, 'taken');
    mkdirSync(project);
    writeFileSync(join(project, 'README.md'), 'mine');
    const { code, stderr } = await runPuente(
      ['adapter', 'new', 'taken', '--folder', project],
      {},
      { program: command },
    );
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `${project} is not empty: choose another folder with --folder. Nothing was written.\n`,
    });
    expect(readdirSync(project)).toEqual(['README.md']);
  });

  test('runs an adapter in JavaScript that has a copy of the package, and of zod, for itself', async () => {
    const project = join(outside, 'node_modules/@hospital/directory');
    for (const [name, text] of Object.entries(inJavaScript)) {
      mkdirSync(project, { recursive: true });
      writeFileSync(join(project, name), text);
    }
    cpSync(installed, join(project, 'node_modules/puente'), { recursive: true });
    const isRun = (source: string) => !/\/src\/|\.(c?ts|cjs|map)$/.test(source.slice(root.length));
    cpSync(join(root, 'node_modules/zod'), join(project, 'node_modules/zod'), { recursive: true, filter: isRun });
    const config = join(outside, 'puente.yaml');
    writeFileSync(config, "adapter: { module: '@hospital/directory', settings: { file: places.json } }\n");
    writeFileSync(join(outside, 'places.json'), JSON.stringify(places));

    const contract = await execute(process.execPath, ['--test', '--test-reporter=tap', 'index.test.js'], {
      cwd: project,
      env,
    });
    expect(contract.stdout).toMatch(/^ok \d+ - directory\.locations: [^#]*$/m);
    expect(contract.stdout).toMatch(/^# fail 0$/m);

    running = await serve({ PUENTE_CONFIG: config }, { program: command });
    const get = (path: string) => fetch(`${running?.url}${path}`, { headers: { Authorization: `Bearer ${token}` } });
    expect(await (await get('/location/')).json()).toMatchObject({ locations: [{ id: 'central' }, { id: 'norte' }] });
    // Its Failure is of another class than the gateway's, and so are the schemas of its settings.
    expect(await (await get('/patients/nobody')).json()).toMatchObject({ status: 404, code: 'not_found' });
    writeFileSync(config, "adapter:\n  module: '@hospital/directory'\n  settings: { file: 1, fil: 2 }\n");
    expect((await runPuente(['check'], { PUENTE_CONFIG: config }, { program: command })).stderr.split('\n')).toEqual([
      `${config}:3 adapter.settings.file: must be text`,
      `${config}:3 adapter.settings.fil: unknown setting: did you mean file?`,
      '',
    ]);
  }, 300_000);
});

/** Not what trying the example out leaves behind. */
const isTracked = (file: string): boolean => !/\/(node_modules|dist|package-lock\.json|[^/]*\.db(-\w+)?)$/.test(file);

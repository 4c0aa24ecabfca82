import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { adapters } from '../../adapters/index.ts';
import { readConfig } from '../../src/config/read.ts';
import { buildVersion, version } from '../../src/toolkit/package.ts';
import { ConfigFolder } from '../support/config-file.ts';
import { PuenteProcess, runPuente } from '../support/process.ts';

const folder = new ConfigFolder();
afterAll(() => folder.remove());

describe('puente', () => {
  test('--version is the version of the package, and the commit', async () => {
    expect(await runPuente(['--version'])).toEqual({ code: 0, stdout: `${buildVersion}\n`, stderr: '' });
  });

  test('with an option that it does not know shows what it knows', async () => {
    expect((await runPuente(['serve', '8123'])).stderr).toMatch(
      /^error: 8123 is not an option: .*npm start -- --port 8123\n/,
    );
    const { code, stderr } = await runPuente(['serve', '--prot', '1']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/unknown option '--prot'\n\(Did you mean --port\?\)[\s\S]*Usage: puente serve/);
  });
});

describe('puente whose output is read no more, as by head,', () => {
  const readNothing = (args: readonly string[]) => {
    const running = new PuenteProcess(args, {}, { compares: false });
    running.stopReading('stdout');
    return running.ended;
  };

  test.each([[['doctor']], [['openapi']]])('%j ends quietly', async (args) => {
    expect(await readNothing(args)).toEqual({ code: 141, stdout: '', stderr: '' });
  });
});

const hasFullDevice = existsSync('/dev/full');
(hasFullDevice ? describe : describe.skip)('puente on a full disk', () => {
  test.each([
    ['openapi', 1],
    ['check', 1],
    ['doctor', 2],
  ])('reports that the output of %s is not whole, and exits with %i', (name, code) => {
    const script = '"$0" src/cli/launch.cjs "$1" > /dev/full';
    const args = ['-c', script, process.execPath, name];
    const { status, stderr } = spawnSync('/bin/sh', args, { encoding: 'utf8' });
    expect([status, stderr]).toEqual([code, expect.stringMatching(/^standard output cannot be written \(ENOSPC\)$/m)]);
  });

  test('prints the results of the contract, and exits with 2 because their file cannot be written', async () => {
    const args = ['contract', '--only', 'practitioners.list', '--json', '/dev/full'];
    const { code, stdout, stderr } = await runPuente(args);
    expect([code, stderr]).toEqual([2, 'cannot run: /dev/full cannot be written (ENOSPC)\n']);
    expect(stdout).toMatch(/\d passed, 0 failed/);
  });

  /** Runs a command that may write only files of 1 KB. */
  const runLimited = (...args: readonly string[]) => {
    const script = `trap '' XFSZ; ulimit -f 2; exec "$0" src/cli/launch.cjs "$@"`;
    const { status, stderr } = spawnSync('/bin/sh', ['-c', script, process.execPath, ...args], { encoding: 'utf8' });
    return [status, stderr];
  };

  test.each([
    [['mapping', 'new', 'FOLDER/his.yaml', '--kind', 'sqlite']],
    [['adapter', 'new', 'his', '--folder', 'FOLDER/his', '--puente', '0.1.0']],
  ])('leaves no part of a new file, and names the cause (%j)', (given) => {
    const path = join(folder.path, 'full');
    mkdirSync(path);
    const fault = runLimited(...given.map((each) => each.replace('FOLDER', path)));
    expect(fault).toEqual([1, expect.stringMatching(/^\/\S+\/full\/\S+ cannot be used \(EFBIG\)\n$/)]);
    expect(readdirSync(path)).toEqual([]);
    rmSync(path, { recursive: true });
  });

  test('keeps a fixture map as it was', () => {
    const map = 'patients:\n  complete: ana # confirmed by the institution\n';
    const out = folder.write('map.yaml', map);
    const fault = runLimited('contract', 'init', '--adapter', 'memory', '--out', out);
    expect(fault).toEqual([2, `cannot run: ${out} cannot be written (EFBIG)\n`]);
    expect(readFileSync(out, 'utf8')).toBe(map);
  });
});

describe('puente help', () => {
  test('lists the commands with their options, and says of a name that there is no such command', async () => {
    const help = await runPuente(['help']);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toMatch(/^ {2}serve \[options\] {2,}Run the gateway\.$/m);
    expect(help.stdout).toMatch(/^ {2}mapping \[options\] \[command\] {2,}Write and test a mapping file\.$/m);
    for (const name of ['local', 'sandbox', 'seed-fhir']) expect(help.stdout).toMatch(new RegExp(`^ {2}${name} `, 'm'));
    expect(await runPuente(['help', '--help'])).toEqual(help);
    const { code, stderr } = await runPuente(['help', 'sevre']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: unknown command 'sevre'\n\(Did you mean serve\?\)[\s\S]*Commands:/);
  });
});

describe('puente check', () => {
  test('says ok and shows what the adapter offers and where Group B is served', async () => {
    const { code, stdout, stderr } = await runPuente(['check'], {
      PUENTE_API_PATHS: '{ createCoverage: POST /coberturas }',
      PUENTE_AUDIT_ENABLED: 'false',
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^ok {2}config\/default\.yaml\n/);
    expect(stdout).toMatch(/^patients +memory +search get register update$/m);
    expect(stdout).toMatch(/^createCoverage +POST \/coberturas$/m);
  });

  test('prints every problem on a line of its own, and exits with 78', async () => {
    const file = folder.write('bad.yaml', 'http: { port: x }\nlogs: 1\nadapter: { settings: { world: 3 } }\n');
    expect(await runPuente(['check', '--config', file], { PUENTE_HTTP_HOTS: 'x' })).toEqual({
      code: 78,
      stdout: '',
      stderr: [
        `${folder.formatPath('bad.yaml')}:1 http.port: must be a whole number between 0 and 65535`,
        `${folder.formatPath('bad.yaml')}:3 adapter.settings.world: must be text`,
        `${folder.formatPath('bad.yaml')}:2 logs: unknown setting: did you mean log?`,
        'PUENTE_HTTP_HOTS: unknown setting: did you mean PUENTE_HTTP_HOST?',
        '',
      ].join('\n'),
    });
  });

  test('reports what the adapter finds wrong with its settings in the same way', async () => {
    const file = folder.write('world.yaml', 'adapter:\n  settings:\n    world: nowhere.json\n');
    const { code, stderr } = await runPuente(['check'], { PUENTE_CONFIG: file });
    expect(code).toBe(78);
    expect(stderr).toContain(`${folder.formatPath('world.yaml')}:3 adapter.settings.world: `);
  });
});

describe('puente contract', () => {
  test('exits with 2 when it is used wrongly', async () => {
    const { code, stderr } = await runPuente(['contract', '--level', 'high']);
    expect(code).toBe(2);
    expect(stderr).toContain("option '--level <level>' argument 'high' is invalid");
  });
});

describe('puente doctor', () => {
  test('exits with 1 and writes no log when something is wrong, and with 2 when it could not run', async () => {
    const file = folder.write('dead.yaml', 'adapter: { name: fhir, settings: { baseUrl: http://127.0.0.1:9 } }\n');
    const { code, stdout, stderr } = await runPuente(['doctor', '--config', file, '--json']);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ version: buildVersion, healthy: false });
    expect((await runPuente(['doctor', '--patients'])).code).toBe(2);
  });
});

describe('puente token create', () => {
  test('shows a token once, with the entry that lets the gateway know it by its hash', async () => {
    const args = [
      'token',
      'create',
      '--client',
      'app',
      '--scope',
      'patients:read,slots:read',
      '--expires',
      '2099-01-31',
    ];
    const { code, stdout } = await runPuente(args);
    expect(code).toBe(0);
    const [token = ''] = /puente_[0-9a-f]{8}_[A-Za-z0-9_-]{43}/.exec(stdout) ?? [];
    const yaml = stdout.slice(stdout.indexOf('  auth:'));
    expect(stdout.split('\n\n')).toEqual([
      expect.stringMatching(/^Give this token to the client\..*:$/),
      `  ${token}`,
      'Add this to the configuration, and run puente reload or restart the gateway:',
      yaml.trimEnd(),
      '',
    ]);
    expect(parse(yaml)).toEqual({
      auth: {
        tokens: [
          {
            client: 'app',
            sha256: hash('sha256', token),
            scopes: ['patients:read', 'slots:read'],
            expires: '2099-01-31',
          },
        ],
      },
    });
    const file = folder.write('token.yaml', yaml.replace(/^ {2}/gm, ''));
    expect(readConfig({ file, environment: { NODE_ENV: 'production' }, adapters }).config.auth.tokens).toHaveLength(1);
  });

  test('refuses what is wrong or missing all at once, with what was meant', async () => {
    const options = ['--scope', 'patient:read,all', '--expires', '2020-01-31'];
    const { code, stdout, stderr } = await runPuente(['token', 'create', ...options]);
    expect({ code, stdout, problems: stderr.split('\n').slice(0, 4) }).toEqual({
      code: 1,
      stdout: '',
      problems: [
        '--client is missing: add it',
        '--scope: unknown scope patient:read: did you mean patients:read?',
        '--scope: unknown scope all',
        '--expires is in the past',
      ],
    });
  });
});

describe('puente adapter new', () => {
  const isLinux = process.platform === 'linux';
  (isLinux ? test : test.skip)('ends in a folder in which the system makes no other one', async () => {
    const args = ['adapter', 'new', 'his', '--folder', '/proc/his/adapter', '--puente', '0.1.0'];
    expect(await runPuente(args)).toEqual({ code: 1, stdout: '', stderr: '/proc/his cannot be used (ENOENT)\n' });
  });
});

describe('puente openapi', () => {
  test('prints the document, and --check finds that openapi.json is the same', async () => {
    const printed = await runPuente(['openapi']);
    expect(JSON.parse(printed.stdout)).toMatchObject({ openapi: '3.1.1', info: { version } });
    expect(await runPuente(['openapi', '--check'])).toMatchObject({ code: 0 });
  });
});

describe('puente seed-fhir', () => {
  test('refuses a configuration without a FHIR server, and says where', async () => {
    const file = folder.write('memory.yaml', 'adapter: { name: memory }\n');
    const { code, stderr } = await runPuente(['seed-fhir', '--config', file]);
    expect({ code, stderr }).toEqual({
      code: 78,
      stderr: `${folder.formatPath('memory.yaml')}:1 adapter.name: names no adapter fhir: set it to fhir\n`,
    });
  });
});

import { execFile, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

const root = join(import.meta.dirname, '../..');
const launcher = join(root, 'src/cli/launch.cjs');

test('the launcher can be executed already, so that npm ci leaves the work tree as it was', () => {
  expect(statSync(launcher).mode & 0o111).toBe(0o111);
});

describe('npm start', () => {
  let folder: string;
  /** Pretends another version of Node, which is not here. */
  let pretend: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'puente-launch-'));
    pretend = join(folder, 'pretend.cjs');
    mkdirSync(join(folder, 'src/cli'), { recursive: true });
    copyFileSync(launcher, join(folder, 'src/cli/launch.cjs'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const write = (name: string, text = '') => {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  const launch = (version: string, command = '--version') => {
    writeFileSync(pretend, `Object.defineProperty(process.versions, 'node', { value: '${version}' });`);
    return new Promise((resolve) => {
      const args = ['--require', pretend, join(folder, 'src/cli/launch.cjs'), command];
      execFile(process.execPath, args, (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }));
    });
  };
  const needs = 'Puente runs on Node 24.5 or later, and this is 20.19.2.';

  test.each([
    ['before npm ci on an older Node', '20.19.2', [], `${needs} Run npm ci first, which brings one along.`],
    ['before npm ci', '24.5.0', [], 'What Puente depends on is not installed: run npm ci first.'],
    [
      'on an older Node after an installation for production',
      '20.19.2',
      ['node_modules/express/package.json'],
      `${needs} npm ci leaves out the one it would bring with --omit=dev or when NODE_ENV is production: install Node 24.5, or run npm ci --include=dev.`,
    ],
    [
      'by hand on an older Node',
      '20.19.2',
      ['node_modules/node/package.json'],
      `${needs} npm start and npm run puente use the one that npm ci brought.`,
    ],
  ])('%s says what to do', async (_when, version, installed, stderr) => {
    write('src/cli/index.ts');
    for (const name of installed) write(name, '{}');
    expect(await launch(version)).toEqual({ code: 78, stdout: '', stderr: `${stderr}\n` });
  });

  test('on an older Node of the same major version too', async () => {
    write('src/cli/index.ts');
    expect(await launch('24.4.1')).toMatchObject({ code: 78, stderr: expect.stringContaining('this is 24.4.1') });
    expect(await launch('25.0.0')).toMatchObject({ stderr: expect.stringContaining('run npm ci first') });
  });

  test('as an installed package on an older Node says to install another', async () => {
    const mending = 'Install a newer one, or one beside it: npm install --save-exact node@24';
    const stderr = `Puente runs on Node 24.5 or later, and this is 22.12.0. ${mending}\n`;
    expect(await launch('22.12.0')).toEqual({ code: 78, stdout: '', stderr });
  });

  test('writes an adapter on an older Node too, since its project brings the right one', async () => {
    write('package.json', '{ "type": "module" }');
    write('dist/src/cli/index.js', 'process.stdout.write(process.argv[2]);');
    expect(await launch('20.19.2', 'adapter')).toEqual({ code: 0, stdout: 'adapter', stderr: '' });
  });

  test('runs what is compiled when the sources are not there', async () => {
    write('node_modules/reflect-metadata/package.json', '{ "main": "index.js" }');
    write('node_modules/reflect-metadata/index.js');
    write('package.json', '{ "type": "module" }');
    write('dist/src/cli/index.js', 'process.stdout.write(process.argv[2]);');
    expect(await launch('24.5.0')).toEqual({ code: 0, stdout: '--version', stderr: '' });
  });

  test('lets SIGHUP end no gateway that has not read yet what it is to reload', async () => {
    write('node_modules/reflect-metadata/package.json', '{ "main": "index.js" }');
    write('node_modules/reflect-metadata/index.js');
    write('package.json', '{ "type": "module" }');
    write(
      'dist/src/cli/index.js',
      "process.kill(process.pid, 'SIGHUP'); setTimeout(() => process.stdout.write('on'), 100);",
    );
    expect(await launch('24.5.0', 'serve')).toEqual({ code: 0, stdout: 'on', stderr: '' });
    expect(await launch('24.5.0', 'check')).toMatchObject({ stdout: '' });
  });

  test('ends when the shell of npm is ended, which passes no signal on', async () => {
    const environment = { PATH: process.env.PATH, npm_lifecycle_event: 'start', PUENTE_LOG_FORMAT: 'json' };
    const command = `"${process.execPath}" "${launcher}" serve --port 0; true`;
    const shell = spawn('sh', ['-c', command], { env: environment, stdio: ['ignore', 'pipe', 'ignore'] });
    let output = '';
    const ended = new Promise((resolve) => shell.stdout.once('close', resolve));
    await new Promise<void>((resolve) => {
      shell.stdout.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        if (output.includes('"listening"')) resolve();
      });
    });
    shell.kill('SIGTERM');
    await ended;
    expect(output).toContain('"drain completed"');
  });
});

import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findFreePort } from '../support/free-port.ts';

// No registry of images is asked: files of this machine stand in for both base images, and what is in them is not tested.
const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'puente-image-'));
const program = '/usr/bin/buildah';
const storage = ['--root', join(folder, 'storage'), '--runroot', join(folder, 'running')];

const [missing] = [
  existsSync(program) ? [] : 'buildah is not installed (apt-get install buildah)',
  process.getuid?.() === 0 ? [] : 'only root may lay out an image without a container engine',
].flat();

const execute = promisify(execFile);
const buildah = async (...given: readonly string[]): Promise<string> =>
  (await execute(program, [...storage, ...given], { cwd: root, maxBuffer: 2 ** 26 })).stdout.trim();
/** Runs a program in the container, as its user and with its environment. */
const inContainer = (environment: Readonly<Record<string, string>>, command: readonly string[]): string[] => {
  const variables = Object.entries(environment).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
  return [...storage, 'run', '--isolation', 'chroot', ...variables, 'trial', '--', ...command];
};

/** The files of a program and of the libraries that it loads, in the root of an image. */
function layOut(image: string, source: string, target = source): void {
  const libraries = execFileSync('ldd', [source], { encoding: 'utf8' }).matchAll(/(?:=> |^\s*)(\/\S+) \(/gm);
  for (const [from, to] of [[source, target], ...[...libraries].map(([, name = '']) => [name, name])] as const)
    cpSync(realpathSync(from), join(image, to), { recursive: true });
}

/** Makes an image of these files alone. */
async function makeImage(name: string, lines: readonly string[]): Promise<void> {
  const context = join(folder, name);
  writeFileSync(join(context, 'Containerfile'), ['FROM scratch', 'COPY root /', ...lines].join('\n'));
  await buildah('build', '--isolation', 'chroot', '--tag', `localhost/${name}`, context);
}

/** In place of `node:24`: a shell, Node and npm, which takes packages from the cache of this machine where it has them. */
async function makeCompiler(): Promise<void> {
  const image = join(folder, 'compiler/root');
  for (const command of ['/bin/sh', '/bin/mkdir', '/usr/bin/env']) layOut(image, command);
  layOut(image, process.execPath, '/usr/local/bin/node');
  for (const name of ['tmp', 'root', 'etc']) mkdirSync(join(image, name), { recursive: true });
  writeFileSync(join(image, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\n');
  const { stdout } = await execute('npm', ['root', '--global']);
  cpSync(join(stdout.trim(), 'npm'), join(image, 'usr/local/lib/node_modules/npm'), { recursive: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(image, 'usr/local/bin/npm'));
  const authorities = process.env.NODE_EXTRA_CA_CERTS;
  if (authorities !== undefined) cpSync(realpathSync(authorities), join(image, 'etc/authorities.pem'));
  const { stdout: registry } = await execute('npm', ['config', 'get', 'registry']);
  await makeImage('compiler', [
    `ENV npm_config_registry=${registry.trim()} npm_config_prefer_offline=true PATH=/usr/local/bin:/usr/bin:/bin`,
    ...(authorities === undefined ? [] : ['ENV NODE_EXTRA_CA_CERTS=/etc/authorities.pem']),
  ]);
}

/** In place of `distroless/nodejs24`: Node as the entry point, a user without rights, and no shell. */
async function makeRunner(): Promise<void> {
  const image = join(folder, 'runner/root');
  layOut(image, process.execPath, '/nodejs/bin/node');
  mkdirSync(join(image, 'tmp'));
  mkdirSync(join(image, 'etc'), { recursive: true });
  const users = 'root:x:0:0::/root:/sbin/nologin\nnonroot:x:65532:65532::/:/sbin/nologin\n';
  writeFileSync(join(image, 'etc/passwd'), users);
  writeFileSync(join(image, 'etc/group'), 'root:x:0:\nnonroot:x:65532:\n');
  await makeImage('runner', ['USER 65532', 'ENTRYPOINT ["/nodejs/bin/node"]']);
}

interface ImageConfig {
  readonly User: string;
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly Labels: Readonly<Record<string, string>>;
  readonly Healthcheck: { readonly Test: readonly string[] };
}

describe(`the image that buildah builds of the Dockerfile${missing === undefined ? '' : `, skipped: ${missing}`}`, () => {
  if (missing !== undefined) return void test.skip('serves', () => undefined);
  let config: ImageConfig;
  let files: string;

  beforeAll(async () => {
    await makeCompiler();
    await makeRunner();
    const bases = { compiler: /^FROM node:24\S* AS build$/m, runner: /^FROM gcr\.io\/distroless\/nodejs24\S*$/m };
    const text = readFileSync(join(root, 'Dockerfile'), 'utf8');
    for (const base of Object.values(bases)) expect(text).toMatch(base);
    const here = text
      .replace(bases.compiler, 'FROM localhost/compiler AS build')
      .replace(bases.runner, 'FROM localhost/runner');
    const file = join(folder, 'Dockerfile');
    writeFileSync(file, here);
    const cache = join(homedir(), '.npm');
    mkdirSync(cache, { recursive: true });
    // npm opens many files at once; a build may open 1,024 by default.
    const { stdout: limit } = await execute('sh', ['-c', 'ulimit -Hn']);
    const open = Math.min(Number(limit) || 65_536, 65_536);
    const build = [
      'build',
      '--isolation',
      'chroot',
      '--format',
      'docker',
      '--ulimit',
      `nofile=${open}:${open}`,
      '--file',
      file,
      '--volume',
      `${cache}:/root/.npm`,
    ];
    await buildah(...build, '--build-arg', 'COMMIT=1a2b3c4', '--tag', 'localhost/puente', root);
    await buildah('from', '--name', 'trial', 'localhost/puente');
    files = await buildah('mount', 'trial');
    config = JSON.parse(await buildah('inspect', '--type', 'image', 'localhost/puente')).Docker.config;
  }, 600_000);
  afterAll(async () => {
    await buildah('rm', '--all');
    await buildah('rmi', '--all', '--force');
    rmSync(folder, { recursive: true });
  }, 120_000);

  test('names its build, in its labels and by --version', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    expect(config.Labels).toMatchObject({
      'org.opencontainers.image.version': version,
      'org.opencontainers.image.revision': '1a2b3c4',
    });
    const [name = '', program = ''] = [...config.Entrypoint, ...config.Cmd];
    const { stdout } = await execute('/usr/bin/buildah', inContainer({}, [name, program, '--version']));
    expect(stdout.trim()).toBe(`${version}+1a2b3c4`);
  }, 60_000);

  test('runs as a user without rights, who may write no file of it but in the folder for the state', () => {
    expect(config.User).toBe('65532:65532');
    const app = readdirSync(join(files, 'app'), { recursive: true, encoding: 'utf8' });
    const found = ['app', ...app.map((name) => `app/${name}`)].map((name) => lstatSync(join(files, name)));
    expect(found.length).toBeGreaterThan(200);
    expect(found.filter(({ uid, gid }) => uid !== 0 || gid !== 0)).toEqual([]);
    expect(found.filter((each) => !each.isSymbolicLink() && (each.mode & 0o022) !== 0)).toEqual([]);
    expect(statSync(join(files, 'var/lib/puente'))).toMatchObject({ uid: 65_532, gid: 65_532 });
  });

  test('has the packages of production alone', () => {
    const has = (name: string) => existsSync(join(files, 'app/node_modules', name));
    expect([has('express'), has('jest'), has('axe-core')]).toEqual([true, false, false]);
    expect(existsSync(join(files, 'app/test'))).toBe(false);
  });

  describe('started', () => {
    let running: ChildProcess | undefined;
    let port: string;
    const isHealthy = async () =>
      execute(program, inContainer({ PUENTE_HTTP_PORT: port }, config.Healthcheck.Test.slice(1))).then(
        () => true,
        () => false,
      );
    beforeAll(async () => {
      port = String(await findFreePort());
    });
    afterAll(() => void running?.kill('SIGKILL'));

    test('serves, is healthy by its own check, and stops on SIGTERM with exit code 0', async () => {
      const token = 'a-token-of-the-test-of-the-image-alone';
      const environment = {
        NODE_ENV: 'development',
        PUENTE_TOKEN: token,
        PUENTE_LOG_FORMAT: 'json',
        PUENTE_HTTP_PORT: port,
      };
      const started = spawn(program, inContainer(environment, [...config.Entrypoint, ...config.Cmd]));
      running = started;
      const ended = once(started, 'exit');
      let printed = '';
      for (const stream of [started.stdout, started.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => {
          printed += text;
        });
      while (!printed.includes('"listening"') && started.exitCode === null)
        await Promise.race([once(started.stdout, 'data'), ended]);
      expect(printed).toMatch(/"event":"listening".*"version":"[^"]+\+1a2b3c4"/);
      const headers = { Authorization: `Bearer ${token}` };
      expect((await fetch(`http://127.0.0.1:${port}/practitioner/`, { headers })).status).toBe(200);
      expect(await isHealthy()).toBe(true);
      process.kill(findInnermost(started.pid ?? 0), 'SIGTERM');
      expect(await ended).toEqual([0, null]);
      expect(await isHealthy()).toBe(false);
    }, 120_000);

    test('does not start in production without a token of a client, and says so', async () => {
      const started = execute(program, inContainer({}, [...config.Entrypoint, ...config.Cmd]));
      await expect(started).rejects.toMatchObject({ stderr: expect.stringContaining('auth.tokens') });
    }, 60_000);
  });
});

/** The process that buildah runs for a process of its own: the last of its descendants. */
function findInnermost(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const [child] = threads.flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean),
  );
  return child === undefined ? pid : findInnermost(Number(child));
}

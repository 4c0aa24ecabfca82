import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';

const root = join(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const manifest = JSON.parse(read('package.json')) as {
  scripts: Record<string, string>;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  allowScripts: Record<string, boolean>;
};

describe('package.json', () => {
  test('names every dependency by its exact version', () => {
    const versions = Object.values({ ...manifest.dependencies, ...manifest.devDependencies });
    expect(versions.filter((version) => !/^(npm:@?[\w/-]+@)?\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });

  test('lets no package but node run a script when it is installed', () => {
    const allowed = Object.entries(manifest.allowScripts).filter(([, allows]) => allows);
    expect(allowed.map(([name]) => name.replace(/@[\d.]+$/, ''))).toEqual(['node']);
  });

  test('has a lock file without a download host', () => {
    expect(read('package-lock.json')).not.toMatch(/"resolved": *"https?:/);
  });
});

describe('the README', () => {
  test.each(['npm ci && npm start', 'npm ci && npm test'])('says %s', (words) =>
    expect(read('README.md')).toContain(words),
  );

  test('names only files that are there', () => {
    const links = [...read('README.md').matchAll(/\]\((?!https?:|#|mailto:)([^)#]+)/g)].map((match) => match[1] ?? '');
    expect(links.length).toBeGreaterThan(3);
    expect(links.filter((link) => !existsSync(join(root, link)))).toEqual([]);
  });
});

describe('the Dockerfile', () => {
  const lines = read('Dockerfile')
    .replace(/\\\n\s*/g, '')
    .split('\n');
  const instructions = lines.filter((line) => /^[A-Z]+ /.test(line));

  test('ends in an image without root, shell and development dependencies', () => {
    const last = instructions.findLastIndex((line) => line.startsWith('FROM '));
    expect(instructions[last]).toMatch(/:nonroot$/);
    expect(instructions.slice(last)).toContain('USER 65532:65532');
    expect(instructions.slice(0, last).join('\n')).toContain('npm prune --omit=dev');
  });

  test('builds on the Node that the tests run on', () => {
    expect(instructions[0]).toContain(`node:${manifest.devDependencies.node}-`);
  });

  test('copies only what is there and not ignored', () => {
    const kept = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    const copied = instructions
      .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
      .flatMap((line) => line.split(' ').slice(1, -1))
      .filter((word) => !word.startsWith('--'));
    expect(copied.filter((file) => !kept.includes(file) || !existsSync(join(root, file)))).toEqual([]);
  });
});

describe('docker-compose.yml', () => {
  const { services } = parse(read('docker-compose.yml')) as {
    services: Record<string, { image: string; build?: string; ports: string[]; read_only?: boolean }>;
  };

  test('starts the gateway from this folder, with a file system that cannot be written', () => {
    expect(services.gateway).toMatchObject({ build: '.', read_only: true, ports: ['8080:8080'] });
  });

  test('pins the image of every service', () => {
    expect(
      Object.values(services).filter(({ image }) => !/:[\w.-]+$/.test(image) || image.endsWith(':latest')),
    ).toEqual([]);
  });
});

describe('the built gateway, laid out as in the image', () => {
  const folder = mkdtempSync(join(tmpdir(), 'puente-image-'));
  let running: ChildProcess | undefined;

  beforeAll(async () => {
    const compiler = join(root, 'node_modules/@typescript/native/bin/tsc');
    await promisify(execFile)(
      process.execPath,
      [compiler, '-p', 'tsconfig.build.json', '--outDir', join(folder, 'dist')],
      { cwd: root },
    );
    for (const name of ['package.json', 'config']) cpSync(join(root, name), join(folder, name), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  }, 120_000);
  afterAll(() => {
    running?.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  const start = (env: Record<string, string>): ChildProcess => {
    running = spawn(process.execPath, ['dist/src/cli/index.js', 'serve'], { cwd: folder, env: { PATH: '', ...env } });
    return running;
  };
  const ended = (child: ChildProcess) => new Promise<number | null>((resolve) => child.once('exit', resolve));
  const output = (child: ChildProcess): (() => string) => {
    const chunks: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
    return () => Buffer.concat(chunks).toString('utf8');
  };

  test('serves the in-memory hospital and stops on SIGTERM with exit code 0', async () => {
    const child = start({ PUENTE_PORT: '0' });
    const text = output(child);
    const deadline = Date.now() + 20_000;
    let address: string | undefined;
    while (!address && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      address = /http:\/\/127\.0\.0\.1:\d+/.exec(text())?.[0];
    }
    const answer = await fetch(`${address}/livez`);
    expect(await answer.json()).toEqual({ status: 'ok' });
    const exit = ended(child);
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
  }, 30_000);

  test('does not start in production without a token, and says so', async () => {
    const child = start({ PUENTE_PORT: '0', NODE_ENV: 'production' });
    const text = output(child);
    expect(await ended(child)).toBe(78);
    expect(text()).toContain('auth.tokens');
  }, 30_000);
});

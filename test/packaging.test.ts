import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { services } from './support/compose.ts';

const root = join(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const manifest = JSON.parse(read('package.json')) as {
  scripts: Record<string, string>;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  peerDependencies: Record<string, string>;
  peerDependenciesMeta: Record<string, { optional?: boolean }>;
  allowScripts: Record<string, boolean>;
};

/** All that `npm ci --omit=dev` installs. */
const PRODUCTION_PACKAGES = 172;

/** Programs that npm finds on every system: its own, and those of packages. */
const programs = ['node', 'npm', 'npx', 'biome', 'knip', 'oxlint', 'puente', 'redocly', 'tsc'];

/** Whether cmd.exe, which runs the scripts on Windows, would take some of it otherwise than a shell does. */
const needsPosix = (script: string): boolean =>
  /['$`;|<>\\*?[\]{}~]|[^&]&[^&]/.test(script.replaceAll(/"[^"$`]*"/g, '')) ||
  script.split('&&').some((command) => !programs.includes(command.trim().split(' ')[0] ?? ''));

describe('package.json', () => {
  test('names every dependency by its exact version', () => {
    const versions = Object.values({ ...manifest.dependencies, ...manifest.devDependencies });
    expect(versions.filter((version) => !/^(npm:@?[\w/-]+@)?\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });

  test('is tested with the version that it asks for of each package that an institution may install beside it', () => {
    const { peerDependencies, peerDependenciesMeta, devDependencies } = manifest;
    expect(devDependencies).toMatchObject(peerDependencies);
    const names = Object.keys(peerDependencies);
    expect(names.filter((name) => !peerDependenciesMeta[name]?.optional)).toEqual([]);
  });

  test('lets no package but node run a script when it is installed', () => {
    const allowed = Object.entries(manifest.allowScripts).filter(([, allows]) => allows);
    expect(allowed.map(([name]) => name.replace(/@[\d.]+$/, ''))).toEqual(['node']);
  });

  test('brings no Scarf, which reports installations where npm runs scripts of packages', () => {
    expect(read('package-lock.json')).not.toMatch(/scarf/i);
  });

  test('brings few packages into production: who adds one that brings many has to say so here', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, { dev?: boolean }> };
    const installed = Object.entries(packages).filter(([path, { dev }]) => path !== '' && !dev);
    expect(installed.length).toBeLessThanOrEqual(PRODUCTION_PACKAGES);
  });

  test.each(['.', 'examples/clinic-adapter'])('has scripts that need no POSIX shell, in %s', (folder) => {
    const { scripts } = JSON.parse(read(join(folder, 'package.json'))) as typeof manifest;
    expect(Object.entries(scripts).filter(([, script]) => needsPosix(script))).toEqual([]);
  });

  test.each([
    ['A=1 node x.js', true],
    ["node x.js '**/*.ts'", true],
    ['node x.js $HOME', true],
    ['rm -rf dist && tsc', true],
    ['./x.sh', true],
    ['node x.js; node y.js', true],
    ['node x.js > log', true],
    ['node x.js && npm run y -- "**/*.ts"', false],
  ])('would have with %s one that needs it: %s', (script, needs) => {
    expect(needsPosix(script)).toBe(needs);
  });

  test('has a lock file without a download host', () => {
    expect(read('package-lock.json')).not.toMatch(/"resolved": *"https?:/);
  });
});

/** With a tag for readers, and the digest that decides. */
const isPinned = (image: string): boolean => /:[\w.-]+@sha256:[0-9a-f]{64}$/.test(image);

describe('the Dockerfile', () => {
  const lines = read('Dockerfile')
    .replace(/\\\n\s*/g, '')
    .split('\n');
  const instructions = lines.filter((line) => /^[A-Z]+ /.test(line));

  test('ends in an image without root, shell and development dependencies', () => {
    const last = instructions.findLastIndex((line) => line.startsWith('FROM '));
    expect(instructions[last]).toMatch(/:nonroot@sha256:/);
    expect(instructions.findLast((line) => line.startsWith('USER '))).toBe('USER 65532:65532');
    expect(instructions.slice(0, last).join('\n')).toContain('npm prune --omit=dev');
  });

  test('lets root own the folder of the program, in which its user then can change nothing', () => {
    const last = instructions.slice(instructions.findLastIndex((line) => line.startsWith('FROM ')));
    const before = last.slice(0, last.indexOf('WORKDIR /app')).filter((line) => line.startsWith('USER '));
    expect(before).toEqual(['USER 0:0']);
    expect(last.filter((line) => / \/?(app|\.\/)/.test(line) && /--chown=(?!root:root)/.test(line))).toEqual([]);
  });

  test('labels an image by its version and commit, which the log and --version name too', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    const labels = instructions.find((line) => line.startsWith('LABEL '));
    expect(labels).toContain(`org.opencontainers.image.version="${version}"`);
    expect(labels).toMatch(/org\.opencontainers\.image\.revision="\$\{COMMIT\}"/);
    expect(instructions.filter((line) => line === 'ARG COMMIT')).toHaveLength(2);
    expect(manifest.scripts.build).toContain("writeFileSync('dist/commit', process.env.COMMIT");
  });

  test('builds on the Node that the tests run on', () => {
    expect(instructions[0]).toContain(`node:${manifest.devDependencies.node}-`);
  });

  test('has the room for young objects that overload is measured with, as the unit of systemd has', () => {
    const [option] = /--max-semi-space-size=\d+/.exec(read('test/tools/overload/processes.ts')) ?? [];
    expect(instructions.find((line) => line.startsWith('ENV '))).toMatch(`NODE_OPTIONS=${option} `);
    expect(read('examples/deploy/puente@.service')).toContain(`Environment=NODE_OPTIONS=${option}\n`);
  });

  test('has a folder that its user may write, for a volume', () => {
    expect(instructions).toContain('COPY --from=build --chown=65532:65532 /data /var/lib/puente');
    expect(instructions.find((line) => line.startsWith('RUN npm run build'))).toMatch(/ mkdir \/data$/);
  });

  test('takes images by digest', () => {
    const images = instructions.filter((line) => line.startsWith('FROM ')).map((line) => line.split(' ')[1]);
    expect(images.length).toBe(2);
    expect(images.filter((image) => !isPinned(image ?? ''))).toEqual([]);
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
  const own = Object.entries(services).filter(([, { build }]) => build === '.');

  test('starts the gateway alone unless it is told to start a FHIR server too', () => {
    const always = Object.entries(services).filter(([, { profiles = [] }]) => profiles.length === 0);
    expect(always.map(([name]) => name)).toEqual(['gateway']);
  });

  test('lets nothing of ours write a file or gain a right', () => {
    expect(own.map(([name]) => name)).toEqual(['gateway', 'fhir-seed', 'gateway-fhir']);
    for (const [, service] of own) {
      const locked = { read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] };
      expect(service).toMatchObject(locked);
    }
  });

  test('takes every image that it does not build by digest', () => {
    const others = Object.values(services).filter(({ build }) => build === undefined);
    expect(others.length).toBe(1);
    expect(others.filter(({ image }) => !isPinned(image))).toEqual([]);
  });

  test('gives every service a port that no other has, and that this machine alone reaches', () => {
    const published = Object.values(services).flatMap(({ ports = [] }) => ports.map((port) => port.split(':')));
    expect(published.map(([address]) => address)).toEqual(['127.0.0.1', '127.0.0.1', '127.0.0.1']);
    expect(new Set(published.map(([, port]) => port)).size).toBe(published.length);
  });

  test('puts a gateway in front of the FHIR server when that is filled', () => {
    const { fhir, 'fhir-seed': seed, 'gateway-fhir': gateway } = services;
    for (const service of [fhir, seed, gateway]) expect(service?.profiles).toEqual(['fhir']);
    expect(seed?.depends_on).toEqual(['fhir']);
    expect(gateway?.depends_on).toEqual({ 'fhir-seed': { condition: 'service_completed_successfully' } });
  });
});

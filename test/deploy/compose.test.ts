import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { adapters } from '../../adapters/index.ts';
import { readConfig } from '../../src/config/read.ts';
import { explainPlainAddress } from '../../src/toolkit/secret.ts';
import { readCompose } from '../support/compose.ts';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'deploy/compose');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const { services, secrets = {}, volumes = {} } = readCompose('deploy/compose/docker-compose.yml');
const gateways = Object.entries(services).filter(([name]) => name.startsWith('gateway-'));
const all = Object.values(services);

/** The gateway's configuration as its container has it. */
function configure(environment: Readonly<Record<string, string>> = {}) {
  const own = { PUENTE_CONFIG: join(folder, 'puente.yaml'), PUENTE_TOKEN: 'x'.repeat(40) };
  return readConfig({ environment: { ...environment, ...own }, adapters }).config;
}

describe('the file for Compose with two gateways', () => {
  test('publishes HAProxy alone, and on the loopback address', () => {
    expect(all.flatMap(({ ports = [] }) => ports)).toEqual(['127.0.0.1:8443:443']);
  });

  test('lets HAProxy take its port without being root, also where the kernel reserves it', () => {
    const bound = /bind :(\d+) /.exec(read('examples/deploy/haproxy.cfg'))?.[1];
    const first = Reflect.get(services.network ?? {}, 'sysctls')?.[0]?.split('=')[1];
    expect(Number(first)).toBeLessThanOrEqual(Number(bound));
  });

  test('lets nothing of ours, nor HAProxy, write a file or gain a right', () => {
    for (const service of all.filter(({ image }) => !image.startsWith('postgres'))) {
      const locked = { read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] };
      expect(service).toMatchObject(locked);
    }
  });

  test('takes images of others by exact versions', () => {
    const others = all.filter(({ build }) => build === undefined).map(({ image }) => image);
    expect(others).toHaveLength(3);
    expect(others.filter((image) => !/:\d+(\.\d+)+$/.test(image))).toEqual([]);
  });

  test('has gateways where HAProxy looks for them, and probes', () => {
    const servers = readFileSync(join(root, 'examples/deploy/haproxy.cfg'), 'utf8').matchAll(
      /^ +server \w+ (127\.0\.0\.1):(\d+)(?:.* port (\d+))?/gm,
    );
    const listening = gateways.map(([, { environment }]) => configure(environment));
    const found = [...servers];
    expect(found).not.toEqual([]);
    for (const [, host, port, probed] of found) {
      const own = probed === undefined ? {} : { ops: { host, port: Number(probed) } };
      expect(listening).toContainEqual(
        expect.objectContaining({ http: expect.objectContaining({ host, port: Number(port) }) }),
      );
      expect(listening.find(({ http }) => http.port === Number(port))).toMatchObject(own);
    }
    const sharing = [...gateways.map(([, service]) => service), services.haproxy, services.postgres];
    expect(sharing.map((service) => service?.network_mode)).toEqual(Array(4).fill('service:network'));
  });

  test('keeps the network while gateways of another version take the place of these', () => {
    const { network } = services;
    expect(network?.build).toBeUndefined();
    expect(all.filter(({ image }) => image === network?.image)).toEqual([network]);
  });

  test('gives each gateway a chain of the audit trail that outlives its container', () => {
    const chains = gateways.map(([, { environment }]) => configure(environment).audit.chain);
    expect(chains).toEqual(['gateway-one', 'gateway-two']);
  });

  test('has an address of the database that the start has nothing against', () => {
    const [, written = ''] = /echo "(postgres:[^"]+)" > secrets\/state-url/.exec(read('docs/how-to/deploy.md')) ?? [];
    const address = written.replace(/\$\(.*\)/, 'a-password');
    expect(explainPlainAddress(address)).toBeUndefined();
    expect(new URL(address).hostname).toBe('127.0.0.1');
  });

  test('configures gateways that share a state, know their proxy, and are given the time that they need to end', () => {
    expect(gateways).toHaveLength(2);
    for (const [, service] of gateways) {
      const { http, state, shutdown } = configure(service.environment);
      expect([http.trustedProxies, state.kind]).toEqual([['127.0.0.1'], 'postgres']);
      const grace = Number.parseInt(String(Reflect.get(service, 'stop_grace_period')), 10) * 1_000;
      expect(shutdown.drainDelay).toBeGreaterThan(3_000);
      expect(grace).toBeGreaterThan(shutdown.drainDelay + shutdown.drainTimeout);
    }
  });

  test('has each secret as a file of a folder that git ignores, and gives it to those who read it', () => {
    const used = all.flatMap(({ secrets = [] }) =>
      secrets.map((each) => (typeof each === 'string' ? each : each.source)),
    );
    expect(new Set(used)).toEqual(new Set(Object.keys(secrets)));
    for (const { file } of Object.values(secrets)) expect(file).toMatch(/^secrets\//);
    expect(readFileSync(join(root, '.gitignore'), 'utf8')).toContain('deploy/compose/secrets/');
    const { state } = configure();
    const mounted = gateways[0]?.[1].secrets?.map((name) => `file:/run/secrets/${name}`);
    expect(mounted).toEqual([state.url, state.encryptionKey]);
    expect(readFileSync(join(root, 'examples/deploy/haproxy.cfg'), 'utf8')).toContain('crt /etc/puente/both.pem');
    expect(services.haproxy?.secrets).toEqual([{ source: 'certificate', target: '/etc/puente/both.pem' }]);
  });

  test('mounts files that are there, and volumes that it declares', () => {
    const sources = all.flatMap(({ volumes: mounts = [] }) => mounts.map((mount) => mount.split(':')[0]!));
    const files = sources.filter((source) => source.startsWith('.'));
    expect(files.filter((file) => !existsSync(join(folder, file)))).toEqual([]);
    expect(sources.filter((source) => !source.startsWith('.'))).toEqual(Object.keys(volumes));
  });

  test('starts only after an operator has named a client', () => {
    const environment = { PUENTE_CONFIG: join(folder, 'puente.yaml'), NODE_ENV: 'production' };
    expect(() => readConfig({ environment, adapters })).toThrow(/auth/);
  });
});

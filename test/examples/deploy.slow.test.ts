import { execFileSync, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startGateway } from '../support/gateway.ts';

const examples = join(import.meta.dirname, '../../examples/deploy');
const folder = mkdtempSync(join(tmpdir(), 'puente-deploy-'));
afterAll(() => rmSync(folder, { recursive: true }));

const isThere = (program: string): boolean => spawnSync(program, ['--help']).error === undefined;
const HOST = 'api.hospital.example.org';
/** Of a search, by whose words a log would name a patient. */
const identifier = '31465466';

beforeAll(() => {
  if (!isThere('openssl')) return;
  const subject = ['-subj', `/CN=${HOST}`, '-addext', `subjectAltName=DNS:${HOST}`];
  const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'certificate.pem')];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  execFileSync('openssl', ['req', ...kind, ...subject, ...files], { stdio: 'ignore' });
  const both = ['certificate.pem', 'key.pem'].map((name) => readFileSync(join(folder, name), 'utf8'));
  writeFileSync(join(folder, 'both.pem'), both.join(''));
});

interface Proxy {
  readonly program: string;
  readonly file: string;
  readonly args: (file: string) => readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Makes it listen on the loopback address alone. */
  readonly listen: (text: string, port: number) => string;
}

const proxies: readonly Proxy[] = [
  {
    program: 'nginx',
    file: 'nginx.conf',
    args: (file) => ['-c', file, '-p', folder, '-g', `daemon off; pid ${join(folder, 'nginx.pid')};`],
    listen: (text, port) => text.replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`),
  },
  {
    program: 'haproxy',
    file: 'haproxy.cfg',
    args: (file) => ['-db', '-f', file],
    listen: (text, port) => text.replace('bind :443', `bind 127.0.0.1:${port}`),
  },
  {
    program: 'caddy',
    file: 'Caddyfile',
    args: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
    environment: { HOME: folder },
    listen: (text, port) =>
      text
        .replace(`${HOST}:443 {`, `${HOST}:${port} {\n\tbind 127.0.0.1`)
        .replace('admin off', 'admin off\n\thttp_port 0'),
  },
];

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe.each(proxies)('examples/deploy/$file', ({ program, file, args, environment = {}, listen }) => {
  const reason = [program, 'openssl'].find((each) => !isThere(each));
  const name = 'lets requests through by TLS, a ticket with a file too, and logs nobody';
  const run = reason === undefined ? test : test.skip;
  run(reason === undefined ? name : `${name} (skipped: ${reason} is not installed here)`, async () => {
    const gateway = await startGateway({ environment: { PUENTE_HTTP_TRUSTED_PROXIES: '[127.0.0.1]' } });
    const port = await findFreePort();
    const config = join(folder, file);
    const text = readFileSync(join(examples, file), 'utf8');
    const here = text
      .replaceAll(/\/etc\/puente\/|\/var\/log\/nginx\//g, `${folder}/`)
      .replaceAll('127.0.0.1:8080', new URL(gateway.url).host);
    writeFileSync(config, listen(here, port));
    const options: SpawnOptions = {
      env: { PATH: process.env.PATH, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    };
    const proxy = spawn(program, args(config), options);
    const closed = once(proxy, 'close');
    let printed = '';
    for (const stream of [proxy.stdout, proxy.stderr])
      stream?.setEncoding('utf8').on('data', (line) => (printed += line));

    const ask = async (method: string, path: string, body?: string) => {
      const ca = readFileSync(join(folder, 'certificate.pem'));
      const headers = { Host: HOST, Authorization: `Bearer ${gateway.token}`, 'Content-Type': 'application/json' };
      const sent = request({ host: '127.0.0.1', port, servername: HOST, ca, method, path, headers, agent: false });
      sent.end(body);
      const [response] = await once(sent, 'response');
      response.resume();
      await once(response, 'end');
      return response.statusCode as number;
    };
    try {
      const search = `/patients/search?identifier=${identifier}&identifier_type=DNI`;
      let status = 0;
      for (let i = 0; i < 100 && status !== 200; i++) {
        status = await ask('GET', search).catch(() => 0);
        if (status !== 200) await sleep(100);
      }
      expect({ status, printed: status === 200 ? '' : printed }).toEqual({ status: 200, printed: '' });
      const orden = `data:application/pdf;base64,${Buffer.alloc(6 << 20).toString('base64')}`;
      expect(
        await ask('POST', '/patients/ana/ticket_type/nothing/ticket', JSON.stringify({ observations: orden })),
      ).toBe(422);
    } finally {
      proxy.kill('SIGTERM');
      await closed;
      await gateway.stop();
    }
    const log = join(folder, 'gateway.log');
    expect(printed + (existsSync(log) ? readFileSync(log, 'utf8') : '')).not.toMatch(/31465466|\/patients/);
  });
});

describe('examples/deploy/puente.service', () => {
  const unit = readFileSync(join(examples, 'puente.service'), 'utf8');
  const run = isThere('systemd-analyze') ? test : test.skip;

  test('starts what npm start starts', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { start: string } };
    expect(unit).toContain(`ExecStart=/usr/bin/node /opt/puente/${scripts.start.replace(/^node /, '')}\n`);
  });

  run('is understood by systemd (skipped where systemd-analyze is not installed)', () => {
    const file = join(folder, 'puente.service');
    const here = unit.replace('/usr/bin/node', process.execPath).replaceAll('/opt/puente', process.cwd());
    writeFileSync(file, here);
    const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
    expect((stdout + stderr).split('\n').filter((line) => line.includes('puente.service'))).toEqual([]);
  });
});

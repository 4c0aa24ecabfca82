import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from './free-port.ts';

export const isThere = (program: string): boolean => spawnSync(program, ['--help']).error === undefined;

export const HOST = 'api.hospital.example.org';

/** A file of examples/deploy, and how it is run without rights, on the loopback address alone. */
interface Proxy {
  readonly program: string;
  readonly file: string;
  readonly args: (file: string, folder: string) => readonly string[];
  readonly listen: (text: string, port: number) => string;
}

export const proxies: readonly Proxy[] = [
  {
    program: 'nginx',
    file: 'nginx.conf',
    args: (file, folder) => ['-c', file, '-p', folder, '-g', `daemon off; pid ${join(folder, 'nginx.pid')};`],
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
    listen: (text, port) =>
      text
        .replace(`${HOST}:443 {`, `${HOST}:${port} {\n\tbind 127.0.0.1`)
        .replace('admin off', 'admin off\n\thttp_port 0'),
  },
];

/** What is missing here to run the proxy. */
export const findMissing = ({ program }: Proxy): string | undefined =>
  [program, 'openssl'].find((each) => !isThere(each));

/** Where a gateway listens. */
export interface Ports {
  readonly http: number;
  readonly ops: number;
}

/** Those in the files of examples/deploy. */
const ports: readonly Ports[] = [
  { http: 8080, ops: 8081 },
  { http: 8090, ops: 8091 },
];

/** A proxy in front of two gateways. */
export interface RunningProxy {
  readonly port: number;
  /** The certificate that it shows. */
  readonly ca: string;
  /** What it has printed. */
  readonly printed: () => string;
  stop(): Promise<void>;
}

/** Runs the file of examples/deploy as it is, but for addresses and paths. Writes certificates into the folder. */
export async function startProxy(proxy: Proxy, folder: string, gateways: readonly Ports[]): Promise<RunningProxy> {
  const ca = makeCertificate(folder);
  const port = await findFreePort();
  let text = readFileSync(join(import.meta.dirname, '../../examples/deploy', proxy.file), 'utf8');
  text = proxy.listen(text.replaceAll(/\/etc\/puente\/|\/var\/log\/nginx\//g, `${folder}/`), port);
  for (const [i, { http, ops }] of ports.entries()) {
    text = text.replace(`127.0.0.1:${http}`, `127.0.0.1:${gateways[i]?.http}`);
    text = text.replace(`port ${ops}`, `port ${gateways[i]?.ops}`);
  }
  const config = join(folder, proxy.file);
  writeFileSync(config, text);
  const child = spawn(proxy.program, proxy.args(config, folder), {
    env: { PATH: process.env.PATH, HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = once(child, 'close');
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (lines: string) => {
      printed += lines;
    });
  }
  const stop = async () => {
    child.kill('SIGTERM');
    await closed;
  };
  return { port, ca, printed: () => printed, stop };
}

function makeCertificate(folder: string): string {
  const files = ['certificate.pem', 'key.pem'].map((name) => join(folder, name));
  const [certificate = '', key = ''] = files;
  const subject = ['-subj', `/CN=${HOST}`, '-addext', `subjectAltName=DNS:${HOST}`];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  execFileSync('openssl', ['req', ...kind, ...subject, '-keyout', key, '-out', certificate], { stdio: 'ignore' });
  writeFileSync(join(folder, 'both.pem'), files.map((file) => readFileSync(file, 'utf8')).join(''));
  return readFileSync(certificate, 'utf8');
}

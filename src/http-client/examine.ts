import { lookup } from 'node:dns/promises';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { Finding } from '../ports/index.ts';
import { getErrorCode } from '../toolkit/failures.ts';
import type { HttpOptions } from './exchange.ts';

/** The address of a server with its TLS settings. */
export interface ServerAddress {
  readonly url: string;
  /** The setting with the URL, e.g. `baseUrl`. */
  readonly setting: string;
  readonly tls: HttpOptions['tls'];
  /** The time limit of one connection in milliseconds. */
  readonly timeoutMs: number;
}

/** A certificate should be renewed at this number of days before its end. */
const RENEWAL_DAYS = 14;
const DAY_MS = 86_400_000;

/** Reports whether the host name resolves, the port is open, and the certificate is valid. Sends no request. */
export async function* examineConnection(server: ServerAddress): AsyncGenerator<Finding> {
  const { protocol, hostname, port } = new URL(server.url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const address = { host, port: Number(port || (protocol === 'https:' ? 443 : 80)) };
  if (isIP(host) === 0) yield await examineName(host, server);
  yield await examinePort(address, server);
  if (protocol === 'https:') yield await examineCertificate(address, server);
  else if (isIP(host) === 0 && host !== 'localhost') yield unencrypted;
}

const unencrypted: Finding = {
  check: 'TLS',
  ok: null,
  detail: 'requests travel unencrypted, because the URL begins with http:',
  fix: 'use https, unless both machines are in one protected network',
};

async function examineName(host: string, { setting, timeoutMs }: ServerAddress): Promise<Finding> {
  const check = 'name of the server';
  try {
    const found = await Promise.race([lookup(host, { all: true }), rejectAfter(timeoutMs)]);
    return { check, ok: true, detail: `${host} is ${found.map(({ address }) => address).join(', ')}` };
  } catch (error) {
    const fix = `correct the host in ${setting}, or the DNS of this machine`;
    return { check, ok: false, detail: `the host ${host} cannot be resolved (${findCode(error)})`, fix, stops: true };
  }
}

interface HostAddress {
  readonly host: string;
  readonly port: number;
}

async function examinePort({ host, port }: HostAddress, { setting, timeoutMs }: ServerAddress): Promise<Finding> {
  const check = 'connection';
  const socket = connect({ host, port });
  try {
    await waitFor(socket, 'connect', timeoutMs);
    return { check, ok: true, detail: `${host} accepts connections on port ${port}` };
  } catch (error) {
    const code = findCode(error);
    const fix =
      code === 'ETIMEDOUT'
        ? `open the firewall from this machine to ${host} port ${port}, or correct ${setting}`
        : `start the server, or correct host and port in ${setting}`;
    return { check, ok: false, detail: `${host} accepts no connections on port ${port} (${code})`, fix, stops: true };
  } finally {
    socket.destroy();
  }
}

async function examineCertificate(address: HostAddress, { tls, setting, timeoutMs }: ServerAddress): Promise<Finding> {
  const check = 'TLS certificate';
  const servername = isIP(address.host) === 0 ? { servername: address.host } : {};
  // An invalid certificate is accepted here, to report what is wrong with it. Nothing is sent.
  const options = { ...address, ...tls, ...servername, minVersion: 'TLSv1.2' as const, rejectUnauthorized: false };
  const socket = connectTls(options);
  try {
    await waitFor(socket, 'secureConnect', timeoutMs);
    return { check, ...describeCertificate(socket, address.host, setting) };
  } catch (error) {
    const code = findCode(error);
    const isPlain = code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG';
    const fix = isPlain
      ? `the server has no TLS on this port: correct the port in ${setting}, or begin it with http:`
      : 'enable TLS 1.2 or 1.3 on the server; if it requires a client certificate, set tls.cert and tls.key to a valid one';
    return { check, ok: false, detail: `the TLS handshake failed (${code})`, fix, stops: true };
  } finally {
    socket.destroy();
  }
}

function describeCertificate(socket: TLSSocket, host: string, setting: string): Omit<Finding, 'check'> {
  const { valid_to: validTo, subjectaltname: names = '' } = socket.getPeerCertificate();
  const end = new Date(validTo);
  const day = Number.isNaN(end.getTime()) ? 'an unknown day' : end.toISOString().slice(0, 10);
  if (!socket.authorized) {
    const code = findCode({ code: socket.authorizationError });
    const fix = fixes[code]?.({ setting, names }) ?? unknownAuthority;
    return { ok: false, detail: `the certificate of ${host} is invalid (${code})`, fix, stops: true };
  }
  const days = Math.floor((end.getTime() - Date.now()) / DAY_MS);
  const detail = `the certificate of ${host} is valid until ${day} (${socket.getProtocol() ?? 'TLS'})`;
  if (days >= RENEWAL_DAYS) return { ok: true, detail };
  return { ok: false, detail: `${detail}, ${days} days left`, fix: 'renew the certificate of the server now' };
}

const unknownAuthority =
  'set tls.ca to a PEM file with the issuing authority, or with the certificate itself if it is self-signed';

interface Certificate {
  readonly setting: string;
  readonly names: string;
}

/** By the error code of OpenSSL and Node. Any other code points to a missing authority. */
const fixes: Readonly<Record<string, (certificate: Certificate) => string>> = {
  CERT_HAS_EXPIRED: () => 'renew the certificate of the server; if it is new, correct the clock of this machine',
  CERT_NOT_YET_VALID: () => 'correct the clock of this machine, or wait until the certificate is valid',
  ERR_TLS_CERT_ALTNAME_INVALID: ({ setting, names }) =>
    `name the server in ${setting} as in its certificate (${names || 'it has no name'}), or issue the certificate for this name`,
};

/** @throws Error with a `code`; `ETIMEDOUT` after that time. */
async function waitFor(socket: Socket, event: 'connect' | 'secureConnect', timeoutMs: number): Promise<void> {
  const timeout = AbortSignal.timeout(timeoutMs);
  await new Promise<void>((resolve, reject) => {
    const fail = () => reject(Object.assign(new Error('too late'), { code: 'ETIMEDOUT' }));
    timeout.addEventListener('abort', fail, { once: true });
    socket.once(event, () => resolve());
    socket.once('error', reject);
    socket.once('close', () => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' })));
  });
}

async function rejectAfter(timeoutMs: number): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  setTimeout(() => reject(Object.assign(new Error('too late'), { code: 'ETIMEDOUT' })), timeoutMs).unref();
  return promise;
}

/** Returns a network or TLS code. Messages are not used, because they may repeat any text. */
function findCode(error: unknown): string {
  const code = getErrorCode(error);
  return /^[A-Z][A-Z0-9_]*$/.test(code) ? code : 'UNKNOWN';
}

import dns from 'node:dns';
import { afterAll, afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { type Certificate, makeCertificate } from '../../../fault-server/certificate.ts';
import { startWatchedGateway, type WatchedGateway } from '../../../fault-server/gateway.ts';
import { FaultServer } from '../../../fault-server/server.ts';
import { startHospital } from '../../../hospital-in-fhir/start.ts';
import { ConfigFolder } from '../../../support/config-file.ts';

const { server, id } = await startHospital();
const folder = new ConfigFolder();
let gateway: WatchedGateway;
let between: FaultServer | undefined;

beforeEach(() => server.reset());
afterEach(async () => {
  jest.restoreAllMocks();
  await gateway.stop();
  await between?.stop();
  between = undefined;
});
afterAll(() => folder.remove());

const read = () => gateway.askForCode('GET', `/patients/${id('Patient/bruno')}`);
const update = () => gateway.askForCode('PUT', `/patients/${id('Patient/bruno')}`, { phone: '+54 11 5555-0000' });
const getCause = () => (JSON.parse(gateway.lines.at(-1) ?? '') as { cause?: string }).cause;

describe('the name of the FHIR server', () => {
  const start = async (fail: (done: (error: NodeJS.ErrnoException) => void) => void, environment = {}) => {
    gateway = await startWatchedGateway(server, 'http://fhir.invalid:1/fhir', environment);
    jest.spyOn(dns, 'lookup').mockImplementation(((...given: unknown[]) => {
      const done = given.at(-1);
      if (typeof done === 'function') fail((error) => done(error));
    }) as typeof dns.lookup);
  };

  test.each(['ENOTFOUND', 'EAI_AGAIN'])('F19 that %s keeps from being found is 502', async (code) => {
    await start((done) => process.nextTick(done, Object.assign(new Error(code), { code })));
    expect([await read(), await update()]).toEqual(['502 backend_unavailable', '502 backend_unavailable']);
    expect(getCause()).toBe(code);
  });

  test('F19 that nobody tells is 504 at the deadline, for a write too, since nothing was sent', async () => {
    await start(() => undefined, { PUENTE_HTTP_READ_DEADLINE: '200', PUENTE_HTTP_WRITE_DEADLINE: '200' });
    expect([await read(), await update()]).toEqual(['504 backend_timeout', '504 backend_timeout']);
  });
});

describe('a FHIR server that speaks TLS', () => {
  const ours = makeCertificate();
  process.env.FAULT_TLS_KEY = ours.key;
  const own = {
    PUENTE_ADAPTER_SETTINGS_TLS_CERT: folder.write('own.pem', ours.cert),
    PUENTE_ADAPTER_SETTINGS_TLS_KEY: 'env:FAULT_TLS_KEY',
  };

  /** The gateway trusts `ca`, in front of a server that shows the certificate. */
  async function start(certificate: Certificate, ca: Certificate | undefined, options: object = {}, environment = {}) {
    between = await FaultServer.start(server.url, { ...certificate, ...options });
    const trusted = ca && { PUENTE_ADAPTER_SETTINGS_TLS_CA: folder.write('ca.pem', ca.cert) };
    gateway = await startWatchedGateway(server, between.url, { ...trusted, ...environment });
  }

  const good = makeCertificate();
  const expired = makeCertificate({ days: -1 });
  const ofAnother = makeCertificate({ host: 'other.invalid' });
  const oldTls = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' };
  const wantsOurs = { requestCert: true, rejectUnauthorized: true, ca: ours.cert };

  test('F20 is asked when its certificate is trusted, and shown ours when it wants it', async () => {
    await start(good, good, wantsOurs, own);
    expect([await read(), await update()]).toEqual(['200', '200']);
  });

  test.each<[string, Certificate, Certificate | undefined, object, string]>([
    ['whose certificate nobody signed that we trust', good, undefined, {}, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['whose certificate has expired', expired, expired, {}, 'CERT_HAS_EXPIRED'],
    ['whose certificate is of another host', ofAnother, ofAnother, {}, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['that knows TLS 1.1 and older only', good, good, oldTls, 'EPROTO|ERR_SSL_'],
    ['that wants a certificate of ours which we have not', good, good, wantsOurs, 'ERR_SSL_|ECONNRESET|EPIPE'],
  ])('F20 %s is 502, and sent nothing', async (_, certificate, ca, options, cause) => {
    await start(certificate, ca, options);
    expect([await read(), await update()]).toEqual(['502 backend_unavailable', '502 backend_unavailable']);
    expect(getCause()).toMatch(new RegExp(cause));
    expect(server.requests.calls).toEqual([]);
  });

  test('F20 that speaks plain HTTP instead is 502, and sent nothing', async () => {
    between = await FaultServer.start(server.url);
    gateway = await startWatchedGateway(server, between.url.replace('http:', 'https:'));
    expect([await read(), await update()]).toEqual(['502 backend_unavailable', '502 backend_unavailable']);
    expect(server.requests.calls).toEqual([]);
  });
});

describe('the token endpoint of a FHIR server', () => {
  process.env.FAULT_CLIENT_SECRET = 'the secret of the gateway';
  const oauth = {
    kind: 'oauth',
    clientId: 'puente',
    clientSecret: 'the secret of the gateway',
    expiresIn: 300,
  } as const;

  async function start() {
    server.reset({ auth: oauth });
    between = await FaultServer.start(server.tokenUrl);
    const auth = {
      kind: 'oauth2-secret',
      clientId: 'puente',
      clientSecret: 'env:FAULT_CLIENT_SECRET',
      tokenUrl: between.url,
    };
    const environment = { PUENTE_ADAPTER_SETTINGS_AUTH: JSON.stringify(auth), PUENTE_ADAPTER_SETTINGS_TIMEOUT: '1000' };
    gateway = await startWatchedGateway(server, server.url, environment);
    return between;
  }

  test.each<[string, (tokens: FaultServer) => unknown]>([
    ['is down', (tokens) => tokens.down()],
    ['never answers', (tokens) => tokens.set({ type: 'timeout', timeout: 0 })],
    ['resets', (tokens) => tokens.set({ type: 'reset_peer', timeout: 0 })],
    [
      'answers a page',
      (tokens) =>
        Object.assign(tokens, {
          answer: 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>',
        }),
    ],
    ['refuses', (tokens) => Object.assign(tokens, { answer: 'HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n' })],
  ])('F14 that %s is 502 while there is no token, and no matter while there is one', async (_, spoil) => {
    const tokens = await start();
    await spoil(tokens);
    expect(await read()).toBe('502 backend_unavailable');
    expect(server.requests.calls.filter((call) => !call.includes('/oauth2/token'))).toEqual([]);
    Object.assign(tokens, { answer: undefined }).set();
    await tokens.down();
    await tokens.up();
    expect(await read()).toBe('200');
    await spoil(tokens);
    expect([await read(), await update()]).toEqual(['200', '200']);
  });
});

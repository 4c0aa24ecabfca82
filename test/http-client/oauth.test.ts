import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { exportJWK, exportPKCS8, generateKeyPair } from 'jose';
import { SettingsProblem } from '../../src/toolkit/problems.ts';
import type { Auth } from '../fhir-server/quirks.ts';
import type { Answer } from '../fhir-server/response.ts';
import { startHospital } from '../hospital-in-fhir/start.ts';
import { connect, makeSettings } from '../support/fhir-adapter.ts';
import { callNow } from '../support/fhir-calls.ts';
import { serve } from '../support/listen.ts';

const { server, id } = await startHospital();
const folder = mkdtempSync(join(tmpdir(), 'puente-'));
const ana = () => id('Patient/ana');

beforeEach(() => {
  server.reset();
  process.env.FHIR_TEST_SECRET = 's3cret/+ ';
});

afterAll(() => rmSync(folder, { recursive: true }));

const oauth: Auth = { kind: 'oauth', clientId: 'puente', clientSecret: 's3cret/+', expiresIn: 300 };
const withSecret = { kind: 'oauth2-secret', clientId: 'puente', clientSecret: 'env:FHIR_TEST_SECRET' };

async function connectWith(auth: object) {
  const { ports } = await connect(server, { auth });
  return ports.patients;
}

const refused = expect.objectContaining({ kind: 'unavailable', code: 'backend_auth' });

describe('the adapter', () => {
  test('shows a user and a password', async () => {
    server.quirks.auth = { kind: 'basic', user: 'puente', password: 's3cret/+' };
    const patients = await connectWith({ kind: 'basic', user: 'puente', password: 'env:FHIR_TEST_SECRET' });
    expect((await patients.get(ana(), callNow())).id).toBe(ana());
  });

  test('shows a token that lies in a file', async () => {
    server.quirks.auth = { kind: 'bearer', token: 'abc' };
    const path = join(folder, 'token');
    writeFileSync(path, 'abc\n');
    const patients = await connectWith({ kind: 'bearer', token: `file:${path}` });
    expect((await patients.get(ana(), callNow())).id).toBe(ana());
  });

  test('does not ask twice when a token that cannot be renewed is refused', async () => {
    server.quirks.auth = { kind: 'bearer', token: 'another' };
    const patients = await connectWith({ kind: 'bearer', token: 'env:FHIR_TEST_SECRET' });
    await expect(patients.get(ana(), callNow())).rejects.toEqual(refused);
    expect(server.requests.calls).toHaveLength(1);
  });

  test('logs in through auth.proxy, and goes straight to the server', async () => {
    server.quirks.auth = { kind: 'bearer', token: 'from-afar' };
    const asked: string[] = [];
    const proxy = await serve((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      response.setHeader('Content-Type', 'application/json');
      response.end('{"access_token":"from-afar","expires_in":300}');
    });
    process.env.FHIR_TEST_PROXY = proxy.replace('//', '//me:secret@');
    const way = { tokenUrl: 'http://id.invalid/token', proxy: 'env:FHIR_TEST_PROXY' };
    const patients = await connectWith({ ...withSecret, ...way });
    expect((await patients.get(ana(), callNow())).id).toBe(ana());
    expect(asked).toEqual(['POST http://id.invalid/token']);
  });

  test.each(['basic', 'post'])('gets a token for a secret that it sends by %s', async (style) => {
    server.quirks.auth = oauth;
    const patients = await connectWith({ ...withSecret, tokenUrl: server.tokenUrl, style });
    expect((await patients.get(ana(), callNow())).id).toBe(ana());
  });

  test('gets one token for fifty calls at once, and keeps it', async () => {
    server.quirks.auth = oauth;
    const patients = await connectWith({ ...withSecret, tokenUrl: server.tokenUrl });
    await Promise.all(Array.from({ length: 50 }, () => patients.get(ana(), callNow())));
    await patients.get(ana(), callNow());
    expect(server.tokens.issued).toBe(1);
  });

  test('asks for the scope that it was told to, and for none otherwise', async () => {
    server.quirks.auth = oauth;
    for (const scope of ['system/*.rs', undefined]) {
      server.requests.reset();
      const patients = await connectWith({ ...withSecret, tokenUrl: server.tokenUrl, ...(scope && { scope }) });
      await patients.get(ana(), callNow());
      const [asked] = server.requests.all.filter(({ target }) => target === '/oauth2/token');
      expect(new URLSearchParams(asked?.body).get('scope')).toBe(scope ?? null);
    }
  });

  test.each(['300', 300.5, undefined])('takes %j for the seconds of a token', async (expires_in) => {
    server.quirks.auth = oauth;
    server.quirks.fault = ({ target }) => {
      const answer = (given: Answer) => ({
        ...given,
        body: JSON.stringify({ ...JSON.parse(String(given.body)), expires_in }),
      });
      return target === '/oauth2/token' ? { commits: true, answer } : undefined;
    };
    const patients = await connectWith({ ...withSecret, tokenUrl: server.tokenUrl });
    await patients.get(ana(), callNow());
    await patients.get(ana(), callNow());
    expect(server.tokens.issued).toBe(1);
  });

  test('sends further fields that a token endpoint wants', async () => {
    server.quirks.auth = oauth;
    const parameters = { audience: 'https://fhir.example.org', resource: 'urn:fhir' };
    const patients = await connectWith({ ...withSecret, tokenUrl: server.tokenUrl, parameters });
    await patients.get(ana(), callNow());
    const [asked] = server.requests.all.filter(({ target }) => target === '/oauth2/token');
    expect(Object.fromEntries(new URLSearchParams(asked?.body))).toEqual({
      grant_type: 'client_credentials',
      ...parameters,
    });
  });

  test('lets no further field take the place of one of its own', () => {
    const auth = { ...withSecret, tokenUrl: server.tokenUrl, parameters: { grant_type: 'password' } };
    expect(() => makeSettings(server, { auth })).toThrow('is a field that the gateway fills in itself');
  });

  test('gets one new token for fifty calls whose token was refused, and repeats each once', async () => {
    server.quirks.auth = oauth;
    const patients = await connectWith({ ...withSecret, tokenUrl: server.tokenUrl });
    await patients.get(ana(), callNow());
    server.tokens.expireAll();
    server.requests.reset();
    await Promise.all(Array.from({ length: 50 }, () => patients.get(ana(), callNow())));
    expect(server.tokens.issued).toBe(2);
    expect(server.requests.calls.filter((each) => each.includes('Patient')).length).toBeLessThanOrEqual(100);
  });

  test('repeats a write whose token was refused, since it was not done', async () => {
    server.quirks.auth = oauth;
    const patients = await connectWith({ ...withSecret, tokenUrl: server.tokenUrl });
    await patients.search({ identifier: '38111222' }, callNow());
    server.tokens.expireAll();
    const identifier = { type: 'DNI', value: '38111222' } as const;
    await patients.register({ identifier, birthDate: '1994-02-03', gender: 'Female' }, callNow());
    expect(await server.search('Patient', 'identifier=38111222')).toHaveLength(1);
  });

  test.each([
    ['ES384', 'PKCS#8'],
    ['RS384', 'PKCS#8'],
    ['ES384', 'JWK'],
  ] as const)('gets a token for an assertion that it signs with a key for %s in %s', async (algorithm, form) => {
    const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true });
    const path = join(folder, `${algorithm}.key`);
    writeFileSync(path, form === 'JWK' ? JSON.stringify(await exportJWK(privateKey)) : await exportPKCS8(privateKey));
    server.quirks.auth = { kind: 'oauth', clientId: 'puente', publicKey, expiresIn: 300 };
    const key = { kind: 'oauth2-key', clientId: 'puente', privateKey: `file:${path}`, keyId: 'k1', algorithm };
    const patients = await connectWith({ ...key, tokenUrl: server.tokenUrl, scope: 'system/*.cruds' });
    await patients.get(ana(), callNow());
    server.tokens.expireAll();
    expect((await patients.get(ana(), callNow())).id).toBe(ana());
    expect(server.tokens.issued).toBe(2);
  });
});

describe('a secret', () => {
  test.each(['http://user:secret@fhir.invalid/fhir', 'http://fhir.invalid/fhir?key=1', 'http://fhir.invalid/fhir#key'])(
    'stands in no address: %s',
    (url) => {
      expect(() => makeSettings({ url })).toThrow('without credentials');
    },
  );

  test('is not taken from the configuration itself', () => {
    expect(() => makeSettings(server, { auth: { kind: 'bearer', token: 'abc' } })).toThrow('env:NAME or file:/path');
  });

  test.each([
    ['auth.token', { kind: 'bearer', token: 'env:FHIR_TEST_NOTHING' }],
    ['auth.password', { kind: 'basic', user: 'a', password: 'file:/nowhere/at/all' }],
    [
      'auth.privateKey',
      {
        kind: 'oauth2-key',
        tokenUrl: 'http://x.invalid',
        clientId: 'a',
        privateKey: 'env:FHIR_TEST_SECRET',
        keyId: 'k',
      },
    ],
  ])('that is missing or unfit is named by its setting: %s', async (setting, auth) => {
    const problem = await connectWith(auth).catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(SettingsProblem);
    expect(problem).toMatchObject({ setting });
    expect(String(problem)).not.toContain('s3cret');
  });
});

import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { generateKeyPair, type JWTHeaderParameters, SignJWT } from 'jose';
import { call, get } from './caller.ts';
import { startFhirServer } from './server.ts';

const server = await startFhirServer();

beforeEach(() => server.reset());
afterAll(() => server.stop());

const getStatus = async (authorization?: string): Promise<number> => {
  const { status } = await get(`${server.url}/Patient`, authorization === undefined ? {} : { authorization });
  return status;
};

interface Grant {
  readonly access_token: string;
  readonly expires_in: number;
}
const requestToken = (form: Record<string, string>, headers?: Record<string, string>) =>
  call<Grant>(server.tokenUrl, 'POST', String(new URLSearchParams(form)), headers);
const credentials = { grant_type: 'client_credentials', client_id: 'puente', client_secret: 's3cret' };
const formatBasic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

describe('the FHIR stand-in with authentication', () => {
  test('lets in by user and password', async () => {
    server.reset({ auth: { kind: 'basic', user: 'puente', password: 'clave' } });
    expect(await getStatus()).toBe(401);
    expect(await getStatus(formatBasic('puente:otra'))).toBe(401);
    expect(await getStatus(formatBasic('puente:clave'))).toBe(200);
  });

  test('lets in by a fixed token, and shows its metadata to everybody', async () => {
    server.reset({ auth: { kind: 'bearer', token: 'abc' } });
    expect(await getStatus('Bearer abd')).toBe(401);
    expect(await getStatus('Bearer abc')).toBe(200);
    expect((await get(`${server.url}/metadata`)).status).toBe(200);
  });

  test('issues tokens for a client secret, counts them and lets them expire', async () => {
    server.reset({ auth: { kind: 'oauth', clientId: 'puente', clientSecret: 's3cret', expiresIn: 60 } });
    expect((await requestToken({ ...credentials, client_secret: 'guess' })).status).toBe(401);
    const { body } = await requestToken(credentials);
    expect(body.expires_in).toBe(60);
    expect(await getStatus(`Bearer ${body.access_token}`)).toBe(200);
    server.tokens.expireAll();
    expect(await getStatus(`Bearer ${body.access_token}`)).toBe(401);
    await requestToken({ grant_type: 'client_credentials' }, { authorization: formatBasic('puente:s3cret') });
    expect(server.tokens.issued).toBe(2);
  });

  test('refuses a token whose time is over', async () => {
    server.reset({ auth: { kind: 'oauth', clientId: 'puente', clientSecret: 's3cret', expiresIn: 0 } });
    const { body } = await requestToken(credentials);
    expect(await getStatus(`Bearer ${body.access_token}`)).toBe(401);
  });

  test.each(['ES384', 'RS384'])('issues tokens for a key of %s', async (alg) => {
    const { publicKey, privateKey } = await generateKeyPair(alg);
    server.reset({ auth: { kind: 'oauth', clientId: 'puente', publicKey, expiresIn: 60 } });
    const now = Math.floor(Date.now() / 1000);
    const known = { alg, kid: 'k1', typ: 'JWT' };
    const sign = (claims: Record<string, unknown> = {}, header: JWTHeaderParameters = known) =>
      new SignJWT({
        iss: 'puente',
        sub: 'puente',
        aud: server.tokenUrl,
        jti: randomUUID(),
        iat: now,
        exp: now + 240,
        ...claims,
      })
        .setProtectedHeader(header)
        .sign(privateKey);
    const ask = async (client_assertion: string, more: Record<string, string> = { scope: 'system/*.rs' }) => {
      const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
      const form = { grant_type: 'client_credentials', client_assertion_type, client_assertion, ...more };
      return (await requestToken(form)).status;
    };
    const assertion = await sign();
    expect(await ask(assertion)).toBe(200);
    expect(await ask(assertion)).toBe(400);
    expect(await ask(await sign({ nbf: now - 5, iat: now - 5 }))).toBe(200);
    const wrong: Record<string, unknown>[] = [
      { aud: 'https://elsewhere.example' },
      { exp: now + 3600 },
      { exp: now - 1 },
      { iat: undefined },
      { iat: now + 60 },
      { iat: now - 120 },
      { nbf: now + 60 },
      { jti: undefined },
    ];
    for (const claims of wrong) expect([claims, await ask(await sign(claims))]).toEqual([claims, 400]);
    expect(await ask(await sign({ iss: 'other' }))).toBe(401);
    for (const header of [
      { alg, typ: 'JWT' },
      { alg, kid: 'k1' },
    ])
      expect(await ask(await sign({}, header))).toBe(400);
    expect(await ask(await sign(), {})).toBe(400);
  });
});

import { afterAll, describe, expect, test } from '@jest/globals';
import { startGateway } from '../support/gateway.ts';
import { wait } from '../support/guarded-gateway.ts';
import { serve } from '../support/listen.ts';
import { createProvider, inSeconds } from '../support/provider.ts';

const { keys, sign } = await createProvider();
const stranger = await createProvider();
const claims = { iss: 'https://id.invalid', aud: 'puente', client_id: 'a', scope: 'patients:read' };
let isDown = true;
const provider = await serve((_request, response) =>
  isDown ? response.socket?.destroy() : response.end(JSON.stringify(keys)),
);
const { host } = new URL(provider);
const gateway = await startGateway({
  lookEvery: 5,
  environment: {
    PUENTE_AUTH_JWT_ISSUER: 'https://id.invalid',
    PUENTE_AUTH_JWT_AUDIENCE: 'puente',
    PUENTE_AUTH_JWT_TYP: 'null',
    PUENTE_AUTH_JWT_JWKS_URI: `${provider}/keys`,
  },
});
afterAll(() => gateway.stop());

const readReadiness = async () => {
  const response = await fetch(`${gateway.url}/readyz`);
  return { status: response.status, body: (await response.json()) as { status: string; impairments?: unknown } };
};
const ask = async (token: string) =>
  (await gateway.ask('GET', '/patients/ana', undefined, { authorization: `Bearer ${token}` })).status;
const findEvents = (event: string) =>
  gateway.lines.filter((line) => line.includes(`"${event}"`)).map((line) => JSON.parse(line));

describe('an issuer', () => {
  test('that is down is told at /readyz, which stays 200, and in the log, and so is its return', async () => {
    await wait(() => findEvents('issuer impaired').length > 0);
    const { status, body } = await readReadiness();
    expect([status, body.status]).toEqual([200, 'impaired']);
    expect(body.impairments).toEqual([{ code: 'issuer_unavailable' }]);
    expect(gateway.impairments()).toMatchObject([
      { code: 'issuer_unavailable', detail: expect.stringMatching(/cannot be fetched from 127.*; start the provider/) },
    ]);
    expect(findEvents('issuer impaired')).toMatchObject([{ code: 'issuer_unavailable', host, cause: 'ECONNRESET' }]);
    isDown = false;
    await wait(() => findEvents('issuer recovered').length > 0);
    expect(findEvents('issuer recovered')).toHaveLength(1);
    expect((await readReadiness()).body).toEqual({ status: 'ok' });
  });

  test('was asked for its keys before the first token came', async () => {
    isDown = true;
    expect(await ask(await sign({}, { ...claims, exp: inSeconds(60) }))).toBe(200);
  });

  test('whose token was issued after now has it refused, and is told with its clock by no forged one', async () => {
    isDown = false;
    const ahead = { ...claims, iat: inSeconds(300), exp: inSeconds(360) };
    expect(await ask(await stranger.sign({}, ahead))).toBe(401);
    expect((await readReadiness()).body.status).toBe('ok');
    expect(await ask(await sign({}, ahead))).toBe(401);
    expect(findEvents('request').flatMap(({ cause }) => cause ?? [])).toEqual(['bad_signature', 'issued_ahead']);
    expect(gateway.impairments()).toMatchObject([
      {
        code: 'issuer_clock',
        detail: expect.stringMatching(/^the clock of the issuer is 5 minutes ahead of .* \(NTP\)$/),
      },
    ]);
    await wait(() => findEvents('issuer impaired').length > 1);
    expect(findEvents('issuer impaired').at(-1)).toMatchObject({ code: 'issuer_clock', host });
  });
});

import { afterAll, describe, expect, test } from '@jest/globals';
import { ConfigFolder } from '../support/config-file.ts';
import { startGateway } from '../support/gateway.ts';
import { createProvider, inSeconds } from '../support/provider.ts';

const { keys, sign } = await createProvider();
const another = await createProvider();
const folder = new ConfigFolder();
const gateway = await startGateway({
  environment: {
    PUENTE_AUTH_JWT_PRESET: 'keycloak',
    PUENTE_AUTH_JWT_ISSUER: 'https://id.invalid/realms/hospital',
    PUENTE_AUTH_JWT_AUDIENCE: 'puente',
    PUENTE_AUTH_JWT_JWKS_FILE: folder.write('keys.json', JSON.stringify(keys)),
    PUENTE_LIMITS_FAILED_TOKENS_REQUESTS: '9',
  },
});
afterAll(async () => {
  folder.remove();
  await gateway.stop();
});

const claims = {
  iss: 'https://id.invalid/realms/hospital',
  aud: 'puente',
  typ: 'Bearer',
  azp: 'platform',
  sub: 'ana.ferreyra',
  preferred_username: 'ana.ferreyra',
  name: 'Ana Ferreyra',
  email: 'ana.ferreyra@example.org',
  scope: 'slots:read',
  exp: inSeconds(60),
};

/** What the caller sees, and the line of the log. */
async function ask(authorization?: string) {
  const before = gateway.lines.length;
  const response = await fetch(`${gateway.url}/patients/ana`, { headers: authorization ? { authorization } : {} });
  const { detail, code } = (await response.json()) as { detail: string; code: string };
  while (gateway.lines.length === before) await new Promise(setImmediate);
  const { cause, client } = JSON.parse(gateway.lines.at(-1) ?? '') as Record<string, unknown>;
  const seen = { status: response.status, code, detail, challenge: response.headers.get('www-authenticate') };
  return { seen, cause, client };
}

describe('a refused request', () => {
  test('has its reason in the log, and never in the answer', async () => {
    const token = (change: object, by = sign) => by({ typ: 'JWT' }, { ...claims, ...change });
    const given: [string, string][] = [
      ['expired', await token({ exp: inSeconds(-60) })],
      ['wrong_issuer', await token({ iss: 'https://other.invalid' })],
      ['wrong_audience', await token({ aud: 'other' })],
      ['wrong_type', await sign({ typ: 'dpop+jwt' }, claims)],
      ['unknown_key', await sign({ typ: 'JWT', kid: 'other' }, claims)],
      ['bad_signature', await token({}, another.sign)],
      ['unknown_token', 'an-opaque-token'],
    ];
    const answers = [];
    for (const [reason, text] of given) {
      const { seen, cause } = await ask(`Bearer ${text}`);
      expect(cause).toBe(reason);
      answers.push(seen);
    }
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(await ask()).toMatchObject({ seen: { status: 401 }, cause: 'no_token' });
    expect(await ask('Basic YTpi')).toMatchObject({ seen: { status: 401 }, cause: 'not_bearer' });
    expect(await ask(`Bearer ${given[0]?.[1]}`)).toMatchObject({ seen: { status: 429 }, cause: 'expired' });
  });

  test('for a scope names the application, and no person', async () => {
    const { seen, cause, client } = await ask(`Bearer ${await sign({ typ: 'JWT' }, claims)}`);
    expect([seen.status, cause, client]).toEqual([403, 'scope_missing', 'platform']);
  });

  test.each([
    { azp: undefined },
    { azp: 'ana.ferreyra' },
    { azp: 'ana.ferreyra@example.org' },
    { azp: undefined, client_id: 'Ana Ferreyra' },
  ])('names no person in the log, whatever the shape of its token: %j', async (change) => {
    const { client } = await ask(`Bearer ${await sign({ typ: 'JWT' }, { ...claims, ...change })}`);
    expect(client).toBe('unnamed');
    expect(gateway.lines.join('\n')).not.toMatch(/ferreyra|example\.org/i);
  });

  test('names in WWW-Authenticate what is missing: a token, a valid one, or a scope', async () => {
    const read = async (authorization?: string) => (await ask(authorization)).seen;
    const fresh = await startGateway();
    const readFresh = async (headers = {}) => {
      const response = await fetch(`${fresh.url}/patients/ana`, { headers });
      return { status: response.status, challenge: response.headers.get('www-authenticate') };
    };
    const invalid = { status: 401, challenge: 'Bearer realm="puente", error="invalid_token"' };
    expect(await readFresh()).toEqual({ status: 401, challenge: 'Bearer realm="puente"' });
    expect(await readFresh({ authorization: 'Bearer x' })).toEqual(invalid);
    await fresh.stop();
    expect(await read(`Bearer ${await sign({ typ: 'JWT' }, claims)}`)).toMatchObject({
      status: 403,
      challenge: 'Bearer realm="puente", error="insufficient_scope", scope="patients:read"',
    });
  });
});

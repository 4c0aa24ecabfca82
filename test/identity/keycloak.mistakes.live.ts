import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, jest, test } from '@jest/globals';
import { adapters } from '../../adapters/index.ts';
import { inspectToken } from '../../src/auth/examine.ts';
import { readConfig } from '../../src/config/read.ts';
import { openIssuers } from '../../src/runtime/issuers.ts';
import { ConfigFolder } from '../support/config-file.ts';
import { startGateway } from '../support/gateway.ts';
import { createProvider } from '../support/provider.ts';
import { ask, Realm, readKeycloak, say } from './keycloak.ts';

jest.setTimeout(120_000);
const { base, admin } = readKeycloak();
const [realm, other] = await Promise.all([1, 2].map(() => Realm.create(base, admin)));
if (!realm || !other) throw new Error('no realm');
await realm.addClient('platform', ['patients:read'], 'puente', { secret: 's' });
await realm.addClient('gateway', [], 'nobody', { secret: 's' });
await other.addClient('gateway', [], 'nobody', { secret: 's' });
await realm.addUser('ana', 'ana');
const folder = new ConfigFolder();
afterAll(async () => {
  await Promise.all([realm.remove(), other.remove()]);
  folder.remove();
});

const token = await realm.getToken('platform', 's');
const ofPerson = (await realm.logIn('platform', 's', 'ana')).token;
const { kid } = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as { kid: string };
const foreign = (await createProvider()).keys.keys.map((key) => ({ ...key, kid }));
const keysOf = ({ issuer }: Realm) => `${issuer}/protocol/openid-connect/certs`;
const secret = `file:${folder.write('secret', 's')}`;

/** What an operator did wrong, and its cause in the log, by which `puente token inspect` names the check that fails. */
const mistakes: readonly [string, object, string, string?][] = [
  ['a slash behind the issuer', { issuer: `${realm.issuer}/`, jwksUri: keysOf(realm) }, 'wrong_issuer'],
  ['the issuer of another realm', { issuer: other.issuer }, 'wrong_issuer'],
  ['another audience', { audience: 'api' }, 'wrong_audience'],
  ['no preset', { preset: undefined }, 'wrong_type'],
  ['the preset of another provider', { preset: 'okta' }, 'scope_missing'],
  ['an algorithm that the realm does not use', { algorithms: ['ES256'] }, 'wrong_algorithm'],
  ['the keys of another realm', { jwksUri: keysOf(other) }, 'unknown_key'],
  [
    'a file with old keys of the same name',
    { jwksFile: folder.write('keys.json', JSON.stringify({ keys: foreign })) },
    'bad_signature',
  ],
  ['a claim that has no scopes', { scopeClaim: 'permissions' }, 'scope_missing'],
  ['a claim of another provider', { requiredClaims: { token_use: 'access' } }, 'wrong_claim'],
  ['too short an age', { maxTokenAge: 1, clockTolerance: 0 }, 'too_old'],
  ['too short a token', { maxTokenLength: 256 }, 'too_long'],
  ['other clients', { clients: ['another'] }, 'client_not_listed'],
  ['no persons, with a token of one', { applicationsOnly: true }, 'user_token', ofPerson],
  [
    'the introspection of another realm',
    { introspection: { endpoint: `${other.issuer}/protocol/openid-connect/token/introspect`, clientId: 'gateway' } },
    'inactive',
  ],
  ['a client that may not ask', { introspection: { clientId: 'nobody' } }, 'HTTP_401'],
  ['keys where nothing is', { jwksUri: `${realm.issuer}/keys` }, 'HTTP_404'],
];

let files = 0;

describe('a wrong configuration for Keycloak', () => {
  test.each(mistakes)(
    '%s has the same cause in the log and in the inspection',
    async (_, change, cause, given = token) => {
      const right = { preset: 'keycloak', issuer: realm.issuer, audience: 'puente' };
      const { maxTokenLength, introspection, ...jwt }: Record<string, unknown> = { ...right, ...change };
      const asking = introspection ? { introspection: { ...introspection, clientSecret: secret } } : {};
      const auth = { jwt: { ...jwt, ...asking }, ...(maxTokenLength !== undefined && { maxTokenLength }) };
      const file = folder.write(`puente-${++files}.yaml`, JSON.stringify({ auth }));
      if (cause === 'too_old') await sleep(2_100);
      const gateway = await startGateway({ file });
      const answer = await ask(gateway, given);
      expect(answer).toMatchObject({ cause });
      const loaded = readConfig({ file, environment: {}, adapters });
      const issuers = await openIssuers(loaded);
      const { tokens, maxTokenLength: length } = loaded.config.auth;
      const inspection = await inspectToken(given, { tokens, issuers, maxTokenLength: length, now: Date.now() });
      const failed = inspection.checks.filter(({ passes }) => !passes);
      expect(failed.map((check) => check.cause ?? check.reason)).toContain(cause);
      expect(JSON.stringify(inspection)).not.toMatch(/ferreyra|example\.org|\bana\b/i);
      await gateway.stop();
      say(`${answer.status} ${failed.map(({ reason }) => reason).join(', ')}`);
    },
  );

  test('is none of the above with the right one', async () => {
    const jwt = { preset: 'keycloak', issuer: realm.issuer, audience: 'puente' };
    const gateway = await startGateway({ file: folder.write('right.yaml', JSON.stringify({ auth: { jwt } })) });
    expect(await ask(gateway, await realm.getToken('platform', 's'))).toMatchObject({ status: 200 });
    await gateway.stop();
  });
});

describe('the log', () => {
  test('names no person, whatever the shape of a token', async () => {
    const jwt = { preset: 'keycloak', issuer: realm.issuer, audience: 'puente' };
    const gateway = await startGateway({
      file: folder.write('shapes.yaml', JSON.stringify({ auth: { jwt } })),
      environment: { PUENTE_LIMITS_FAILED_TOKENS_REQUESTS: '1000' },
    });
    const attributes = ['username', 'email', 'firstName', 'lastName'];
    const claims = ['client_id', 'appid', 'cid', 'sub', 'azp'];
    const seen: string[] = [];
    const shapes = attributes.flatMap((attribute) => claims.map((claim) => [attribute, claim] as const));
    for (const [attribute, claim] of shapes) {
      // With the other claims of the person, and without any; then a login in the only claim for an application passes for one.
      for (const profile of claim === 'azp' ? [true] : [true, false]) {
        const mapper = {
          name: 'odd',
          protocol: 'openid-connect',
          protocolMapper: 'oidc-usermodel-attribute-mapper',
          config: {
            'user.attribute': attribute,
            'claim.name': claim,
            'jsonType.label': 'String',
            'access.token.claim': 'true',
          },
        };
        const client = `odd-${attribute}-${claim}-${profile}`;
        const more = profile ? {} : { defaultClientScopes: ['basic'] };
        await realm.addClient(client, ['patients:read'], 'puente', { secret: 's', ...more }, [mapper]);
        const { token: odd } = await realm.logIn(client, 's', 'ana', profile ? 'openid profile email' : 'openid');
        const forged = `${odd.slice(0, -8)}AAAAAAAA`;
        const answers = [await ask(gateway, odd), await ask(gateway, odd, '/ticket_types'), await ask(gateway, forged)];
        seen.push(...answers.map(({ status, client: name }) => `${status} ${name === client ? 'its client' : name}`));
      }
    }
    expect(gateway.lines.join('\n')).not.toMatch(/ferreyra|example\.org|\bana\b/i);
    say(`36 shapes of tokens of a person, ${seen.length} requests: ${[...new Set(seen)].toSorted().join(', ')}`);
    await gateway.stop();
  });
});

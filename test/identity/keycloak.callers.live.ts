import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, jest, test } from '@jest/globals';
import { ConfigFolder } from '../support/config-file.ts';
import { startGateway } from '../support/gateway.ts';
import { runPuente } from '../support/process.ts';
import { ask, Realm, readKeycloak, say } from './keycloak.ts';

jest.setTimeout(120_000);
const { base, admin } = readKeycloak();
const [realm, other] = await Promise.all([1, 2].map(() => Realm.create(base, admin)));
if (!realm || !other) throw new Error('no realm');
const folder = new ConfigFolder();
afterAll(async () => {
  jest.restoreAllMocks();
  await Promise.all([realm.remove(), other.remove()]);
  folder.remove();
});

const scopes = ['patients:read'];
const withPages = { secret: 's', standardFlowEnabled: true, redirectUris: ['http://127.0.0.1/'] };
const addClient = (id: string, more: object) => realm.addClient(id, scopes, 'puente', { secret: 's', ...more });
await addClient('Platform-1', { attributes: { 'standard.token.exchange.enabled': 'true' } });
await addClient('bare', { defaultClientScopes: ['basic'] });
await addClient('refreshing', { attributes: { 'client_credentials.use_refresh_token': 'true' } });
// People log in by these, which have no service account whose name would be taken.
await addClient('web', { ...withPages, serviceAccountsEnabled: false });
await addClient('portal', { ...withPages, serviceAccountsEnabled: false });
await realm.allowRegistration();

let files = 0;
const write = (more: object) => {
  const jwt = { preset: 'keycloak', issuer: realm.issuer, audience: 'puente', ...more };
  return folder.write(`puente-${++files}.yaml`, JSON.stringify({ auth: { jwt } }));
};

describe('applicationsOnly', () => {
  test('lets in whom a client logs in for itself, and nobody who registered, under whatever name', async () => {
    const gateway = await startGateway({ file: write({ applicationsOnly: true }) });
    const mallory = await realm.register('web', 's', 'service-account-mallory');
    const web = await realm.register('web', 's', 'service-account-web');
    const portal = await realm.register('portal', 's', 'Service-Account-Portal');
    const tokens: Readonly<Record<string, string>> = {
      'a client': await realm.getToken('Platform-1', 's'),
      'a client without the scopes profile and email': await realm.getToken('bare', 's'),
      mallory,
      web,
      portal,
      'mallory by password': (await realm.logIn('web', 's', 'service-account-mallory')).token,
      'web by password': (await realm.logIn('web', 's', 'service-account-web')).token,
      'mallory at a client with a service account': await realm
        .logIn('Platform-1', 's', 'service-account-mallory')
        .then(({ token }) => realm.exchange(token, 'Platform-1', 's')),
      // What shows no application is of none.
      'a client with refresh tokens': await realm.getToken('refreshing', 's'),
    };
    const answers: Record<string, string> = {};
    for (const [name, token] of Object.entries(tokens)) {
      const { status, cause = '' } = await ask(gateway, token);
      answers[name] = `${status} ${cause}`.trim();
    }
    const { 'a client': one, 'a client without the scopes profile and email': bare, ...rest } = answers;
    expect([one, bare]).toEqual(['200', '200']);
    expect(new Set(Object.values(rest))).toEqual(new Set(['401 user_token']));
    expect(gateway.lines.join('\n')).not.toMatch(/ferreyra|mallory|example\.org/i);
    await gateway.stop();
    say(
      Object.entries(answers)
        .map((each) => each.join(': '))
        .join('\n'),
    );
  });

  test('rests on the name of a service account, which nobody else can take', async () => {
    await expect(realm.register('web', 's', 'service-account-platform-1')).rejects.toThrow('no code');
  });
});

describe('puente token inspect', () => {
  test('says that the issuer does not publish the key, and exits with 1', async () => {
    const token = await realm.getToken('Platform-1', 's');
    const file = write({ jwksUri: `${other.issuer}/protocol/openid-connect/certs` });
    const args = ['token', 'inspect', '--config', file];
    const { code, stdout } = await runPuente(args, {}, { input: token, compares: false });
    expect(stdout.match(/^wrong .*$/gm)).toEqual(['wrong unknown_key']);
    expect(code).toBe(1);
  });
});

describe('a gateway whose clock is five minutes behind', () => {
  test('takes no token, also none that has expired, and says why', async () => {
    const token = await realm.getToken('Platform-1', 's');
    const { now } = Date;
    jest.spyOn(Date, 'now').mockImplementation(() => now() - 300_000);
    const gateway = await startGateway({ file: write({}), lookEvery: 100 });
    expect(await ask(gateway, token)).toMatchObject({ status: 401, cause: 'issued_ahead' });
    expect(gateway.impairments()).toMatchObject([
      { code: 'issuer_clock', detail: expect.stringMatching(/^the clock of the issuer is 5 minutes ahead/) },
    ]);
    // A token of Keycloak lives for 60 seconds here.
    await sleep(61_000);
    expect((await ask(gateway, token)).status).toBe(401);
    jest.restoreAllMocks();
    expect(await (await fetch(`${gateway.url}/readyz`)).json()).toEqual({ status: 'ok' });
    await gateway.stop();
  });
});

import { randomUUID } from 'node:crypto';
import type { JWK } from 'jose';
import type { RunningGateway } from '../support/gateway.ts';

/** The administrator of the Keycloak, who may make and remove realms. */
export interface Administrator {
  readonly name: string;
  readonly password: string;
}

/** The Keycloak that `npm run test:live:identity` is given. */
export function readKeycloak(): { readonly base: string; readonly admin: Administrator } {
  const { KEYCLOAK_URL: base, KEYCLOAK_ADMIN: name = 'admin', KEYCLOAK_PASSWORD: password = 'admin' } = process.env;
  if (!base) throw new Error('Name the Keycloak: KEYCLOAK_URL=http://127.0.0.1:8180 npm run test:live:identity');
  return { base, admin: { name, password } };
}

/** Figures for whoever runs the tests. */
export const say = (figures: string): void => void process.stdout.write(`${figures}\n`);

/** What a caller sees of a gateway, and why, by the line of its log. */
export async function ask({ url, lines }: RunningGateway, token: string, path = '/patients/ana') {
  const before = lines.length;
  const response = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
  await response.arrayBuffer();
  while (!lines.slice(before).some((line) => line.includes('"request"'))) await new Promise(setImmediate);
  const line = lines.findLast((each) => each.includes('"request"')) ?? '{}';
  const { cause, client } = JSON.parse(line) as { cause?: string; client?: string };
  return { status: response.status, cause, client };
}

/** A realm of its own in somebody's Keycloak, and what the tests need of its administration. */
export class Realm {
  readonly #admin: string;
  readonly #login: () => Promise<string>;
  readonly name: string;
  readonly issuer: string;
  readonly tokenUrl: string;

  private constructor(base: string, name: string, login: () => Promise<string>) {
    this.#admin = `${base}/admin/realms`;
    this.#login = login;
    this.name = name;
    this.issuer = `${base}/realms/${name}`;
    this.tokenUrl = `${this.issuer}/protocol/openid-connect/token`;
  }

  static async create(base: string, { name: username, password }: Administrator): Promise<Realm> {
    const login = () =>
      requestToken(`${base}/realms/master/protocol/openid-connect/token`, {
        grant_type: 'password',
        client_id: 'admin-cli',
        username,
        password,
      });
    const realm = new Realm(base, `puente-${randomUUID()}`, login);
    await realm.#call('POST', '', { realm: realm.name, enabled: true, sslRequired: 'none', accessTokenLifespan: 60 });
    return realm;
  }

  /** A client with these scopes by default, whose tokens are for this audience; `more` are fields of its representation. */
  async addClient(
    clientId: string,
    scopes: readonly string[],
    audience: string,
    more: object = {},
    mappers: readonly object[] = [],
  ) {
    const config = { 'included.custom.audience': audience, 'access.token.claim': 'true' };
    const audienceMapper = {
      name: 'audience',
      protocol: 'openid-connect',
      protocolMapper: 'oidc-audience-mapper',
      config,
    };
    const client = { clientId, publicClient: false, serviceAccountsEnabled: true, standardFlowEnabled: false };
    const id = await this.#call('POST', `/${this.name}/clients`, {
      ...client,
      directAccessGrantsEnabled: true,
      ...more,
      protocolMappers: [audienceMapper, ...mappers],
    });
    for (const name of scopes) {
      const scope = await this.#call('POST', `/${this.name}/client-scopes`, {
        name: `${name}`,
        protocol: 'openid-connect',
        attributes: { 'include.in.token.scope': 'true' },
      }).catch(() => this.#findScope(name));
      await this.#call('PUT', `/${this.name}/clients/${id}/default-client-scopes/${scope}`);
    }
  }

  addKeyClient(clientId: string, keys: readonly JWK[], more: Readonly<Record<string, string>> = {}): Promise<void> {
    const attributes = { 'use.jwks.string': 'true', 'jwks.string': JSON.stringify({ keys }), ...more };
    return this.addClient(clientId, [], 'fhir', { clientAuthenticatorType: 'client-jwt', attributes });
  }

  async addUser(username: string, password: string): Promise<void> {
    const credentials = [{ type: 'password', value: password, temporary: false }];
    const person = { firstName: 'Ana', lastName: 'Ferreyra', email: `${username}@example.org`, emailVerified: true };
    await this.#call('POST', `/${this.name}/users`, { username, ...person, enabled: true, credentials });
  }

  /** From now on tokens are signed by a key that nobody has seen. */
  async rotateKeys(): Promise<void> {
    const { id } = await this.#read<{ id: string }>(`/${this.name}`);
    const config = { priority: [String(Date.now())], keySize: ['2048'] };
    const provider = { providerId: 'rsa-generated', providerType: 'org.keycloak.keys.KeyProvider', parentId: id };
    await this.#call('POST', `/${this.name}/components`, { name: randomUUID(), ...provider, config });
  }

  /** An access token of a client with a secret. */
  getToken(client: string, secret: string, more: Record<string, string> = {}): Promise<string> {
    const form = { grant_type: 'client_credentials', client_id: client, client_secret: secret, ...more };
    return requestToken(this.tokenUrl, form);
  }

  /** A token of a person, and what ends the session that it belongs to. */
  async logIn(client: string, secret: string, username: string, scope = 'openid profile email') {
    const form = { client_id: client, client_secret: secret };
    const password = { grant_type: 'password', username, password: username, scope };
    const tokens = await requestTokens(this.tokenUrl, { ...form, ...password });
    const logOut = () => this.#post('logout', { ...form, refresh_token: tokens.refresh_token ?? '' });
    return { token: tokens.access_token ?? '', logOut };
  }

  /** Lets people make accounts of their own. */
  allowRegistration(): Promise<string> {
    return this.#call('PUT', `/${this.name}`, { registrationAllowed: true });
  }

  /** A token of a person who registers under this name on the page that Keycloak shows, by the code flow. */
  async register(client: string, secret: string, username: string): Promise<string> {
    const redirect = { client_id: client, redirect_uri: 'http://127.0.0.1/' };
    const query = new URLSearchParams({ ...redirect, response_type: 'code', scope: 'openid', prompt: 'create' });
    const page = await fetch(`${this.issuer}/protocol/openid-connect/auth?${query}`);
    const action = /<form[^>]* action="([^"]+)"/.exec(await page.text())?.[1]?.replaceAll('&amp;', '&') ?? '';
    const cookie = page.headers.getSetCookie().map((each) => each.split(';')[0]);
    const person = { username, email: `${username}@example.org`, firstName: 'Ana', lastName: 'Ferreyra' };
    const registered = await fetch(action, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: cookie.join('; ') },
      body: new URLSearchParams({ ...person, password: username, 'password-confirm': username }),
    });
    const code = URL.parse(registered.headers.get('location') ?? '')?.searchParams.get('code');
    if (!code) throw new Error(`no code: ${registered.status}`);
    return requestToken(this.tokenUrl, { ...redirect, grant_type: 'authorization_code', client_secret: secret, code });
  }

  /** A token of this person for another client (RFC 8693). */
  exchange(token: string, client: string, secret: string): Promise<string> {
    return requestToken(this.tokenUrl, {
      ...{ client_id: client, client_secret: secret, subject_token: token },
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    });
  }

  /** RFC 7009. */
  revoke(token: string, client: string, secret: string): Promise<void> {
    return this.#post('revoke', { token, client_id: client, client_secret: secret });
  }

  async #post(endpoint: string, form: Record<string, string>): Promise<void> {
    const url = `${this.issuer}/protocol/openid-connect/${endpoint}`;
    const { status } = await fetch(url, { method: 'POST', body: new URLSearchParams(form) });
    if (status >= 300) throw new Error(`${endpoint}: ${status}`);
  }

  async remove(): Promise<void> {
    await this.#call('DELETE', `/${this.name}`);
  }

  async #findScope(name: string): Promise<string> {
    const all = await this.#read<{ id: string; name: string }[]>(`/${this.name}/client-scopes`);
    return all.find((each) => each.name === name)?.id ?? '';
  }

  async #read<T>(path: string): Promise<T> {
    const response = await fetch(this.#admin + path, { headers: { authorization: `Bearer ${await this.#login()}` } });
    return (await response.json()) as T;
  }

  /** The id of what was made, if anything was. */
  async #call(method: string, path: string, body?: object): Promise<string> {
    const headers = { authorization: `Bearer ${await this.#login()}`, 'content-type': 'application/json' };
    const response = await fetch(this.#admin + path, { method, headers, body: body ? JSON.stringify(body) : null });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
    return response.headers.get('location')?.split('/').at(-1) ?? '';
  }
}

async function requestToken(url: string, form: Record<string, string>): Promise<string> {
  const { access_token: token = '' } = await requestTokens(url, form);
  return token;
}

async function requestTokens(url: string, form: Record<string, string>) {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(form) });
  const tokens = (await response.json()) as { access_token?: string; refresh_token?: string };
  if (!tokens.access_token) throw new Error(`no token: ${response.status}`);
  return tokens;
}

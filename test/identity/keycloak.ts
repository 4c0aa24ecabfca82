import { randomUUID } from 'node:crypto';
import type { JWK } from 'jose';

/** The administrator of the Keycloak, who may make and remove realms. */
export interface Administrator {
  readonly name: string;
  readonly password: string;
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
  async addClient(clientId: string, scopes: readonly string[], audience: string, more: object = {}): Promise<void> {
    const config = { 'included.custom.audience': audience, 'access.token.claim': 'true' };
    const mapper = { name: 'audience', protocol: 'openid-connect', protocolMapper: 'oidc-audience-mapper', config };
    const client = { clientId, publicClient: false, serviceAccountsEnabled: true, standardFlowEnabled: false };
    const id = await this.#call('POST', `/${this.name}/clients`, {
      ...client,
      directAccessGrantsEnabled: true,
      protocolMappers: [mapper],
      ...more,
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

  addKeyClient(clientId: string, keys: readonly JWK[]): Promise<void> {
    const attributes = { 'use.jwks.string': 'true', 'jwks.string': JSON.stringify({ keys }) };
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
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(form) });
  const { access_token: token } = (await response.json()) as { access_token?: string };
  if (!token) throw new Error(`no token: ${response.status}`);
  return token;
}

import type { Axios } from 'axios';
import { anyAnswer, createHttpClient } from '../../../src/toolkit/http-client/axios.ts';
import type { HttpOptions } from '../../../src/toolkit/http-client/http-options.ts';
import {
  ClientCredentials,
  type Credentials,
  createBasicCredentials,
  createBearerCredentials,
  createFixedCredentials,
  createKeyProof,
  createSecretProof,
} from '../../../src/toolkit/http-client/oauth.ts';
import { readContent, readProxy, readSecret } from '../../../src/toolkit/secret.ts';
import { SettingsProblem } from '../../../src/toolkit/settings-problem.ts';
import type { Settings } from '../settings.ts';
import { Client } from './client.ts';
import type { Surprises } from './surprises.ts';
import { Transport } from './transport.ts';

/** What of the settings says how to reach a server. */
export type Access = Pick<Settings, 'baseUrl' | 'auth' | 'timeout' | 'retries' | 'retryBudget' | 'limits' | 'tls'>;

/** A server, and how it is reached. */
export interface Connection {
  readonly client: Client;
  /** For other hosts: it sends neither the credentials nor the client certificate. */
  readonly elsewhere: Axios;
  readonly transport: Transport;
  readonly credentials: Credentials;
  readonly tls: HttpOptions['tls'];
}

/**
 * The client of the server; nothing is sent yet.
 * @param surprises learns when the server cannot be reached.
 * @throws SettingsProblem when a secret or a file is missing, or a key cannot be used.
 */
export async function connect(access: Access, surprises?: Surprises): Promise<Connection> {
  const { timeout, retries, retryBudget, limits } = access;
  const tls = readTls(access);
  const options = { timeout, retries, retryBudget, maxBytes: limits.bytes, tls };
  const toOthers = { ...options, tls: tls.ca === undefined ? {} : { ca: tls.ca } };
  const isOwnHost =
    'tokenUrl' in access.auth && new URL(access.auth.tokenUrl).origin === new URL(access.baseUrl).origin;
  const credentials = await createCredentials(access, isOwnHost ? options : toOthers);
  const transport = new Transport(credentials, { ...options, base: access.baseUrl }, surprises);
  const client = new Client(transport, limits);
  return { client, elsewhere: createHttpClient(toOthers, anyAnswer), transport, credentials, tls };
}

function readTls({ tls }: Access) {
  return {
    ...(tls.ca !== undefined && { ca: readContent(tls.ca, 'tls.ca') }),
    ...(tls.cert !== undefined && { cert: readContent(tls.cert, 'tls.cert') }),
    ...(tls.key !== undefined && { key: readSecret(tls.key, 'tls.key') }),
  };
}

async function createCredentials({ auth }: Access, options: HttpOptions): Promise<Credentials> {
  if (auth.kind === 'none') return createFixedCredentials();
  if (auth.kind === 'basic') return createBasicCredentials(auth.user, readSecret(auth.password, 'auth.password'));
  if (auth.kind === 'bearer') return createBearerCredentials(readSecret(auth.token, 'auth.token'));
  const { tokenUrl, scope, clientId, parameters, proxy } = auth;
  const way = proxy === undefined ? options : { ...options, proxy: readProxy(proxy, 'auth.proxy') };
  const prove =
    auth.kind === 'oauth2-secret'
      ? createSecretProof(clientId, readSecret(auth.clientSecret, 'auth.clientSecret'), auth.style)
      : await createKeyProof({ ...auth, key: readSecret(auth.privateKey, 'auth.privateKey') }).catch(() => {
          const problem = `the key is no private key for ${auth.algorithm} in PKCS#8 PEM or JWK`;
          throw new SettingsProblem('auth.privateKey', [problem]);
        });
  const source = { http: createHttpClient(way, anyAnswer), tokenUrl, parameters, timeout: options.timeout, prove };
  return new ClientCredentials(scope === undefined ? source : { ...source, scope });
}

import type { AxiosInstance } from 'axios';
import { SettingsProblem } from '../adapter.ts';
import { basic, bearer, ClientCredentials, type Credentials, fixed, keyProof, secretProof } from './auth.ts';
import { Client } from './client.ts';
import { plainHttp } from './http.ts';
import { contentOf, secretAt } from './secret.ts';
import type { Settings } from './settings.ts';
import { Transport } from './transport.ts';
import { Paths } from './url.ts';

/** What of the settings says how to reach a server. */
export type Access = Pick<Settings, 'baseUrl' | 'auth' | 'timeout' | 'retries' | 'limits' | 'tls'>;

/**
 * Gets ready to speak with the server; nothing is sent yet.
 * @returns `elsewhere` is for other hosts: it never carries our credentials.
 * @throws SettingsProblem when a secret or a file is missing, or a key cannot be used.
 */
export async function connect(access: Access): Promise<{ readonly client: Client; readonly elsewhere: AxiosInstance }> {
  const { timeout, retries, limits } = access;
  const options = { timeout, retries, maxBytes: limits.bytes, tls: tlsOf(access) };
  const paths = new Paths(access.baseUrl);
  const transport = new Transport(await credentialsOf(access, options), { ...options, base: paths.base });
  return { client: new Client(transport, paths, limits), elsewhere: plainHttp(options) };
}

function tlsOf({ tls }: Access) {
  return {
    ...(tls.ca !== undefined && { ca: contentOf(tls.ca, 'tls.ca') }),
    ...(tls.cert !== undefined && { cert: contentOf(tls.cert, 'tls.cert') }),
    ...(tls.key !== undefined && { key: secretAt(tls.key, 'tls.key') }),
  };
}

async function credentialsOf({ auth }: Access, options: Parameters<typeof plainHttp>[0]): Promise<Credentials> {
  if (auth.kind === 'none') return fixed();
  if (auth.kind === 'basic') return basic(auth.user, secretAt(auth.password, 'auth.password'));
  if (auth.kind === 'bearer') return bearer(secretAt(auth.token, 'auth.token'));
  const { tokenUrl, scope, clientId } = auth;
  const source = {
    http: plainHttp(options),
    tokenUrl,
    timeout: options.timeout,
    ...(scope !== undefined && { scope }),
  };
  if (auth.kind === 'oauth2-secret') {
    const secret = secretAt(auth.clientSecret, 'auth.clientSecret');
    return new ClientCredentials({ ...source, prove: secretProof(clientId, secret, auth.style) });
  }
  const key = secretAt(auth.privateKey, 'auth.privateKey');
  const { keyId, algorithm } = auth;
  try {
    return new ClientCredentials({ ...source, prove: await keyProof({ clientId, tokenUrl, key, keyId, algorithm }) });
  } catch {
    throw new SettingsProblem('auth.privateKey', [`the key is no private key for ${algorithm} in PKCS#8 PEM or JWK`]);
  }
}

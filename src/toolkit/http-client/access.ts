import type { z } from 'zod';
import type { auth, tls } from '../access-settings.ts';
import { readContent, readProxy, readSecret } from '../secret.ts';
import { SettingsProblem } from '../settings-problem.ts';
import { anyAnswer, createHttpClient } from './axios.ts';
import type { HttpOptions } from './http-options.ts';
import {
  ClientCredentials,
  type Credentials,
  createBasicCredentials,
  createBearerCredentials,
  createFixedCredentials,
  createKeyProof,
  createSecretProof,
} from './oauth.ts';

export interface Access {
  readonly auth: z.output<typeof auth>;
  readonly tls: z.output<typeof tls>;
}

/**
 * What the settings name, in PEM.
 * @param section where they stand, for the problems.
 * @throws SettingsProblem when a file or the key is missing.
 */
export const readTls = (
  { tls: { ca, cert, key } }: Pick<Access, 'tls'>,
  section: string = 'tls',
): HttpOptions['tls'] => ({
  ca: ca && readContent(ca, `${section}.ca`),
  cert: cert && readContent(cert, `${section}.cert`),
  key: key && readSecret(key, `${section}.key`),
});

/**
 * What requests to a system authenticate with; the client certificate is shown to its own origin alone.
 * @param options of the requests to the system.
 * @param section where the settings stand, for the problems.
 * @throws SettingsProblem when a secret is missing, or a key cannot be used.
 */
export async function createCredentials(
  { auth }: Pick<Access, 'auth'>,
  base: string,
  options: HttpOptions,
  section: string = 'auth',
): Promise<Credentials> {
  if (auth.kind === 'none') return createFixedCredentials();
  if (auth.kind === 'basic') return createBasicCredentials(auth.user, readSecret(auth.password, `${section}.password`));
  if (auth.kind === 'bearer') return createBearerCredentials(readSecret(auth.token, `${section}.token`));
  const { tokenUrl, scope, clientId, parameters, proxy } = auth;
  const toLogin = new URL(tokenUrl).origin === new URL(base).origin ? options : forOthers(options);
  const way = { ...toLogin, proxy: proxy && readProxy(proxy, `${section}.proxy`) };
  const prove =
    auth.kind === 'oauth2-secret'
      ? createSecretProof(clientId, readSecret(auth.clientSecret, `${section}.clientSecret`), auth.style)
      : await createKeyProof({ ...auth, key: readSecret(auth.privateKey, `${section}.privateKey`) }).catch(() => {
          const problem = `the key is no private key for ${auth.algorithm} in PKCS#8 PEM or JWK`;
          throw new SettingsProblem(`${section}.privateKey`, [problem]);
        });
  const http = createHttpClient(way, anyAnswer);
  return new ClientCredentials({ http, tokenUrl, scope, parameters, timeout: options.timeout, prove });
}

/** The options without the client certificate, for hosts that must not see it. */
export const forOthers = (options: HttpOptions): HttpOptions => ({ ...options, tls: { ca: options.tls.ca } });

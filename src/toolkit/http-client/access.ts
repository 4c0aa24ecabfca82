import { z } from 'zod';
import { proxyAddress, readContent, readProxy, readSecret, secretReference } from '../secret.ts';
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

const url = z.url({ protocol: /^https?$/, error: 'must be an http or https URL', abort: true });

/** The address of a system, to which paths are added. */
export const baseUrl = url.refine((text) => {
  const { username, password, search, hash } = new URL(text);
  return !(username || password || search || hash);
}, 'must be a URL without credentials, query or fragment');

const ownParameters = /^(grant_type|scope|client_id|client_secret|client_assertion|client_assertion_type)$/;

/** Fields that some authorization servers want besides those of RFC 6749. */
const parameters = z
  .record(
    z.string().refine((name) => !ownParameters.test(name), 'is a field that the gateway fills in itself'),
    z.string(),
  )
  .default({});

/** Each way in which the gateway logs in at a system. */
export const logins = [
  z.strictObject({ kind: z.literal('none') }),
  z.strictObject({ kind: z.literal('basic'), user: z.string().min(1), password: secretReference }),
  z.strictObject({ kind: z.literal('bearer'), token: secretReference }),
  z.strictObject({
    kind: z.literal('oauth2-secret'),
    tokenUrl: url,
    clientId: z.string().min(1),
    clientSecret: secretReference,
    style: z.enum(['basic', 'post']).default('basic'),
    scope: z.string().optional(),
    parameters,
    proxy: proxyAddress.optional(),
  }),
  z.strictObject({
    kind: z.literal('oauth2-key'),
    tokenUrl: url,
    clientId: z.string().min(1),
    privateKey: secretReference,
    keyId: z.string().min(1),
    algorithm: z.enum(['RS384', 'ES384']).default('ES384'),
    scope: z.string().optional(),
    assertionAudience: z.string().min(1).optional(),
    parameters,
    proxy: proxyAddress.optional(),
  }),
] as const;

export const auth = z.discriminatedUnion('kind', logins).default({ kind: 'none' }).meta({
  description:
    'How the gateway authenticates: `none`; `basic` (user, password); `bearer` (token); `oauth2-secret` (tokenUrl, clientId, clientSecret, style, scope, parameters, proxy); `oauth2-key` (tokenUrl, clientId, privateKey in PKCS#8 PEM or JWK, keyId, algorithm, scope, assertionAudience if it is not tokenUrl, parameters, proxy), which is SMART Backend Services. `parameters` are further fields of the login, e.g. {audience: https://api.example.org} or {resource: ...}; `proxy` is an HTTP proxy on the way to tokenUrl alone. Secrets are references: env:NAME or file:/path.',
});

export const tls = z
  .strictObject({
    ca: z.string().optional().meta({
      file: true,
      certificates: true,
      description: 'File with the certificate authorities to trust, in PEM.',
    }),
    cert: z.string().optional().meta({
      file: true,
      certificates: true,
      description: 'File with our client certificate, in PEM; shown to the origin of the system alone.',
    }),
    key: secretReference.optional().meta({ description: 'Reference to the private key of our client certificate.' }),
  })
  .prefault({});

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

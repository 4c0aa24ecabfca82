import { z } from 'zod';
import { proxyAddress, secretReference } from './secret.ts';

const url = z.url({ protocol: /^https?$/, error: 'must be an http or https URL', abort: true });

/** Whoever uses another one than https for another host is warned. */
const address = url.meta({ address: true });

/** The address of a system, to which paths are added. */
export const baseUrl = address.refine((text) => {
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
  address: true,
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

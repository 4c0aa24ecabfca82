import type { LoadedConfig } from '../config/read.ts';
import { listImpairments, lookAtIssuer } from '../http/auth/examine-issuer.ts';
import { Introspection } from '../http/auth/introspection.ts';
import { IssuerClock } from '../http/auth/issuer-clock.ts';
import type { JwtSettings } from '../http/auth/jwt.ts';
import { createProviderClient } from '../http/auth/provider-client.ts';
import { RemoteKeys } from '../http/auth/remote-keys.ts';
import { createKeyProof, createSecretProof } from '../toolkit/http-client/oauth.ts';
import type { ClientProof } from '../toolkit/http-client/token-endpoint.ts';
import { ConfigProblems } from '../toolkit/problems.ts';
import { readProxy, readSecret } from '../toolkit/secret.ts';
import { SettingsProblem } from '../toolkit/settings-problem.ts';
import type { Watched } from './health.ts';

/** Milliseconds between two looks at an issuer. */
const INTERVAL_MS = 60_000;

/** An issuer, by what the last look or request found: looks ask it for its keys, and no more often because somebody wants to know. */
export const watchIssuer = (issuer: JwtSettings): Watched => ({
  list: () => listImpairments(issuer),
  looks: { what: 'issuer', intervalMs: INTERVAL_MS, look: () => lookAtIssuer(issuer) },
});

type Given = NonNullable<LoadedConfig['config']['auth']['jwt']>;
type GivenIntrospection = NonNullable<Given['introspection']>;

/**
 * The issuers whose tokens are accepted, that of `auth.jwt` first. Nothing is fetched yet.
 * @throws ConfigProblems when a secret is missing or a key cannot be used.
 */
export function openIssuers({ config, problem }: LoadedConfig): Promise<readonly JwtSettings[]> {
  const { jwt, issuers } = config.auth;
  const all = [
    ...(jwt ? [{ given: jwt, path: ['auth', 'jwt'] }] : []),
    ...issuers.map((given, i) => ({ given, path: ['auth', 'issuers', i] })),
  ];
  return Promise.all(
    all.map(({ given, path }) =>
      openIssuer(given).catch((error: unknown) => {
        if (!(error instanceof SettingsProblem)) throw error;
        throw new ConfigProblems(error.problems.map((what) => problem([...path, ...error.setting.split('.')], what)));
      }),
    ),
  );
}

async function openIssuer({ keys, ca, proxy, introspection, ...settings }: Given): Promise<JwtSettings> {
  const ask = createProviderClient({ ca, proxy: proxy && readProxy(proxy, 'proxy') });
  const { issuer } = settings;
  return {
    ...settings,
    keys: 'keys' in keys ? keys : new RemoteKeys(keys, ask),
    clock: new IssuerClock(),
    ...(introspection && {
      introspection: new Introspection({
        ...introspection,
        issuer,
        ask,
        prove: await createProof(introspection, issuer),
      }),
    }),
  };
}

/** How we show the issuer who asks. An assertion is for the issuer, which all its endpoints accept. */
async function createProof(given: GivenIntrospection, issuer: string): Promise<ClientProof> {
  const { clientId, clientSecret, style, privateKey, keyId = '', algorithm } = given;
  if (clientSecret !== undefined) {
    return createSecretProof(clientId, readSecret(clientSecret, 'introspection.clientSecret'), style);
  }
  const setting = 'introspection.privateKey';
  const key = readSecret(privateKey ?? '', setting);
  return createKeyProof({ clientId, tokenUrl: issuer, key, keyId, algorithm }).catch(() => {
    throw new SettingsProblem(setting, [`the key is no private key for ${algorithm} in PKCS#8 PEM or JWK`]);
  });
}

import { hash } from 'node:crypto';
import { listImpairments, lookAtIssuer } from '../auth/examine.ts';
import { Introspection } from '../auth/introspection.ts';
import type { JwtSettings } from '../auth/jwt.ts';
import { createProviderClient, IssuerClock, RemoteKeys } from '../auth/remote-keys.ts';
import type { LoadedConfig } from '../config/read.ts';
import type { ClientProof } from '../http-client/oauth.ts';
import { createKeyProof, createSecretProof } from '../http-client/oauth.ts';
import { SettingsProblem, toConfigProblems } from '../toolkit/problems.ts';
import { readProxy, readSecret } from '../toolkit/secret.ts';
import type { Watched } from './health.ts';

/** Milliseconds between two checks of an issuer. */
const INTERVAL_MS = 60_000;

/** An issuer whose tokens are accepted, with its clients from the configuration. */
export interface OpenIssuer extends JwtSettings {
  /** The digest of its configuration, including its secrets. */
  readonly origin: string;
  /** The findings of the last check or request. A check fetches the issuer's keys, at a fixed interval. */
  readonly watched: Watched;
}

const watch = (issuer: JwtSettings): Watched => ({
  list: () => listImpairments(issuer),
  looks: { what: 'issuer', intervalMs: INTERVAL_MS, look: () => lookAtIssuer(issuer) },
});

type ConfiguredJwt = NonNullable<LoadedConfig['config']['auth']['jwt']>;
type GivenIntrospection = NonNullable<ConfiguredJwt['introspection']>;

/**
 * The issuers whose tokens are accepted, the one of `auth.jwt` first. Nothing is fetched yet.
 * @param before the previous issuers. Unchanged ones stay, with their fetched keys.
 * @throws ConfigProblems if a secret is missing or a key cannot be used.
 */
export function openIssuers(
  { config, problem }: LoadedConfig,
  before: readonly OpenIssuer[] = [],
): Promise<readonly OpenIssuer[]> {
  const { jwt, issuers } = config.auth;
  const all = [
    ...(jwt ? [{ given: jwt, path: ['auth', 'jwt'] }] : []),
    ...issuers.map((given, i) => ({ given, path: ['auth', 'issuers', i] })),
  ];
  return Promise.all(
    all.map(({ given, path }) =>
      openIssuer(given, before).catch((error: unknown) => {
        throw error instanceof SettingsProblem ? toConfigProblems(error, path, problem) : error;
      }),
    ),
  );
}

async function openIssuer(given: ConfiguredJwt, before: readonly OpenIssuer[]): Promise<OpenIssuer> {
  const { keys, ca, proxy: address, introspection, ...settings } = given;
  const proxy = address && readProxy(address, 'proxy');
  const secrets = introspection && readSecrets(introspection);
  const origin = hash('sha256', JSON.stringify([given, proxy, secrets]));
  const same = before.find((each) => each.origin === origin);
  if (same) return same;
  const ask = createProviderClient({ ca, proxy });
  const { issuer } = settings;
  const opened = {
    ...settings,
    keys: 'keys' in keys ? keys : new RemoteKeys(keys, ask),
    clock: new IssuerClock(),
    ...(introspection && {
      introspection: new Introspection({
        ...introspection,
        issuer,
        ask,
        prove: await createProof(introspection, secrets ?? {}, issuer),
      }),
    }),
  };
  return { ...opened, origin, watched: watch(opened) };
}

/** @throws SettingsProblem if one of them is missing. */
function readSecrets({ clientSecret, privateKey }: GivenIntrospection) {
  return {
    clientSecret: clientSecret && readSecret(clientSecret, 'introspection.clientSecret'),
    privateKey: privateKey && readSecret(privateKey, 'introspection.privateKey'),
  };
}

/** The gateway's authentication at the issuer. An assertion is for the issuer, which all its endpoints accept. */
async function createProof(
  { clientId, style, keyId = '', algorithm }: GivenIntrospection,
  { clientSecret, privateKey: key = '' }: Partial<ReturnType<typeof readSecrets>>,
  issuer: string,
): Promise<ClientProof> {
  if (clientSecret !== undefined) return createSecretProof(clientId, clientSecret, style);
  const setting = 'introspection.privateKey';
  return createKeyProof({ clientId, tokenUrl: issuer, key, keyId, algorithm }).catch(() => {
    throw new SettingsProblem(setting, [`the key is not a private key for ${algorithm} in PKCS#8 PEM or JWK`]);
  });
}

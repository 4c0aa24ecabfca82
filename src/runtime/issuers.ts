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

/** Milliseconds between two looks at an issuer. */
const INTERVAL_MS = 60_000;

const watched = new WeakMap<JwtSettings, Watched>();
/** What an issuer was made from, as a digest, because secrets are part of it. */
const origins = new WeakMap<JwtSettings, string>();

/**
 * An issuer, by what the last look or request found: looks ask it for its keys, and no more often because somebody wants
 * to know. The same for the same issuer.
 */
export function watchIssuer(issuer: JwtSettings): Watched {
  const known = watched.get(issuer) ?? {
    list: () => listImpairments(issuer),
    looks: { what: 'issuer', intervalMs: INTERVAL_MS, look: () => lookAtIssuer(issuer) },
  };
  watched.set(issuer, known);
  return known;
}

type Given = NonNullable<LoadedConfig['config']['auth']['jwt']>;
type GivenIntrospection = NonNullable<Given['introspection']>;

/**
 * The issuers whose tokens are accepted, that of `auth.jwt` first. Nothing is fetched yet.
 * @param before one of which nothing has changed stays, with the keys that it has fetched.
 * @throws ConfigProblems when a secret is missing or a key cannot be used.
 */
export function openIssuers(
  { config, problem }: LoadedConfig,
  before: readonly JwtSettings[] = [],
): Promise<readonly JwtSettings[]> {
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

async function openIssuer(given: Given, before: readonly JwtSettings[]): Promise<JwtSettings> {
  const { keys, ca, proxy: address, introspection, ...settings } = given;
  const proxy = address && readProxy(address, 'proxy');
  const secrets = introspection && readSecrets(introspection);
  const origin = hash('sha256', JSON.stringify([given, proxy, secrets]));
  const same = before.find((each) => origins.get(each) === origin);
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
  origins.set(opened, origin);
  return opened;
}

/** @throws SettingsProblem when one of them is missing. */
function readSecrets({ clientSecret, privateKey }: GivenIntrospection) {
  return {
    clientSecret: clientSecret && readSecret(clientSecret, 'introspection.clientSecret'),
    privateKey: privateKey && readSecret(privateKey, 'introspection.privateKey'),
  };
}

/** How we show the issuer who asks. An assertion is for the issuer, which all its endpoints accept. */
async function createProof(
  { clientId, style, keyId = '', algorithm }: GivenIntrospection,
  { clientSecret, privateKey: key = '' }: Partial<ReturnType<typeof readSecrets>>,
  issuer: string,
): Promise<ClientProof> {
  if (clientSecret !== undefined) return createSecretProof(clientId, clientSecret, style);
  const setting = 'introspection.privateKey';
  return createKeyProof({ clientId, tokenUrl: issuer, key, keyId, algorithm }).catch(() => {
    throw new SettingsProblem(setting, [`the key is no private key for ${algorithm} in PKCS#8 PEM or JWK`]);
  });
}

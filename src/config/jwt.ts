import type { JSONWebKeySet } from 'jose';
import { z } from 'zod';
import { allScopes } from '../api/index.ts';
import { findCertificateFault } from '../toolkit/certificates.ts';
import { omitUndefined } from '../toolkit/records.ts';
import { isLoopback, proxyAddress, secretReference } from '../toolkit/secret.ts';
import { explainUnreadable, readRegularFile } from '../toolkit/settings-file.ts';
import { always, wholeNumber } from './keys.ts';

/** The differences between a provider's tokens and RFC 9068. */
interface Preset {
  readonly typ: string | readonly string[] | null;
  readonly scopeClaim: string | readonly string[];
  readonly audienceClaim: string | readonly string[];
  readonly requiredClaims: Readonly<Record<string, string>>;
}

/** Without a preset: RFC 9068. */
const defaults: Preset = { typ: 'at+jwt', scopeClaim: 'scope', audienceClaim: 'aud', requiredClaims: {} };

const presetNames = ['keycloak', 'entra', 'auth0', 'okta', 'cognito'] as const;

/**
 * Many providers issue access tokens with the type `JWT`, which ID tokens have too. A claim that distinguishes them is
 * then required.
 */
const presets: Readonly<Record<(typeof presetNames)[number], Preset>> = {
  keycloak: {
    ...defaults,
    typ: ['JWT', 'at+jwt'],
    scopeClaim: ['scope', 'realm_access.roles'],
    requiredClaims: { typ: 'Bearer' },
  },
  entra: { ...defaults, typ: ['JWT', 'at+jwt'], scopeClaim: ['roles', 'scp'] },
  auth0: { ...defaults, typ: ['JWT', 'at+jwt'], scopeClaim: ['scope', 'permissions'] },
  okta: { ...defaults, typ: null, scopeClaim: 'scp' },
  cognito: { ...defaults, typ: null, audienceClaim: 'client_id', requiredClaims: { token_use: 'access' } },
};

/** Only asymmetric signatures: with HMAC, everyone who verifies can also sign. */
const algorithm = z.enum(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']);

const jwksUri = z
  .url()
  .refine(
    (text) => {
      if (!URL.canParse(text)) return true;
      const { protocol, hostname } = new URL(text);
      return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
    },
    { error: 'must begin with https://' },
  )
  .transform((text) => new URL(text));

const keySet = z.looseObject({ keys: z.array(z.looseObject({ kty: z.string() })).min(1) });

/** The text of the file. Undefined if it cannot be read, which is then an issue. */
function readText(file: string, context: z.RefinementCtx): string | undefined {
  try {
    return readRegularFile(file).toString();
  } catch (error) {
    context.addIssue({ code: 'custom', message: explainUnreadable(error) });
    return undefined;
  }
}

const jwksFile = z
  .string()
  .meta({ file: true })
  .transform((file, context): JSONWebKeySet => {
    const text = readText(file, context);
    if (text === undefined) return z.NEVER;
    try {
      return keySet.parse(JSON.parse(text));
    } catch {
      context.addIssue({
        code: 'custom',
        message: 'must be a file with a JSON Web Key Set: {"keys": [...]}',
      });
      return z.NEVER;
    }
  });

const texts = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)], 'must be text, or a list of texts');

const scopes = z.preprocess(
  (value) => (value === 'all' ? allScopes : typeof value === 'string' ? [value] : value),
  z.array(z.enum(allScopes)).min(1),
);

const toTexts = (value: string | readonly string[]): readonly string[] => (typeof value === 'string' ? [value] : value);

const caFile = z
  .string()
  .meta({ file: true, certificates: true })
  .transform((file, context): string => {
    const pem = readText(file, context);
    if (pem === undefined) return z.NEVER;
    const fault = findCertificateFault(pem);
    if (fault === undefined) return pem;
    context.addIssue({ code: 'custom', message: fault });
    return z.NEVER;
  });

/** How to ask the issuer whether a token is active (RFC 7662). */
const introspection = z
  .strictObject({
    endpoint: jwksUri.optional(),
    tokens: z.enum(['all', 'opaque', 'jwt']).default('all'),
    clientId: z.string().min(1),
    clientSecret: secretReference.optional(),
    style: z.enum(['basic', 'post']).default('basic'),
    privateKey: secretReference.optional(),
    keyId: z.string().min(1).optional(),
    algorithm: z.enum(['RS384', 'ES384']).default('ES384'),
    /** Seconds. */
    cacheSeconds: z.number().min(0).max(300).default(10),
  })
  .refine(({ clientSecret, privateKey }) => (clientSecret === undefined) !== (privateKey === undefined), {
    error: 'must have exactly one of clientSecret and privateKey',
    ...always,
  })
  .refine(({ privateKey, keyId }) => privateKey === undefined || keyId !== undefined, {
    path: ['keyId'],
    error: 'is required for privateKey: add it',
    ...always,
  });

/** True if keys can be fetched from the issuer itself. */
const isAddress = (issuer: unknown): boolean => typeof issuer === 'string' && jwksUri.safeParse(issuer).success;

const settings = z.strictObject({
  preset: z.enum(presetNames).optional(),
  issuer: z.string().min(1),
  audience: texts,
  audienceClaim: texts.optional(),
  jwksUri: jwksUri.optional(),
  jwksFile: jwksFile.optional(),
  algorithms: z.array(algorithm).min(1).default(['RS256', 'PS256', 'ES256', 'EdDSA']),
  /** Seconds. */
  clockTolerance: z.number().min(0).max(300).default(30),
  scopeClaim: texts.optional(),
  scopePrefix: texts.optional(),
  scopeMap: z.record(z.string().min(1), scopes).optional(),
  typ: texts.nullable().optional(),
  requiredClaims: z.record(z.string().min(1), z.string()).optional(),
  /** Seconds. */
  maxTokenAge: wholeNumber(1, 31_536_000).optional(),
  applicationsOnly: z.boolean().default(false),
  clients: z.array(z.string().min(1)).min(1).optional(),
  ca: caFile.optional(),
  proxy: proxyAddress.optional(),
  introspection: introspection.optional(),
});

/** The rules for access tokens of an issuer, with its preset as the defaults. */
export const jwt = settings
  .refine(
    ({ issuer, jwksUri, jwksFile }) =>
      jwksUri === undefined && jwksFile === undefined
        ? isAddress(issuer)
        : (jwksUri === undefined) !== (jwksFile === undefined),
    { error: 'must have exactly one of jwksUri and jwksFile', ...always },
  )
  .refine(({ issuer, introspection }) => !introspection || introspection.endpoint !== undefined || isAddress(issuer), {
    path: ['introspection', 'endpoint'],
    error: 'is required unless issuer is an https URL: add it',
    ...always,
  })
  .transform(({ preset, jwksUri, jwksFile, applicationsOnly, ...given }) => {
    const settings = { ...defaults, ...(preset && presets[preset]), ...omitUndefined(given) };
    const { typ, scopeClaim, scopePrefix = [], audience, audienceClaim, ...rest } = settings;
    return {
      ...rest,
      audience,
      audienceClaims: toTexts(audienceClaim),
      scopeClaim,
      scopePrefix: toTexts(scopePrefix),
      typ: typ ?? undefined,
      applicationsOf: applicationsOnly ? (preset ?? ('rfc9068' as const)) : undefined,
      keys: jwksUri ?? jwksFile ?? { issuer: given.issuer },
    };
  });

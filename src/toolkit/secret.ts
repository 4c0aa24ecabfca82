import { channel } from 'node:diagnostics_channel';
import { resolve } from 'node:path';
import { z } from 'zod';
import { getErrorCode } from './failures.ts';
import { SettingsProblem } from './problems.ts';
import { explainUnreadable, readRegularFile } from './settings-file.ts';

const referenceFault = 'must be env:NAME or file:/path, never the secret itself';

/** A reference to a secret. A configuration file never has the secret itself. */
export const secretReference = z
  .string()
  .regex(/^(env:[A-Za-z_][A-Za-z0-9_]*|file:.+)$/, referenceFault)
  // The message of editors with extensions to JSON Schema.
  .meta({ patternErrorMessage: referenceFault });

/** A reference with a relative path, alone or as a value in XML. */
const relativeReference = /(?<=^|>\s*)file:([^\s/<>][^<>]*?)(?=\s*(<|$))/g;

/** Resolves the relative paths of `file:` references against this folder, at any depth of the values. */
export function resolveReferences(values: object, folder: string): void {
  const entries: readonly (readonly [string, unknown])[] = Object.entries(values);
  for (const [key, value] of entries) {
    if (typeof value === 'object' && value !== null) resolveReferences(value, folder);
    if (typeof value !== 'string') continue;
    const resolved = value.replaceAll(relativeReference, (_, path: string) => `file:${resolve(folder, path)}`);
    if (resolved !== value) Object.assign(values, { [key]: resolved });
  }
}

const isPlainUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && !username && !password;
};

/** The URL of an HTTP proxy; one with a password is a secret. */
export const proxyAddress = z
  .string()
  .refine(
    (text) => isPlainUrl(text) || secretReference.safeParse(text).success,
    'must be a URL such as http://proxy.hospital.example:3128, or env:NAME or file:/path if it has a password',
  );

/**
 * The URL of the configured proxy.
 * @throws SettingsProblem when the secret of a reference is missing or not a URL.
 */
export function readProxy(address: string, setting: string): string {
  const url = /^(env|file):/.test(address) ? readSecret(address, setting) : address;
  if (!URL.canParse(url)) throw new SettingsProblem(setting, [`${address} holds no URL`]);
  return url;
}

/**
 * Publishes each secret that is read. The contract searches the adapter's output for them. Without a listener nothing
 * is stored.
 */
export const secretsRead = channel('puente:secret');

/**
 * Returns the secret without surrounding white space.
 * @throws SettingsProblem when it does not exist.
 */
export function readSecret(reference: string, setting: string): string {
  const [, kind, name = ''] = reference.match(/^(env|file):(.+)$/) ?? [];
  const secret = kind === 'env' ? process.env[name] : readContent(name, setting);
  if (!secret?.trim()) throw new SettingsProblem(setting, [`${reference} is not set or empty`]);
  secretsRead.publish(secret.trim());
  return secret.trim();
}

/**
 * Reads the text of a file that a setting names.
 * @throws SettingsProblem when it cannot be read.
 */
export function readContent(path: string, setting: string): string {
  try {
    return readRegularFile(path).toString();
  } catch (error) {
    // The code that needs the secret reports an empty one.
    if (getErrorCode(error) === 'EMPTIED') return '';
    throw new SettingsProblem(setting, [`the file ${path} ${explainUnreadable(error)}`]);
  }
}

const url = z.url({ protocol: /^https?$/, error: 'must be an http or https URL', abort: true });

/** Plain HTTP to another host only leads to a warning. */
const address = url.meta({ address: true });

/** The base address of a system. Paths are appended to it. */
export const baseUrl = address.refine((text) => {
  const { username, password, search, hash } = new URL(text);
  return !(username || password || search || hash);
}, 'must be a URL without credentials, query or fragment');

const ownParameters = /^(grant_type|scope|client_id|client_secret|client_assertion|client_assertion_type)$/;

/** Fields that some authorization servers require in addition to RFC 6749. */
const parameters = z
  .record(
    z.string().refine((name) => !ownParameters.test(name), 'is a field that the gateway fills in itself'),
    z.string(),
  )
  .default({});

/** The methods by which the gateway logs in to a system. */
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
    'How the gateway authenticates: `none`; `basic` (user, password); `bearer` (token); `oauth2-secret` (tokenUrl, clientId, clientSecret, style, scope, parameters, proxy); `oauth2-key`, which is SMART Backend Services (tokenUrl, clientId, privateKey in PKCS#8 PEM or JWK, keyId, algorithm, scope, assertionAudience if it differs from tokenUrl, parameters, proxy). `parameters` are additional fields of the login, e.g. {audience: https://api.example.org} or {resource: ...}. `proxy` is an HTTP proxy for tokenUrl only. Secrets are references: env:NAME or file:/path.',
});

export const tls = z
  .strictObject({
    ca: z.string().optional().meta({
      file: true,
      certificates: true,
      description: 'File with the certificate authorities to trust, in PEM, also for a token endpoint.',
    }),
    cert: z.string().optional().meta({
      file: true,
      certificates: true,
      description: 'PEM file with our client certificate, which only the origin of the system receives.',
    }),
    key: secretReference.optional().meta({ description: 'Reference to the private key of our client certificate.' }),
  })
  .prefault({});

const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** True if the `hostname` of a URL is this machine. */
export const isLoopback = (hostname: string): boolean => loopback.test(hostname);

/**
 * Explains why traffic to the address can be read on the way, and how to prevent that. Undefined for this machine, for
 * encrypted traffic, and for an invalid address.
 * @param address a URL, or a reference to that of a database.
 */
export function explainPlainAddress(address: string): string | undefined {
  const isSecret = /^(env|file):/.test(address);
  const url = isSecret ? readUrl(address) : address;
  if (url === undefined || !URL.canParse(url)) return undefined;
  const { protocol, hostname, searchParams } = new URL(url);
  const host = searchParams.get('host') ?? hostname;
  if (host === '' || /^(\/|%2F)/i.test(host) || isLoopback(host)) return undefined;
  if (protocol === 'http:') return 'is plain http to another host, which exposes the requests: use https';
  const mode = searchParams.get('sslmode') ?? searchParams.get('ssl') ?? 'disable';
  if (!/^(postgres(ql)?|mysql|mariadb|sqlserver):$/.test(protocol) || !/^(disable|false|0)$/.test(mode))
    return undefined;
  return 'is a database on another host without TLS, which exposes its data: add ?sslmode=verify-full to its address';
}

/** The code that needs the secret reports a missing one. */
function readUrl(reference: string): string | undefined {
  try {
    return readSecret(reference, '');
  } catch {
    return undefined;
  }
}

import { hash } from 'node:crypto';
import type { JSONWebKeySet } from 'jose';
import { Rejection } from '../api/index.ts';
import type { Finding, Impairment } from '../ports/index.ts';
import { examineClock } from '../toolkit/clocks.ts';
import { findCauseCode } from '../toolkit/failures.ts';
import { jwtPattern, type TokenSettings } from './bearer.ts';
import { findPrefix, listScopeWords, toClient } from './client.ts';
import type { Introspection } from './introspection.ts';
import {
  createKeyLookup,
  type DecodedToken,
  decodeToken,
  type JwtSettings,
  listTokenChecks,
  verifySignature,
} from './jwt.ts';
import { RemoteKeys } from './remote-keys.ts';

/**
 * The difference to the issuer's clock that is reported, in milliseconds: a third of the default of `clockTolerance`.
 */
const CLOCK_TOLERANCE_MS = 10_000;

/** A finding about an issuer. A fault also has the code of an impairment. */
export interface IssuerFinding extends Finding {
  readonly code?: string;
  readonly cause?: string | undefined;
  readonly host?: string | undefined;
}

/** Fetches the data of the findings, unless a fetch has just ended. */
export async function lookAtIssuer({ keys, introspection }: JwtSettings): Promise<void> {
  await Promise.all([keys instanceof RemoteKeys && keys.look(), introspection?.look()]);
}

/** The findings of the last fetch: whether the issuer answers, its keys, its clock, and its answers about tokens. */
export function examineIssuer(settings: JwtSettings): readonly IssuerFinding[] {
  const { keys, introspection } = settings;
  const own =
    keys instanceof RemoteKeys ? examineRemoteKeys(keys, settings) : [examineKinds(keys, 'the file', settings)];
  return [...own, ...examineClocks(settings), ...(introspection ? [examineIntrospection(introspection)] : [])];
}

/** The findings that limit the gateway. */
export function listImpairments(settings: JwtSettings): readonly Impairment[] {
  const { keys } = settings;
  // Nothing has been fetched yet.
  if (keys instanceof RemoteKeys && !keys.fetched && keys.failure === undefined) return [];
  return examineIssuer(settings).flatMap(({ ok, code, detail, fix = '', cause, host }) =>
    ok === false && code !== undefined ? { code, detail: `${detail}; ${fix}`, cause, host } : [],
  );
}

function examineRemoteKeys(keys: RemoteKeys, settings: JwtSettings): IssuerFinding[] {
  const { host, failure, fetched, isStale } = keys;
  const reached: IssuerFinding = { check: 'issuer', ok: true, detail: `${host} returns its keys` };
  const rest = fetched ? [examineKinds(fetched.set, host, settings)] : [];
  if (failure === undefined) return [reached, ...rest];
  const cause = findCauseCode(failure);
  const kept = fetched && ': the known keys are used for six hours at most';
  const detail = `the keys of the token issuer cannot be fetched from ${host} (${cause ?? 'no key set'})${kept ?? ''}`;
  const code = isStale ? 'jwks_stale' : 'issuer_unavailable';
  return [{ check: 'issuer', ok: false, code, detail, fix: findFix(cause), cause, host }, ...rest];
}

/** Judges by the last token from the future, and by the `Date` header, which some providers omit. */
function examineClocks({ keys, clock, clockTolerance }: JwtSettings): IssuerFinding[] {
  const { host, fetched } = keys instanceof RemoteKeys ? keys : {};
  const tolerance = Math.min(CLOCK_TOLERANCE_MS, clockTolerance * 1000);
  const findings = [
    ...(clock.told ? [examineClock(clock.told, tolerance)] : []),
    ...(fetched ? [examineClock(fetched.answer, CLOCK_TOLERANCE_MS)] : []),
  ];
  const finding = findings.find(({ ok }) => ok === false) ?? findings.at(-1);
  if (!finding) return [];
  const detail = finding.detail.replace('the server', 'the issuer');
  return [{ ...finding, check: 'clock of the issuer', detail, code: 'issuer_clock', host }];
}

/** The required type and curve of a key, by algorithm. */
const kinds: Readonly<Record<string, readonly [string, RegExp]>> = {
  ES256: ['EC', /^P-256$/],
  ES384: ['EC', /^P-384$/],
  ES512: ['EC', /^P-521$/],
  EdDSA: ['OKP', /^Ed25519$/],
};

/** True if any key fits any accepted algorithm. */
function examineKinds({ keys }: JSONWebKeySet, where: string, { algorithms }: JwtSettings): IssuerFinding {
  const check = 'keys of the issuer';
  const usable = keys.filter(({ kty, crv = '', alg, use = 'sig' }) =>
    algorithms.some((algorithm) => {
      const [type, curve] = kinds[algorithm] ?? ['RSA', /^$/];
      return use === 'sig' && (alg ?? algorithm) === algorithm && kty === type && curve.test(crv);
    }),
  );
  if (usable.length > 0) {
    return { check, ok: true, detail: `${usable.length} of ${keys.length} verify ${algorithms.join(', ')}` };
  }
  const told = [...new Set(keys.map(({ kty, crv, alg }) => alg ?? crv ?? kty))].filter(isPlain).join(', ') || 'nothing';
  const detail = `no key of ${where} verifies ${algorithms.join(', ')}: its keys are for ${told}`;
  const fix = 'add the provider’s algorithm to algorithms, or configure it to sign with one of these';
  return { check, ok: false, code: 'issuer_no_usable_key', detail, fix };
}

const isPlain = (text: unknown): boolean => typeof text === 'string' && /^[\w-]{1,20}$/.test(text);

function examineIntrospection({ failure, host }: Introspection): IssuerFinding {
  const check = 'introspection';
  if (failure === undefined) return { check, ok: true, detail: `${host} reports active tokens` };
  const cause = findCauseCode(failure);
  const refused = cause === 'HTTP_400' || cause === 'HTTP_401' || cause === 'HTTP_403';
  const fix = refused
    ? 'check clientId and the secret or key of introspection, and that the provider allows this client to introspect tokens'
    : findFix(cause);
  const detail = `${host} does not report active tokens (${cause ?? 'no answer'}), so requests with tokens that need introspection get 503`;
  return { check, ok: false, code: 'introspection_unavailable', detail, fix, cause, host };
}

/** By the error code. The first match counts. */
const fixes: readonly (readonly [RegExp, string])[] = [
  [/^wrong_issuer$/, 'set issuer to exactly the "issuer" in its document /.well-known/openid-configuration'],
  [/^no_jwks_uri$/, 'set jwksUri: the issuer’s discovery document has no https URL for its keys'],
  [/^no_introspection_endpoint$/, 'set introspection.endpoint: the discovery document has no https URL for it'],
  [/^HTTP_404$/, 'correct issuer, jwksUri or introspection.endpoint: the address does not exist'],
  [/^HTTP_407$/, 'put name and password into the URL of proxy, by env:NAME'],
  [/^HTTP_5/, 'check the provider’s log'],
  [
    /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/,
    'correct the port of issuer, jwksUri or introspection.endpoint: the port has no TLS',
  ],
  [
    /^(CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_TLS|HOSTNAME)/,
    'set ca to a PEM file with the authority that issued its certificate, or correct the host',
  ],
  [
    /^(ENOTFOUND|EAI_AGAIN)$/,
    'correct the host or the DNS of this machine, or set proxy if only the proxy can resolve it',
  ],
  [
    /^(E[A-Z]+|ERR_CANCELED|ERR_PROXY\w*)$/,
    'start the provider, open the firewall from this machine to it, or set proxy if one is required',
  ],
];

const findFix = (cause = ''): string =>
  fixes.find(([pattern]) => pattern.test(cause))?.[1] ??
  'correct issuer, jwksUri or introspection.endpoint: another service answers there';

/** The content of a token, the gateway's expectations, and every check of it. */
export interface Inspection {
  readonly says: Readonly<Record<string, unknown>>;
  readonly expected: Readonly<Record<string, unknown>>;
  readonly checks: readonly Check[];
}

/** One check, by the reason in the log if a token fails it. */
export interface Check {
  readonly reason: string;
  readonly passes: boolean;
  /** The code of a failed request to the issuer: a network code, or `HTTP_` and a status. */
  readonly cause?: string | undefined;
}

export interface InspectSettings {
  readonly tokens: readonly TokenSettings[];
  /** In the order of `auth.jwt` and `auth.issuers`. */
  readonly issuers: readonly JwtSettings[];
  readonly maxTokenLength: number;
  readonly now: number;
}

/**
 * Checks a token as the gateway does, but continues after a failed check. The result has nothing usable as a token, and
 * no person's name.
 */
export async function inspectToken(token: string, settings: InspectSettings): Promise<Inspection> {
  const { tokens, issuers, maxTokenLength, now } = settings;
  const says = { length: token.length };
  const expected = { maxTokenLength };
  const checks: Check[] = [
    { reason: 'no_token', passes: token !== '' },
    { reason: 'too_long', passes: token.length <= maxTokenLength },
  ];
  if (token === '') return { says, expected, checks };
  const fail = (reason: string) => ({ says, expected, checks: [...checks, { reason, passes: false }] });
  const digest = hash('sha256', token);
  const known = tokens.find(({ sha256 }) => sha256.toLowerCase() === digest);
  if (known) {
    const { client, scopes, expires } = known;
    checks.push({ reason: 'expired', passes: expires === undefined || Date.parse(expires) > now });
    return { says: { ...says, client, scopes, expires }, expected, checks };
  }
  const isJwt = jwtPattern.test(token);
  const decoded = decodeToken(token);
  const rules = isJwt
    ? (issuers.find(({ issuer }) => issuer === decoded?.claims.iss) ?? issuers[0])
    : issuers.find(({ introspection }) => introspection?.isFor('opaque'));
  if (!rules) return fail('unknown_token');
  if (isJwt && !decoded) return fail('malformed_token');
  const { introspection } = rules;
  if (decoded) {
    checks.push(...toChecks(listTokenChecks(decoded, rules, now / 1000)));
    const isVerifiable = checks.every(({ reason, passes }) => passes || !unverifiable.has(reason));
    if (isVerifiable) checks.push(await checkSignature(token, rules, now));
  }
  const isAsked = introspection?.isFor(isJwt ? 'jwt' : 'opaque') && checks.every(({ passes }) => passes);
  const answer = introspection && isAsked ? await askIssuer(token, digest, introspection) : undefined;
  if (answer) checks.push(answer.check);
  const claims = answer?.claims;
  const told = decoded ?? (claims && { claims });
  if (!told) return { says, expected, checks };
  if (!decoded) checks.push(...toChecks(listTokenChecks(told, rules, now / 1000)));
  const { scopes } = toClient(told.claims, rules);
  return {
    says: { ...says, ...describe(told, rules) },
    expected: { ...expected, ...Object.fromEntries(ruleNames.map((name) => [name, rules[name]])) },
    checks: [...checks, { reason: 'scope_missing', passes: scopes.size > 0 }],
  };
}

const toChecks = (results: ReturnType<typeof listTokenChecks>): readonly Check[] =>
  results.map(({ problem, passes }) => ({ reason: problem, passes }));

/** The signatures of these tokens are not checked. */
const unverifiable: ReadonlySet<string> = new Set(['wrong_issuer', 'wrong_algorithm', 'no_expiry']);

async function checkSignature(token: string, rules: JwtSettings, now: number): Promise<Check> {
  // Other checks cover the times.
  const timeless = { ...rules, clockTolerance: Number.MAX_SAFE_INTEGER };
  try {
    await verifySignature(token, createKeyLookup(rules.keys), timeless, () => now);
    return { reason: 'bad_signature', passes: true };
  } catch (error) {
    return toFailed(error);
  }
}

async function askIssuer(token: string, digest: string, introspection: Introspection) {
  try {
    const claims = await introspection.introspect(token, digest);
    return { check: { reason: 'inactive', passes: claims !== undefined }, claims };
  } catch (error) {
    return { check: toFailed(error) };
  }
}

function toFailed(error: unknown): Check {
  if (!(error instanceof Rejection)) throw error;
  const { reason = error.code, details } = error;
  return { reason, passes: false, cause: findCauseCode(details.cause) };
}

/** Returns only the compared claims, none of which may name a person. */
function describe({ header, claims }: DecodedToken, rules: JwtSettings): Inspection['says'] {
  const { audienceClaims = ['aud'], requiredClaims = {} } = rules;
  const { name, scopes } = toClient(claims, rules);
  const { typ, alg, kid }: Record<string, unknown> = header ?? { typ: claims.token_type ?? claims.token_use };
  const told = { typ, alg, kid, iss: claims.iss };
  const audience = audienceClaims.map((claim) => [claim, claims[claim]] as const);
  const held = Object.keys(requiredClaims).filter((claim) => claims[claim] === requiredClaims[claim]);
  const times = { exp: toTime(claims.exp), nbf: toTime(claims.nbf), iat: toTime(claims.iat) };
  const elsewhere =
    scopes.size > 0 ? {} : { scopeWords: listScopeWords(claims, rules), scopesFound: findPrefix(claims) };
  return {
    ...{ ...told, ...Object.fromEntries(audience), requiredClaims: held, ...times },
    ...{ isBound: claims.cnf !== undefined, client: name, scopes: [...scopes], ...elsewhere },
  };
}

const ruleNames = [
  ...(['issuer', 'typ', 'algorithms', 'audience', 'audienceClaims', 'requiredClaims', 'clockTolerance'] as const),
  ...(['maxTokenAge', 'applicationsOf', 'clients', 'scopeClaim', 'scopePrefix', 'scopeMap'] as const),
];

const toTime = (seconds: unknown): unknown => {
  const date = new Date(typeof seconds === 'number' ? seconds * 1000 : Number.NaN);
  return Number.isNaN(date.getTime()) ? seconds && 'no time' : date.toISOString();
};

import { hash } from 'node:crypto';
import { Rejection } from '../../api/index.ts';
import { findCauseCode } from '../../toolkit/causes.ts';
import { jwtPattern, type TokenSettings } from './bearer.ts';
import type { Introspection } from './introspection.ts';
import { createKeyLookup, type JwtSettings, verifySignature } from './jwt.ts';
import { checkToken, type DecodedToken, decodeToken } from './token-checks.ts';
import { findPrefix, listScopeWords, toClient } from './token-client.ts';

/** What a token says, what the gateway expects of it, and every check that the gateway makes of it. */
export interface Inspection {
  readonly says: Readonly<Record<string, unknown>>;
  readonly expected: Readonly<Record<string, unknown>>;
  readonly checks: readonly Check[];
}

/** One check, by the reason that the log has when a token does not pass it. */
export interface Check {
  readonly reason: string;
  readonly passes: boolean;
  /** Why the issuer could not be asked: a code of the network, or `HTTP_` and a status. */
  readonly cause?: string | undefined;
}

export interface InspectSettings {
  readonly tokens: readonly TokenSettings[];
  /** In the order of `auth.jwt` and `auth.issuers`. */
  readonly issuers: readonly JwtSettings[];
  readonly maxTokenLength: number;
  readonly now: number;
}

/** Checks a token as the gateway does, but to the end. The result holds nothing that could be used as a token, and no name of a person. */
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
    checks.push(...toChecks(checkToken(decoded, rules, now / 1000)));
    const isVerifiable = checks.every(({ reason, passes }) => passes || !unverifiable.has(reason));
    if (isVerifiable) checks.push(await checkSignature(token, rules, now));
  }
  const isAsked = introspection?.isFor(isJwt ? 'jwt' : 'opaque') && checks.every(({ passes }) => passes);
  const answer = introspection && isAsked ? await askIssuer(token, digest, introspection) : undefined;
  if (answer) checks.push(answer.check);
  const claims = answer?.claims;
  const told = decoded ?? (claims && { claims });
  if (!told) return { says, expected, checks };
  if (!decoded) checks.push(...toChecks(checkToken(told, rules, now / 1000)));
  const { scopes } = toClient(told.claims, rules);
  return {
    says: { ...says, ...describe(told, rules) },
    expected: { ...expected, ...Object.fromEntries(ruleNames.map((name) => [name, rules[name]])) },
    checks: [...checks, { reason: 'scope_missing', passes: scopes.size > 0 }],
  };
}

const toChecks = (results: ReturnType<typeof checkToken>): readonly Check[] =>
  results.map(({ problem, passes }) => ({ reason: problem, passes }));

/** Of these tokens no signature is looked at. */
const unverifiable: ReadonlySet<string> = new Set(['wrong_issuer', 'wrong_algorithm', 'no_expiry']);

async function checkSignature(token: string, rules: JwtSettings, now: number): Promise<Check> {
  // Its times are checked on their own.
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

/** Of the claims only those that are compared, and none that may name a person. */
function describe({ header, claims }: DecodedToken, rules: JwtSettings): Inspection['says'] {
  const { audienceClaims = ['aud'], requiredClaims = {} } = rules;
  const { name, scopes } = toClient(claims, rules);
  const { typ, alg, kid }: Record<string, unknown> = header ?? { typ: claims.token_type ?? claims.token_use };
  const told = { typ, alg, kid, iss: claims.iss };
  const audience = audienceClaims.map((claim) => [claim, claims[claim]]);
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

import { hash } from 'node:crypto';
import { Rejection } from '../../api/index.ts';
import { findCauseCode } from '../errors.ts';
import type { TokenSettings } from './bearer.ts';
import { toList } from './claims.ts';
import { findClientName } from './client-name.ts';
import type { Introspection } from './introspection.ts';
import { createKeyLookup, type JwtSettings, verifySignature } from './jwt.ts';
import { type ClaimProblem, checkIntrospected, checkToken, type DecodedToken, decodeToken } from './token-checks.ts';
import { findPrefix, listScopeWords, toClient } from './token-client.ts';

/** One thing that was looked at. What is not well has a fix. */
export interface Finding {
  readonly what: string;
  readonly fix?: string | undefined;
}

export interface InspectSettings {
  readonly tokens: readonly TokenSettings[];
  /** In the order of `auth.jwt` and `auth.issuers`. */
  readonly issuers: readonly JwtSettings[];
  readonly maxTokenLength: number;
  readonly now: number;
}

/** What is right and wrong with a token, in the order in which the gateway looks. Says nothing that could be used as a token, and names no person. */
export async function inspectToken(token: string, settings: InspectSettings): Promise<readonly Finding[]> {
  const { tokens, issuers, maxTokenLength, now } = settings;
  if (token === '') return [{ what: 'there is no token', fix: 'write it to the standard input' }];
  const length = `it has ${token.length} characters`;
  const tooLong = token.length > maxTokenLength;
  const fixLength = `raise auth.maxTokenLength (${maxTokenLength}), or let the provider put less into it`;
  const first: Finding = tooLong ? { what: `too_long: ${length}`, fix: fixLength } : { what: length };
  const known = tokens.find(({ sha256 }) => sha256.toLowerCase() === hash('sha256', token));
  if (known) return [first, describeOpaque(known, now)];
  const decoded = decodeToken(token);
  const asked = issuers.find(({ introspection }) => introspection?.isFor('opaque'));
  if (!decoded && asked?.introspection && !tooLong) return [first, ...(await inspectOpaque(token, asked, now))];
  if (!decoded) {
    const fix =
      'add it to auth.tokens by the command token create, let the provider issue JWTs, or set introspection to ask it';
    return [first, { what: 'unknown_token: it is no JWT, and its hash is not in auth.tokens', fix }];
  }
  if (issuers.length === 0) {
    const fix = 'set auth.jwt with issuer and audience';
    return [first, { what: 'unknown_token: it is a JWT, and no issuer is configured', fix }];
  }
  const rules = issuers.find(({ issuer }) => issuer === decoded.claims.iss) ?? issuers[0]!;
  const checks = checkToken(decoded, rules, now / 1000).map(describeCheck(decoded, rules));
  const signature = await inspectSignature(token, decoded, rules, now);
  const { introspection } = rules;
  const isTrusted = checks.every(({ fix }) => fix === undefined) && signature.fix === undefined;
  const active =
    introspection?.isFor('jwt') && isTrusted && !tooLong ? [(await inspectActive(token, introspection)).finding] : [];
  return [first, ...checks, signature, ...active, ...inspectClient(decoded, rules)];
}

/** The issuer says what is in it, which is looked at as the claims of a JWT are. */
async function inspectOpaque(token: string, rules: JwtSettings, now: number): Promise<readonly Finding[]> {
  if (!rules.introspection) return [];
  const { finding, claims } = await inspectActive(token, rules.introspection);
  if (!claims) return [finding];
  const told: DecodedToken = { header: { typ: String(claims.token_type ?? claims.token_use) }, claims };
  const checks = checkIntrospected(claims, rules, now / 1000).map(describeCheck(told, rules));
  return [finding, ...checks, ...inspectClient(told, rules)];
}

async function inspectActive(token: string, introspection: Introspection) {
  try {
    const claims = await introspection.introspect(token, hash('sha256', token));
    if (claims) return { finding: { what: `${introspection.host} says that it is active` }, claims };
    const fix =
      'get a new one; if it is new, look whether it is a token of this provider, and its introspection endpoint';
    return {
      finding: { what: `inactive: ${introspection.host} says that it is revoked, expired or none of its own`, fix },
    };
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    const cause = findCauseCode(error.details.cause) ?? 'no answer';
    const what = `auth_provider_unavailable: ${introspection.host} does not say whether it is active (${cause})`;
    return { finding: { what, fix: 'puente check says what is wrong with introspection' } };
  }
}

const describeCheck =
  (token: DecodedToken, rules: JwtSettings) =>
  ({ problem, passes }: { readonly problem: ClaimProblem; readonly passes: boolean }): Finding => {
    const [what, fix] = sayings[problem](token, rules);
    return passes ? { what } : { what: `${problem}: ${what}`, fix };
  };

const describeOpaque = ({ client, scopes, expires }: TokenSettings, now: number): Finding =>
  expires !== undefined && Date.parse(expires) <= now
    ? {
        what: `expired: it is the token of ${client}, until ${expires}`,
        fix: 'create another one by the command token create',
      }
    : { what: `it is the token of ${client}, with ${scopes.join(' ')}` };

/** What the token says, and what to do when that is wrong. */
const sayings: Readonly<Record<ClaimProblem, (token: DecodedToken, rules: JwtSettings) => readonly [string, string]>> =
  {
    wrong_issuer: ({ claims }, { issuer }) => [
      `its issuer is ${quote(claims.iss)}`,
      `set issuer to exactly that, with or without its slash at the end, if it is your provider; it is ${quote(issuer)}`,
    ],
    wrong_type: ({ header }, { typ }) => [
      `its type is ${quote(header.typ)}`,
      `set preset to your provider, or typ to that type (null for none); it is ${quote(typ)}. An ID token is no access token`,
    ],
    wrong_algorithm: ({ header }, { algorithms }) => [
      `it is signed with ${quote(header.alg)}`,
      `add that to algorithms (${algorithms.join(', ')}) if it is not none or HS..., or let the provider use one of them`,
    ],
    wrong_audience: ({ claims }, { audience, audienceClaims = ['aud'] }) => [
      `it is for ${quote(audienceClaims.flatMap((name) => toList(claims[name])))} by ${audienceClaims.join(', ')}`,
      `let the provider put ${quote(audience)} there, or set audience to what is there if that is this gateway`,
    ],
    wrong_claim: ({ claims }, { requiredClaims = {} }) => [
      `of the claims that are required it has ${quote(Object.keys(requiredClaims).filter((name) => claims[name] === requiredClaims[name]))}`,
      `requiredClaims are ${quote(requiredClaims)}: the caller must send an access token, no ID token`,
    ],
    no_expiry: ({ claims }) => [
      claims.exp === undefined ? 'it has no expiry' : 'it has an expiry',
      'let the provider issue tokens that expire',
    ],
    expired: ({ claims }) => [
      `it expires at ${formatTime(claims.exp)}`,
      'get a new one; if it is new, compare the clocks of the provider and this machine',
    ],
    not_yet_valid: ({ claims }) => [
      claims.nbf === undefined ? 'it is valid from the beginning' : `it is valid from ${formatTime(claims.nbf)}`,
      'compare the clocks of the provider and this machine; clockTolerance allows a difference',
    ],
    too_old: ({ claims }, { maxTokenAge }) => [
      `it was issued at ${formatTime(claims.iat)}`,
      `get a new one, let the provider say iat, or raise maxTokenAge (${maxTokenAge})`,
    ],
    bound_token: ({ claims }) => [
      claims.cnf === undefined ? 'it is bound to no key' : 'it is bound to a key of its client (cnf)',
      'let the provider issue bearer tokens for this audience: the binding cannot be checked here',
    ],
    user_token: (_, { applicationsOf }) => [
      applicationsOf === undefined
        ? 'it may be a token of a person or of an application'
        : `applicationsOnly looks for an application by the rule of ${applicationsOf}`,
      'let the platform log in for itself (client_credentials), set preset to your provider, or applicationsOnly to false',
    ],
    client_not_listed: ({ claims }, { clients }) => [
      clients === undefined ? 'every client is accepted' : `its client is ${findClientName(claims) ?? 'unnamed'}`,
      `add the client to clients if it may come in: ${quote(clients)}`,
    ],
  };

async function inspectSignature(
  token: string,
  { header }: DecodedToken,
  rules: JwtSettings,
  now: number,
): Promise<Finding> {
  const key = `key ${quote(header.kid)}`;
  try {
    // Its times were looked at already.
    await verifySignature(
      token,
      createKeyLookup(rules.keys),
      { ...rules, clockTolerance: Number.MAX_SAFE_INTEGER },
      () => now,
    );
    return { what: `its signature is that of ${key}` };
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    if (error.code !== 'unauthenticated') {
      const fix =
        'look whether this machine reaches jwksUri, or else the issuer, and whether issuer is exactly its own';
      return { what: 'auth_provider_unavailable: the keys of the issuer cannot be fetched', fix };
    }
    return {
      what: `${error.reason}: its signature with ${key} could not be verified`,
      fix: 'look whether jwksUri or jwksFile is of the provider, the realm or the tenant that issued it',
    };
  }
}

function inspectClient({ claims }: DecodedToken, rules: JwtSettings): Finding[] {
  const { name, scopes } = toClient(claims, rules);
  const client: Finding = { what: `its client is ${name}` };
  if (scopes.size > 0) return [client, { what: `its scopes are ${[...scopes].join(' ')}` }];
  const words = listScopeWords(claims, rules);
  const prefix = findPrefix(claims);
  const where =
    prefix &&
    `set scopeClaim to ${quote(prefix.claim)}${prefix.prefix && ` and scopePrefix to ${quote(prefix.prefix)}`}`;
  const map = `grant the client scopes of this gateway there, or say in scopeMap what its words mean: ${quote(words)}`;
  return [
    client,
    { what: `scope_missing: ${toList(rules.scopeClaim).join(', ')} has no scope of this gateway`, fix: where ?? map },
  ];
}

const formatTime = (seconds: unknown): string => {
  const date = new Date(typeof seconds === 'number' ? seconds * 1000 : Number.NaN);
  return Number.isNaN(date.getTime()) ? 'an unknown time' : date.toISOString();
};

/** As JSON, in ASCII and not endless: a token may hold what controls a terminal. */
const quote = (value: unknown): string =>
  (JSON.stringify(value) ?? 'missing').replace(/[^\x20-\x7e]/g, '?').slice(0, 300);

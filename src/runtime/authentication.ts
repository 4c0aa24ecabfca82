import { hash, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { allScopes } from '../api/index.ts';
import { createAuthenticator } from '../auth/bearer.ts';
import type { AuthenticateRequest } from '../auth/client.ts';
import type { LoadedConfig } from '../config/read.ts';
import { CallerAddresses } from '../http/addresses.ts';
import { limitFailedTokens } from '../http/caller.ts';
import type { RateLimiters } from '../http/shared-limits.ts';
import type { Clock } from '../toolkit/zone.ts';
import type { OpenIssuer } from './issuers.ts';

/** The valid clients of the current configuration. */
export interface Authentication {
  readonly authenticate: AuthenticateRequest;
  /** The configuration of the tokens. */
  readonly loaded: LoadedConfig;
  readonly issuers: readonly OpenIssuer[];
  /** Applies the tokens, limits and issuers of this configuration to all later requests. */
  replace(loaded: LoadedConfig, issuers: readonly OpenIssuer[]): void;
}

/** The authentication of callers. */
interface AuthenticationParts {
  readonly loaded: LoadedConfig;
  readonly issuers: readonly OpenIssuer[];
  readonly trial: TrialToken | undefined;
  readonly clock: Clock;
  readonly limiters: RateLimiters;
}

export function createAuthentication(given: AuthenticationParts): Authentication {
  const { loaded: first, issuers, trial, clock, limiters } = given;
  const { create } = limiters;
  const addresses = new CallerAddresses(first.config.http.trustedProxies);
  let failures = create('failedTokens', first.config.limits.failedTokens);
  const authentication = { loaded: first, issuers, authenticate: (req: IncomingMessage) => current(req), replace };
  let current = createCurrent(first);
  return authentication;

  function replace(loaded: LoadedConfig, others: readonly OpenIssuer[]): void {
    const { failedTokens } = loaded.config.limits;
    if (!isDeepStrictEqual(failures.quota, failedTokens)) failures = create('failedTokens', failedTokens);
    authentication.loaded = loaded;
    authentication.issuers = others;
    current = createCurrent(loaded);
  }

  function createCurrent({ config }: LoadedConfig): AuthenticateRequest {
    const { tokens, maxTokenLength } = config.auth;
    const { issuers } = authentication;
    const isNeeded = !trial?.generated || tokens.length + issuers.length === 0;
    const trialTokens =
      trial && isNeeded ? [{ client: 'trial', sha256: hashToken(trial.token), scopes: allScopes }] : [];
    const now = () => clock.now().getTime();
    const settings = { tokens: [...tokens, ...trialTokens], issuers, maxTokenLength, now };
    return limitFailedTokens(createAuthenticator(settings), addresses, failures);
  }
}

/**
 * See `openIssuers` of `issuers.ts`. Without an issuer, the HTTP client and the cryptography for issuers are not
 * loaded.
 */
export async function openIssuers(
  loaded: LoadedConfig,
  before: readonly OpenIssuer[] = [],
): Promise<readonly OpenIssuer[]> {
  const { jwt, issuers } = loaded.config.auth;
  if (!jwt && issuers.length === 0) return [];
  return (await import('./issuers.ts')).openIssuers(loaded, before);
}

/**
 * A new bearer token with 256 random bits: `puente_<8 hexadecimal digits>_<43 characters of base64url>`. The prefix
 * lets secret scanners find a leaked token. The 8 digits identify a token without revealing it.
 */
export const createToken = (): string =>
  `puente_${randomBytes(4).toString('hex')}_${randomBytes(32).toString('base64url')}`;

/** The form in which the configuration stores a token: its SHA-256 in 64 hexadecimal digits. */
export const hashToken = (token: string): string => hash('sha256', token);

/** A token with every scope, for trials of the gateway. */
export interface TrialToken {
  readonly token: string;
  /** True if it was generated for this run, so that the banner must print it. */
  readonly generated: boolean;
}

/** The token of `PUENTE_TOKEN`, or a new one if no other authentication is configured. Undefined in production. */
export function createTrialToken(
  { config, production }: LoadedConfig,
  given: string | undefined,
): TrialToken | undefined {
  if (production) return undefined;
  if (given) return { token: given, generated: false };
  const { tokens, jwt, issuers } = config.auth;
  return tokens.length === 0 && !jwt && issuers.length === 0 ? { token: createToken(), generated: true } : undefined;
}

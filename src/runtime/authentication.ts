import type { IncomingMessage } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { allScopes } from '../api/index.ts';
import type { LoadedConfig } from '../config/read.ts';
import { createAuthenticator } from '../http/auth/bearer.ts';
import type { AuthenticateRequest } from '../http/auth/client.ts';
import type { JwtSettings } from '../http/auth/jwt.ts';
import { createRequestAuthenticator } from '../http/auth/request-authenticator.ts';
import type { CallerAddresses } from '../http/caller-address.ts';
import type { RateLimiters } from '../http/limits/shared-rate-limiters.ts';
import type { Clock } from '../toolkit/clock.ts';
import { hashToken, type TrialToken } from './trial-token.ts';

/** Who may call, as the configuration last taken over has it. */
export interface Authentication {
  readonly authenticate: AuthenticateRequest;
  readonly issuers: readonly JwtSettings[];
  /** Takes over the tokens and limits of this configuration, and these issuers, for all requests that come from now on. */
  replace(loaded: LoadedConfig, issuers: readonly JwtSettings[]): void;
}

export function createAuthentication(
  first: LoadedConfig,
  issuers: readonly JwtSettings[],
  trial: TrialToken | undefined,
  clock: Clock,
  addresses: CallerAddresses,
  { create }: RateLimiters,
): Authentication {
  let failures = create('failedTokens', first.config.limits.failedTokens);
  const authentication = { issuers, authenticate: (req: IncomingMessage) => current(req), replace };
  let current = createCurrent(first);
  return authentication;

  function replace(loaded: LoadedConfig, others: readonly JwtSettings[]): void {
    const { failedTokens } = loaded.config.limits;
    if (!isDeepStrictEqual(failures.quota, failedTokens)) failures = create('failedTokens', failedTokens);
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
    return createRequestAuthenticator(createAuthenticator(settings), addresses, failures);
  }
}

/** As `openIssuers` of `issuers.ts`. Without an issuer, the HTTP client and the cryptography for them are not loaded. */
export async function openIssuers(
  loaded: LoadedConfig,
  before: readonly JwtSettings[] = [],
): Promise<readonly JwtSettings[]> {
  const { jwt, issuers } = loaded.config.auth;
  if (!jwt && issuers.length === 0) return [];
  return (await import('./issuers.ts')).openIssuers(loaded, before);
}

/** How each is watched. */
export const watchIssuers = async (issuers: readonly JwtSettings[]) =>
  issuers.length === 0 ? [] : issuers.map((await import('./issuers.ts')).watchIssuer);

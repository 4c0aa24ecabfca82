import { isDeepStrictEqual } from 'node:util';
import { allScopes } from '../api/index.ts';
import type { LoadedConfig } from '../config/read.ts';
import { createAuthenticator } from '../http/auth/bearer.ts';
import type { AuthenticateRequest } from '../http/auth/client.ts';
import type { JwtSettings } from '../http/auth/jwt.ts';
import { createRequestAuthenticator } from '../http/auth/request-authenticator.ts';
import type { CallerAddresses } from '../http/caller-address.ts';
import type { RateLimiter } from '../http/limits/rate-limiter.ts';
import type { RateLimiters } from '../http/limits/shared-rate-limiters.ts';
import type { Clock } from '../toolkit/clock.ts';
import { hashToken, type TrialToken } from './trial-token.ts';

/** What stays when the configuration changes. */
export interface AuthenticationOptions {
  readonly trial: TrialToken | undefined;
  readonly clock: Clock;
  readonly addresses: CallerAddresses;
  readonly limiters: Pick<RateLimiters, 'create'>;
}

/** Who may call, as the configuration last taken over has it. */
export class Authentication {
  readonly #options: AuthenticationOptions;
  #failures: RateLimiter;
  #issuers: readonly JwtSettings[];
  #current: AuthenticateRequest;

  constructor(loaded: LoadedConfig, issuers: readonly JwtSettings[], options: AuthenticationOptions) {
    this.#options = options;
    this.#failures = this.#createFailures(loaded);
    this.#issuers = issuers;
    this.#current = this.#create(loaded, issuers);
  }

  readonly authenticate: AuthenticateRequest = (req) => this.#current(req);

  get issuers(): readonly JwtSettings[] {
    return this.#issuers;
  }

  /** Takes over the tokens and limits of this configuration, and these issuers, for all requests that come from now on. */
  replace(loaded: LoadedConfig, issuers: readonly JwtSettings[]): void {
    const { failedTokens } = loaded.config.limits;
    if (!isDeepStrictEqual(this.#failures.quota, failedTokens)) this.#failures = this.#createFailures(loaded);
    this.#issuers = issuers;
    this.#current = this.#create(loaded, issuers);
  }

  #createFailures({ config }: LoadedConfig): RateLimiter {
    return this.#options.limiters.create('failedTokens', config.limits.failedTokens);
  }

  #create({ config }: LoadedConfig, issuers: readonly JwtSettings[]): AuthenticateRequest {
    const { tokens, maxTokenLength } = config.auth;
    const { trial: given, clock, addresses } = this.#options;
    const trial = given?.generated && tokens.length + issuers.length > 0 ? undefined : given;
    const trialTokens = trial ? [{ client: 'trial', sha256: hashToken(trial.token), scopes: allScopes }] : [];
    const now = () => clock.now().getTime();
    return createRequestAuthenticator(
      createAuthenticator({ tokens: [...tokens, ...trialTokens], issuers, maxTokenLength, now }),
      addresses,
      this.#failures,
    );
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

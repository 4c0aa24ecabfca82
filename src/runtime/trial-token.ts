import { hash, randomBytes } from 'node:crypto';
import type { LoadedConfig } from '../config/read.ts';

/**
 * A new bearer token with 256 random bits: `puente_<8 hexadecimal digits>_<43 characters of base64url>`. The prefix lets
 * secret scanners find a leaked token; the 8 digits identify a token without revealing it.
 */
export const createToken = (): string =>
  `puente_${randomBytes(4).toString('hex')}_${randomBytes(32).toString('base64url')}`;

/** The form in which the configuration stores a token: SHA-256 of all of it, in 64 hexadecimal digits. */
export const hashToken = (token: string): string => hash('sha256', token);

/** A token with every scope, for trying out the gateway. */
export interface TrialToken {
  readonly token: string;
  /** It was generated for this run, so the banner has to show it. */
  readonly generated: boolean;
}

/** The token of `PUENTE_TOKEN`, or a new one if no other authentication is configured; none in production. */
export function createTrialToken(
  { config, production }: LoadedConfig,
  given: string | undefined,
): TrialToken | undefined {
  if (production) return undefined;
  if (given) return { token: given, generated: false };
  const { tokens, jwt, issuers } = config.auth;
  return tokens.length === 0 && !jwt && issuers.length === 0 ? { token: createToken(), generated: true } : undefined;
}

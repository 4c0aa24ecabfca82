import { hash, randomBytes } from 'node:crypto';
import type { Loaded } from '../config/read.ts';

/**
 * A new bearer token with 256 random bits: `puente_<8 hexadecimal digits>_<43 characters of base64url>`. The first part
 * names the token in conversations, the fixed beginning lets scanners find one that leaked.
 */
export const createToken = (): string =>
  `puente_${randomBytes(4).toString('hex')}_${randomBytes(32).toString('base64url')}`;

/** What configuration keeps of a token: SHA-256 of the whole of it, in 64 hexadecimal digits. */
export const hashToken = (token: string): string => hash('sha256', token);

/** A token with every scope for trying the gateway out. */
export interface TrialToken {
  readonly token: string;
  /** It was made for this run, and nobody knows it yet. */
  readonly made: boolean;
}

/** The token of `PUENTE_TOKEN`, or a new one where nobody could get in otherwise; none in production. */
export function createTrialToken({ config, production }: Loaded, given: string | undefined): TrialToken | undefined {
  if (production) return undefined;
  if (given) return { token: given, made: false };
  const { tokens, jwt } = config.auth;
  return tokens.length === 0 && !jwt ? { token: createToken(), made: true } : undefined;
}

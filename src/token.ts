import { hash, randomBytes } from 'node:crypto';

/**
 * A new bearer token with 256 random bits: `puente_<8 hexadecimal digits>_<43 characters of base64url>`. The first part
 * names the token in conversations, the fixed beginning lets scanners find one that leaked.
 */
export const newToken = (): string =>
  `puente_${randomBytes(4).toString('hex')}_${randomBytes(32).toString('base64url')}`;

/** What configuration keeps of a token: SHA-256 of the whole of it, in 64 hexadecimal digits. */
export const tokenHash = (token: string): string => hash('sha256', token);

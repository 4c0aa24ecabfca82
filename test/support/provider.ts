import { exportJWK, generateKeyPair, type JSONWebKeySet, SignJWT } from 'jose';
import type { JwtSettings } from '../../src/auth/jwt.ts';
import { IssuerClock } from '../../src/auth/remote-keys.ts';
import { jwt } from '../../src/config/jwt.ts';

/** An identity provider with one key, RS256 unless told otherwise, which signs whatever it is given. */
export async function createProvider(alg = 'RS256') {
  const { publicKey, privateKey } = await generateKeyPair(alg);
  const keys: JSONWebKeySet = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k1', alg, use: 'sig' }] };
  return {
    keys,
    sign: (header: Record<string, unknown>, claims: Record<string, unknown>): Promise<string> =>
      new SignJWT(claims).setProtectedHeader({ alg, kid: 'k1', ...header }).sign(privateKey),
  };
}

/** `auth.jwt` as a configuration has it, with keys that are there. */
export const toIssuer = (
  given: object,
  keys: JwtSettings['keys'],
  introspection?: JwtSettings['introspection'],
): JwtSettings => ({
  ...jwt.parse({ jwksUri: 'https://id.invalid/keys', ...given }),
  keys,
  clock: new IssuerClock(),
  introspection,
});

/** Seconds since 1970. */
export const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;

import { randomUUID } from 'node:crypto';
import { importJWK, importPKCS8, SignJWT } from 'jose';
import { z } from 'zod';
import { Cached } from '../cached.ts';
import { LoginFailure } from './login-failure.ts';
import { type ClientProof, fetchToken, type Token, type TokenSource } from './token-endpoint.ts';

/** How requests authenticate. */
export interface Credentials {
  /** The value of the `Authorization` header; undefined when there is none. */
  header(signal: AbortSignal): Promise<string | undefined>;
  /** Another value after `stale` was refused, the same one when there is no other. All callers share one renewal. */
  renew(stale: string | undefined, signal: AbortSignal): Promise<string | undefined>;
  /** What the last login failed with; undefined after one that succeeded. */
  readonly failure?: LoginFailure | undefined;
}

/** Credentials that never change. */
export const createFixedCredentials = (header?: string): Credentials => ({
  header: async () => header,
  renew: async () => header,
});

export const createBasicCredentials = (user: string, password: string): Credentials =>
  createFixedCredentials(`Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`);

export const createBearerCredentials = (token: string): Credentials => createFixedCredentials(`Bearer ${token}`);

/** RFC 6749, 2.3.1: `basic` sends id and secret in a header, `post` in the form. */
export const createSecretProof =
  (clientId: string, secret: string, style: 'basic' | 'post'): ClientProof =>
  async () => {
    if (style === 'post') return { form: { client_id: clientId, client_secret: secret } };
    const pair = [clientId, secret].map((part) => encodeURIComponent(part)).join(':');
    return { form: {}, headers: { Authorization: `Basic ${Buffer.from(pair).toString('base64')}` } };
  };

export interface SigningKey {
  readonly clientId: string;
  readonly tokenUrl: string;
  /** PKCS#8 in PEM, or a private JWK in JSON. */
  readonly key: string;
  readonly keyId: string;
  readonly algorithm: 'RS384' | 'ES384';
  /** Default: the token URL. */
  readonly assertionAudience?: string | undefined;
}

/** Seconds for which an assertion is valid, and by which it begins early: the server's clock may be behind ours. */
const ASSERTION_SECONDS = 240;
const BACKDATED_SECONDS = 5;

/**
 * A signed assertion, valid for four minutes and once (RFC 7523; SMART App Launch 2, Backend Services). It says when it was
 * issued too, without which Keycloak takes none.
 * @throws Error when the key cannot be used with the algorithm.
 */
export async function createKeyProof(signing: SigningKey): Promise<ClientProof> {
  const { clientId, tokenUrl, key, keyId, algorithm, assertionAudience = tokenUrl } = signing;
  const signingKey = key.startsWith('{')
    ? await importJWK(z.looseObject({ kty: z.string() }).parse(JSON.parse(key)), algorithm)
    : await importPKCS8(key, algorithm);
  return async () => {
    const now = Math.floor(Date.now() / 1000);
    const assertion = await new SignJWT()
      .setProtectedHeader({ alg: algorithm, kid: keyId, typ: 'JWT' })
      .setIssuer(clientId)
      .setSubject(clientId)
      .setAudience(assertionAudience)
      .setJti(randomUUID())
      .setIssuedAt(now - BACKDATED_SECONDS)
      .setNotBefore(now - BACKDATED_SECONDS)
      .setExpirationTime(now + ASSERTION_SECONDS)
      .sign(signingKey);
    const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
    return { form: { client_assertion_type: type, client_assertion: assertion } };
  };
}

/** Milliseconds before its end from which a token is renewed, unless half of its time is shorter. */
const EARLY_MS = 600_000;
/** Milliseconds for which a token is kept that is refused although it has just been renewed: another one would be too. */
const RENEWAL_PAUSE_MS = 10_000;

const computeEarlyMs = ({ validMs }: Token): number => Math.min(validMs / 2, EARLY_MS);

/**
 * OAuth 2 client credentials (RFC 6749, 4.4): one token for all, used until it expires. From half of its time on, or ten
 * minutes before its end, another one is fetched, for which nobody waits. Failed logins are repeated at growing intervals.
 */
export class ClientCredentials implements Credentials {
  readonly #token: Cached<Token>;
  #renewedAt = Number.NEGATIVE_INFINITY;
  #failure: LoginFailure | undefined;

  constructor(source: TokenSource) {
    this.#token = new Cached(({ signal }) => this.#logIn(source, signal), {
      ttlMs: (token) => token.validMs - computeEarlyMs(token),
      staleMs: computeEarlyMs,
      inBackground: true,
      timeoutMs: source.timeout,
    });
  }

  get failure(): LoginFailure | undefined {
    return this.#failure;
  }

  async header(signal: AbortSignal): Promise<string> {
    return (await this.#token.get({ signal })).header;
  }

  async renew(stale: string | undefined, signal: AbortSignal): Promise<string> {
    const current = await this.header(signal);
    if (current !== stale || performance.now() < this.#renewedAt + RENEWAL_PAUSE_MS) return current;
    const { header } = await this.#token.reload({ signal });
    this.#renewedAt = performance.now();
    return header;
  }

  async #logIn(source: TokenSource, signal: AbortSignal): Promise<Token> {
    try {
      const token = await fetchToken(source, signal);
      this.#failure = undefined;
      return token;
    } catch (error) {
      this.#failure = error instanceof LoginFailure ? error : undefined;
      throw error;
    }
  }
}

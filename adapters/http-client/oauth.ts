import { randomUUID } from 'node:crypto';
import type { AxiosInstance } from 'axios';
import { importJWK, importPKCS8, SignJWT } from 'jose';
import { z } from 'zod';
import { Failure } from '../../src/ports/index.ts';
import { Cached } from '../cached.ts';
import { badAnswer, getCauseCode, toNetworkFailure } from './failures.ts';
import { parseJsonObject } from './json.ts';

/** How requests authenticate. */
export interface Credentials {
  /** The value of the `Authorization` header; undefined when there is none. */
  header(signal: AbortSignal): Promise<string | undefined>;
  /** Another value after `stale` was refused, the same one when there is no other. All callers share one renewal. */
  renew(stale: string | undefined, signal: AbortSignal): Promise<string | undefined>;
}

/** Credentials that never change. */
export const createFixedCredentials = (header?: string): Credentials => ({
  header: async () => header,
  renew: async () => header,
});

export const createBasicCredentials = (user: string, password: string): Credentials =>
  createFixedCredentials(`Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`);

export const createBearerCredentials = (token: string): Credentials => createFixedCredentials(`Bearer ${token}`);

/** How a client authenticates at a token endpoint: fields of the form, and headers. */
export type ClientProof = () => Promise<{ form: Record<string, string>; headers?: Record<string, string> }>;

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
}

/** Seconds for which an assertion is valid, and by which it begins early: the server's clock may be behind ours. */
const ASSERTION_SECONDS = 240;
const BACKDATED_SECONDS = 5;

/**
 * A signed assertion, valid for four minutes and once (RFC 7523; SMART App Launch 2, Backend Services). It says when it was
 * issued too, without which Keycloak takes none.
 * @throws Error when the key cannot be used with the algorithm.
 */
export async function createKeyProof({ clientId, tokenUrl, key, keyId, algorithm }: SigningKey): Promise<ClientProof> {
  const signingKey = key.startsWith('{')
    ? await importJWK(z.looseObject({ kty: z.string() }).parse(JSON.parse(key)), algorithm)
    : await importPKCS8(key, algorithm);
  return async () => {
    const now = Math.floor(Date.now() / 1000);
    const assertion = await new SignJWT()
      .setProtectedHeader({ alg: algorithm, kid: keyId, typ: 'JWT' })
      .setIssuer(clientId)
      .setSubject(clientId)
      .setAudience(tokenUrl)
      .setJti(randomUUID())
      .setIssuedAt(now - BACKDATED_SECONDS)
      .setNotBefore(now - BACKDATED_SECONDS)
      .setExpirationTime(now + ASSERTION_SECONDS)
      .sign(signingKey);
    const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
    return { form: { client_assertion_type: type, client_assertion: assertion } };
  };
}

export interface TokenSource {
  readonly http: AxiosInstance;
  readonly tokenUrl: string;
  readonly scope?: string;
  /** Milliseconds for one request to the token endpoint. */
  readonly timeout: number;
  readonly prove: ClientProof;
}

interface Token {
  readonly header: string;
  /** Milliseconds from its arrival until another one is fetched. */
  readonly ttlMs: number;
}

const tokenAnswer = z.looseObject({ access_token: z.string().min(1), expires_in: z.number().positive().optional() });

/** OAuth 2 client credentials (RFC 6749, 4.4): one token for all, fetched again 30 seconds before it expires. */
export class ClientCredentials implements Credentials {
  readonly #token: Cached<Token>;

  constructor(source: TokenSource) {
    const options = { ttlMs: ({ ttlMs }: Token) => ttlMs, timeoutMs: source.timeout };
    this.#token = new Cached(({ signal }) => fetchToken(source, signal), options);
  }

  async header(signal: AbortSignal): Promise<string> {
    return (await this.#token.get({ signal })).header;
  }

  async renew(stale: string | undefined, signal: AbortSignal): Promise<string> {
    this.#token.drop(({ header }) => header === stale);
    return this.header(signal);
  }
}

async function fetchToken({ http, tokenUrl, scope, prove }: TokenSource, signal: AbortSignal): Promise<Token> {
  try {
    const { form, headers } = await prove();
    const fields = { grant_type: 'client_credentials', ...(scope !== undefined && { scope }), ...form };
    const reply = await http.request<Uint8Array>({
      method: 'POST',
      url: tokenUrl,
      data: Buffer.from(new URLSearchParams(fields).toString()),
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json', ...headers },
      signal,
    });
    if (reply.status !== 200) throw badAnswer(`HTTP_${reply.status}`);
    const contentType = String(reply.headers['content-type'] ?? '');
    const { data: answer } = tokenAnswer.safeParse(parseJsonObject(reply.data, contentType));
    if (!answer) throw badAnswer('bad_token_answer');
    const seconds = answer.expires_in ?? 300;
    return { header: `Bearer ${answer.access_token}`, ttlMs: Math.max(seconds - 30, seconds / 2) * 1000 };
  } catch (error) {
    const failure = toNetworkFailure(error, false);
    const code = getCauseCode(failure) ?? failure.kind;
    throw new Failure('unavailable', 'no access token could be obtained', { code: 'backend_auth', cause: { code } });
  }
}

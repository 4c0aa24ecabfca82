import { randomUUID } from 'node:crypto';
import type { Axios, AxiosResponse } from 'axios';
import { importJWK, importPKCS8, SignJWT } from 'jose';
import { z } from 'zod';
import { Cached } from '../toolkit/cached.ts';
import { readCertificates, requireClientCertificate } from '../toolkit/certificates.ts';
import { SettingsProblem } from '../toolkit/problems.ts';
import { type auth, readProxy, readSecret, type tls } from '../toolkit/secret.ts';
import { parseJsonObject } from './answer-size.ts';
import { createByteClient } from './axios.ts';
import type { HttpOptions } from './exchange.ts';
import { getCauseCode, sendAgainIfBroken, toNetworkFailure } from './failures.ts';
import { findLoginReason, LoginFailure } from './login-failure.ts';

/** The credentials for requests to a system. */
export interface Credentials {
  /** The value of the `Authorization` header. Undefined if there is none. */
  header(signal: AbortSignal): Promise<string | undefined>;
  /**
   * Returns a new value after the server refused `stale`, or the same value if there is no other. All callers share one
   * renewal.
   */
  renew(stale: string | undefined, signal: AbortSignal): Promise<string | undefined>;
  /** The failure of the last login. Undefined if it succeeded. */
  readonly failure?: LoginFailure | undefined;
}

/** Credentials that never change. */
export const createFixedCredentials = (header?: string): Credentials => ({
  header: async () => header,
  renew: async () => header,
});

const createBasicCredentials = (user: string, password: string): Credentials =>
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

/**
 * The validity of an assertion in seconds. It also begins earlier by this time, because the server's clock may be slow.
 */
const ASSERTION_SECONDS = 240;
const BACKDATED_SECONDS = 5;

/**
 * Creates signed assertions, each valid for four minutes and once (RFC 7523; SMART App Launch 2, Backend Services). An
 * assertion has its issue time too, because Keycloak requires it.
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

/** A token is renewed this number of milliseconds before its end, or at half of its lifetime if that is later. */
const EARLY_MS = 600_000;
/** Milliseconds without another renewal after the server refuses a new token: a further token would be refused too. */
const RENEWAL_PAUSE_MS = 10_000;

const computeEarlyMs = ({ validMs }: Token): number => Math.min(validMs / 2, EARLY_MS);

/**
 * OAuth 2 client credentials (RFC 6749, 4.4): one token for all requests until it expires. From half of its lifetime
 * on, or ten minutes before its end, a new token is fetched in the background. After failures, logins are retried with
 * growing pauses.
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

export interface Access {
  readonly auth: z.output<typeof auth>;
  readonly tls: z.output<typeof tls>;
}

/**
 * Reads the TLS files and the key of the settings, in PEM.
 * @param section of the settings, for the problems.
 * @throws SettingsProblem when a file or the key is missing, or a connection could not use it.
 */
export function readTls({ tls: { ca, cert, key } }: Pick<Access, 'tls'>, section: string = 'tls'): HttpOptions['tls'] {
  const read = {
    ca: ca && readCertificates(ca, `${section}.ca`),
    cert: cert && readCertificates(cert, `${section}.cert`),
    key: key && readSecret(key, `${section}.key`),
  };
  const names = { cert: `${section}.cert`, key: `${section}.key` };
  requireClientCertificate(read, names, (name, what) => new SettingsProblem(name, [what]));
  return read;
}

/**
 * Creates the credentials of a system. Only the system's own origin receives the client certificate.
 * @param options of the requests to the system.
 * @param section of the settings, for the problems.
 * @throws SettingsProblem when a secret is missing, or a key cannot be used.
 */
export async function createCredentials(
  { auth }: Pick<Access, 'auth'>,
  base: string,
  options: HttpOptions,
  section: string = 'auth',
): Promise<Credentials> {
  if (auth.kind === 'none') return createFixedCredentials();
  if (auth.kind === 'basic') return createBasicCredentials(auth.user, readSecret(auth.password, `${section}.password`));
  if (auth.kind === 'bearer') return createBearerCredentials(readSecret(auth.token, `${section}.token`));
  const { tokenUrl, scope, clientId, parameters, proxy } = auth;
  const toLogin = new URL(tokenUrl).origin === new URL(base).origin ? options : forOthers(options);
  const way = { ...toLogin, proxy: proxy && readProxy(proxy, `${section}.proxy`) };
  const prove =
    auth.kind === 'oauth2-secret'
      ? createSecretProof(clientId, readSecret(auth.clientSecret, `${section}.clientSecret`), auth.style)
      : await createKeyProof({ ...auth, key: readSecret(auth.privateKey, `${section}.privateKey`) }).catch(() => {
          const problem = `the key is not a private key for ${auth.algorithm} in PKCS#8 PEM or JWK`;
          throw new SettingsProblem(`${section}.privateKey`, [problem]);
        });
  const http = createByteClient(way);
  return new ClientCredentials({ http, tokenUrl, scope, parameters, timeout: options.timeout, prove });
}

/** The options without the client certificate, for other hosts. */
export const forOthers = (options: HttpOptions): HttpOptions => ({ ...options, tls: { ca: options.tls.ca } });

/** The client's authentication at a token endpoint: fields of the form, and headers. */
export type ClientProof = () => Promise<{ form: Record<string, string>; headers?: Record<string, string> }>;

export interface TokenSource {
  readonly http: Axios;
  readonly tokenUrl: string;
  readonly scope?: string | undefined;
  /** Further fields of the form, e.g. `audience` or `resource`. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** The time limit of one request to the token endpoint in milliseconds. */
  readonly timeout: number;
  readonly prove: ClientProof;
}

export interface Token {
  /** The value of the `Authorization` header. */
  readonly header: string;
  /** The validity in milliseconds. */
  readonly validMs: number;
}

/** A number (RFC 6749, 5.1). Some servers send it as text. */
const seconds = z.union([z.number(), z.string().trim().min(1).pipe(z.coerce.number())]).pipe(z.number().positive());
const tokenAnswer = z.looseObject({ access_token: z.string().min(1), expires_in: seconds.default(300) });

/** The OAuth error. Other text than a code is ignored, because the error is logged. */
const errorAnswer = z.object({
  error: z
    .string()
    .regex(/^[a-z]+(_[a-z]+){0,5}$/)
    .max(40)
    .optional()
    .catch(undefined),
  error_description: z.string().optional().catch(undefined),
});

/**
 * Fetches a token for client credentials (RFC 6749, 4.4). If a connection breaks, it sends the request once more.
 * @throws LoginFailure
 */
export async function fetchToken(source: TokenSource, signal: AbortSignal): Promise<Token> {
  const sentAt = performance.now();
  const { host } = new URL(source.tokenUrl);
  const reply = await sendAgainIfBroken(() => sendLogin(source, signal), signal).catch((error: unknown) => {
    const failure = toNetworkFailure(error, false);
    const reason = failure.kind === 'bad_answer' ? 'login_bad_answer' : 'login_unreachable';
    throw new LoginFailure(reason, host, getCauseCode(failure) ?? failure.kind);
  });
  if (reply.status !== 200) throw toRefusal(reply, host);
  const answer = tokenAnswer.safeParse(readBody(reply));
  if (!answer.success) throw new LoginFailure('login_bad_answer', host, 'bad_token_answer');
  const validMs = answer.data.expires_in * 1000 - (performance.now() - sentAt);
  return { header: `Bearer ${answer.data.access_token}`, validMs: Math.max(validMs, 0) };
}

interface LoginReply extends Pick<AxiosResponse<Uint8Array>, 'status' | 'data' | 'headers'> {
  readonly signed: boolean;
}

async function sendLogin(source: TokenSource, signal: AbortSignal): Promise<LoginReply> {
  const { http, tokenUrl, scope, parameters, prove } = source;
  const { form, headers } = await prove();
  const fields = { ...parameters, grant_type: 'client_credentials', ...(scope !== undefined && { scope }), ...form };
  const options = { headers: { Accept: 'application/json', ...headers }, signal };
  const reply = await http.post<Uint8Array>(tokenUrl, String(new URLSearchParams(fields)), options);
  return { status: reply.status, data: reply.data, headers: reply.headers, signed: 'client_assertion' in form };
}

function toRefusal(reply: LoginReply, host: string): LoginFailure {
  const { status, headers, signed } = reply;
  const { error, error_description: description } = errorAnswer.safeParse(readBody(reply)).data ?? {};
  const clockOffset = Date.parse(String(headers.date)) - Date.now();
  const reason = findLoginReason({ status, signed, error, description, clockOffset });
  return new LoginFailure(reason, host, error ?? `HTTP_${status}`);
}

/** Parses the JSON object in a body. Undefined if there is none. */
function readBody({ data, headers }: LoginReply): unknown {
  try {
    return parseJsonObject(data, String(headers['content-type'] ?? ''));
  } catch {
    return undefined;
  }
}

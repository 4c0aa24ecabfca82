import { randomUUID } from 'node:crypto';
import { type CryptoKey, errors, jwtVerify } from 'jose';
import type { Auth } from './quirks.ts';
import type { LoggedRequest } from './request-log.ts';
import { type Answer, toJsonAnswer } from './response.ts';

/** Seconds: how old an assertion may be, how far its time may lie ahead, and how long it may be valid. */
const OLDEST = 60;
const SKEW = 15;
const LONGEST = 300;

/**
 * Lets callers in, and issues tokens like an OAuth 2.0 authorisation server (RFC 6749 section 4.4, RFC 7523). Of a client
 * with a key it demands what Keycloak 26 and SMART Backend Services demand together, and describes errors as Keycloak does.
 */
export class OAuthServer {
  readonly #tokenUrl: string;
  readonly #auth: () => Auth;
  readonly #expiry = new Map<string, number>();
  readonly #assertions = new Set<string>();
  #issued = 0;

  constructor(tokenUrl: string, auth: () => Auth) {
    this.#tokenUrl = tokenUrl;
    this.#auth = auth;
  }

  /** How many tokens were issued. */
  get issued(): number {
    return this.#issued;
  }

  /** From now on every token that was issued is refused. */
  expireAll(): void {
    this.#expiry.clear();
  }

  reset(): void {
    this.#issued = 0;
    this.#expiry.clear();
    this.#assertions.clear();
  }

  /** Whether the request carries the credentials that are asked for. */
  isAuthorized({ headers: { authorization } }: LoggedRequest): boolean {
    const auth = this.#auth();
    switch (auth.kind) {
      case 'none':
        return true;
      case 'basic':
        return authorization === formatBasic(auth.user, auth.password);
      case 'bearer':
        return authorization === `Bearer ${auth.token}`;
      case 'oauth':
        return (this.#expiry.get(authorization?.replace(/^Bearer /, '') ?? '') ?? 0) > Date.now();
    }
  }

  /** The answer of the token endpoint. */
  async issueToken(request: LoggedRequest): Promise<Answer> {
    const auth = this.#auth();
    const form = new URLSearchParams(request.body);
    if (auth.kind !== 'oauth' || request.method !== 'POST') return toJsonAnswer(404, { error: 'not_found' });
    if (form.get('grant_type') !== 'client_credentials') return toJsonAnswer(400, { error: 'unsupported_grant_type' });
    const problem = await this.#findProblem(auth, form, request.headers.authorization);
    if (problem) return problem;
    const token = randomUUID();
    this.#issued += 1;
    this.#expiry.set(token, Date.now() + auth.expiresIn * 1000);
    const scope = form.get('scope') ?? 'system/*.*';
    return toJsonAnswer(200, { access_token: token, token_type: 'Bearer', expires_in: auth.expiresIn, scope });
  }

  async #findProblem(
    auth: Auth & { kind: 'oauth' },
    form: URLSearchParams,
    header: string | undefined,
  ): Promise<Answer | undefined> {
    const { clientId, clientSecret, publicKey, scopes } = auth;
    const unknown = scopes && (form.get('scope') ?? '').split(' ').find((scope) => scope && !scopes.includes(scope));
    const outside = unknown === undefined ? undefined : refuse(400, 'invalid_scope', `Invalid scopes: ${unknown}`);
    if (clientSecret !== undefined) {
      const inBody = form.get('client_id') === clientId && form.get('client_secret') === clientSecret;
      const isKnown = inBody || header === formatBasic(encodeURIComponent(clientId), encodeURIComponent(clientSecret));
      return isKnown ? outside : refuse(401, 'invalid_client', UNKNOWN_CLIENT);
    }
    const assertion = form.get('client_assertion');
    const asked = form.get('client_assertion_type') === 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
    if (!publicKey || !assertion || !asked)
      return refuse(400, 'invalid_client', 'Parameter client_assertion_type is missing');
    const wrong = await this.#findWrong(assertion, clientId, publicKey);
    if (wrong !== undefined) return refuse(wrong === UNKNOWN_CLIENT ? 401 : 400, 'invalid_client', wrong);
    return form.get('scope') ? outside : refuse(400, 'invalid_scope', 'scope is required');
  }

  /** What is wrong with an assertion, in Keycloak's words where it says it too. */
  async #findWrong(assertion: string, clientId: string, publicKey: CryptoKey): Promise<string | undefined> {
    const now = Date.now() / 1000;
    try {
      const { payload, protectedHeader } = await jwtVerify(assertion, publicKey, {
        algorithms: ['ES384', 'RS384'],
        audience: this.#tokenUrl,
        typ: 'JWT',
      });
      const { iss, sub, jti, exp, iat } = payload;
      if (iss !== clientId || sub !== clientId) return UNKNOWN_CLIENT;
      if (!protectedHeader.kid) return 'Unable to load public key';
      if (!jti) return 'Token jti claim is required';
      if (this.#assertions.has(jti)) return 'Token reuse detected';
      if (exp === undefined || exp > now + LONGEST) return 'Token expiration is too far in the future';
      if (iat === undefined) return 'Token expiration is too far in the future and iat claim not present in token';
      if (iat > now + SKEW) return 'Token was issued in the future';
      if (iat < now - OLDEST) return 'Token was issued too far in the past to be used now';
      this.#assertions.add(jti);
      return undefined;
    } catch (error) {
      if (error instanceof errors.JWTExpired) return 'Token is not active';
      if (error instanceof errors.JWTClaimValidationFailed)
        return error.claim === 'nbf' ? 'Token is not active' : 'Invalid token audience';
      return 'Client authentication with signed JWT failed: Signature on JWT token failed validation';
    }
  }
}

const UNKNOWN_CLIENT = 'Invalid client or Invalid client credentials';

const refuse = (status: number, error: string, error_description: string): Answer =>
  toJsonAnswer(status, { error, error_description });

const formatBasic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

import { randomUUID } from 'node:crypto';
import { jwtVerify } from 'jose';
import type { Auth } from './quirks.ts';
import type { LoggedRequest } from './request-log.ts';
import { type Answer, toJsonAnswer } from './response.ts';

/** Lets callers in, and issues tokens like an OAuth 2.0 authorisation server (RFC 6749 section 4.4, RFC 7523). */
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
    if (!(await this.#isKnownClient(auth, form, request.headers.authorization)))
      return toJsonAnswer(401, { error: 'invalid_client' });
    const token = randomUUID();
    this.#issued += 1;
    this.#expiry.set(token, Date.now() + auth.expiresIn * 1000);
    const scope = form.get('scope') ?? 'system/*.*';
    return toJsonAnswer(200, { access_token: token, token_type: 'Bearer', expires_in: auth.expiresIn, scope });
  }

  async #isKnownClient(
    auth: Auth & { kind: 'oauth' },
    form: URLSearchParams,
    header: string | undefined,
  ): Promise<boolean> {
    const { clientId, clientSecret, publicKey } = auth;
    if (clientSecret !== undefined) {
      const inBody = form.get('client_id') === clientId && form.get('client_secret') === clientSecret;
      return inBody || header === formatBasic(encodeURIComponent(clientId), encodeURIComponent(clientSecret));
    }
    const assertion = form.get('client_assertion');
    const asked = form.get('client_assertion_type') === 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
    if (!publicKey || !assertion || !asked) return false;
    try {
      const { payload } = await jwtVerify(assertion, publicKey, {
        algorithms: ['ES384', 'RS384'],
        issuer: clientId,
        subject: clientId,
        audience: this.#tokenUrl,
        requiredClaims: ['exp', 'jti'],
      });
      const { jti = '', exp = Number.POSITIVE_INFINITY } = payload;
      if (this.#assertions.has(jti) || exp > Date.now() / 1000 + 300) return false;
      this.#assertions.add(jti);
      return true;
    } catch {
      return false;
    }
  }
}

const formatBasic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

import { Failure, type Finding } from '../ports/index.ts';

/** The reason why a token endpoint issued no token, as far as known. */
export type LoginReason =
  | 'login_wrong_client'
  | 'login_wrong_key'
  | 'login_wrong_scope'
  | 'login_wrong_audience'
  | 'login_wrong_clock'
  | 'login_not_allowed'
  | 'login_refused'
  | 'login_unreachable'
  | 'login_bad_answer';

/** The token endpoint issued no token. The request to the target system was not sent. */
export class LoginFailure extends Failure {
  readonly reason: LoginReason;
  /** The host of the token endpoint, with its port unless it is the default. */
  readonly host: string;
  /** The OAuth `error`, or the network code, or `HTTP_` and a status. Never another text of the server. */
  readonly answer: string;

  /** Narrower than that of `Failure`. */
  static override [Symbol.hasInstance](value: unknown): value is LoginFailure {
    return value instanceof Failure && 'reason' in value && 'host' in value;
  }

  constructor(reason: LoginReason, host: string, answer: string) {
    super('unavailable', 'no access token could be obtained', { code: 'backend_auth', cause: { code: reason } });
    this.reason = reason;
    this.host = host;
    this.answer = answer;
  }
}

/** The token endpoint's error answer. */
export interface Refusal {
  readonly status: number;
  /** RFC 6749, 5.2. */
  readonly error?: string | undefined;
  readonly description?: string | undefined;
  /**
   * Milliseconds by which the server's clock differs from this machine's. Absent or NaN if the server sends no time.
   */
  readonly clockOffset?: number;
  /** True if the client authenticated with a key. */
  readonly signed: boolean;
}

/** The clock difference in milliseconds from which servers reject assertions. */
const MAX_CLOCK_OFFSET = 30_000;

/**
 * Error descriptions of Keycloak, Entra ID, Okta and Auth0 that are more precise than the error. The first match
 * counts.
 */
const descriptions: readonly (readonly [RegExp, LoginReason])[] = [
  [/AADSTS(7000215|7000222|700016|7000216|90002)\b/, 'login_wrong_client'],
  [/AADSTS700024\b/, 'login_wrong_clock'],
  [/AADSTS(700023|500011)\b/, 'login_wrong_audience'],
  [/AADSTS(700027|700021|5002730)\b/, 'login_wrong_key'],
  [/AADSTS(70011|1002012)\b/, 'login_wrong_scope'],
  [/not active|issued in the future|issued too far|is expired|not yet valid|issuedAt/i, 'login_wrong_clock'],
  [/signature|public key|signed JWT/i, 'login_wrong_key'],
  [/audience|^Service not found/i, 'login_wrong_audience'],
  [/service account|not authorized|not allowed|grant type/i, 'login_not_allowed'],
  [/invalid (?:client|secret)|client credentials|client secret|client_id|^unauthorized$/i, 'login_wrong_client'],
  [/scope/i, 'login_wrong_scope'],
];

const errors: Readonly<Record<string, LoginReason>> = {
  invalid_client: 'login_wrong_client',
  invalid_scope: 'login_wrong_scope',
  invalid_target: 'login_wrong_audience',
  unauthorized_client: 'login_not_allowed',
  unsupported_grant_type: 'login_not_allowed',
  access_denied: 'login_not_allowed',
};

/** Determines the reason by the clock, the description, the error and the status, in this order. */
export function findLoginReason({ status, error, description = '', clockOffset = 0, signed }: Refusal): LoginReason {
  if (status >= 500 || status === 429) return 'login_unreachable';
  if (signed && error === 'invalid_client' && Math.abs(clockOffset) > MAX_CLOCK_OFFSET) return 'login_wrong_clock';
  if (error === 'invalid_scope') return 'login_wrong_scope';
  const [, reason] = descriptions.find(([pattern]) => pattern.test(description)) ?? [];
  if (reason) return reason;
  const known = error === undefined ? undefined : errors[error];
  if (known) return known;
  if (status === 401) return 'login_wrong_client';
  return error === undefined ? 'login_bad_answer' : 'login_refused';
}

/** The problem at the host, and its fix. */
export const loginFixes: Readonly<Record<LoginReason, readonly [string, string]>> = {
  login_wrong_client: [
    'rejects the client or its secret',
    'check auth.clientId, and that the secret or the key matches the registered one',
  ],
  login_wrong_key: [
    'rejects the key of the client',
    'register the public key there under auth.keyId, and check auth.algorithm',
  ],
  login_wrong_scope: ['does not grant the scope', 'check auth.scope, and that the client has it there'],
  login_wrong_audience: [
    'rejects the audience',
    'check auth.tokenUrl, auth.assertionAudience, and audience or resource in auth.parameters',
  ],
  login_wrong_clock: ['has a clock that differs from this machine’s', 'set both clocks, e.g. by NTP'],
  login_not_allowed: [
    'does not allow the client to log in with its own credentials',
    'allow the grant client_credentials there, and the requested scopes',
  ],
  login_refused: ['refuses the login', 'check its log'],
  login_unreachable: ['cannot be reached or fails', 'check the server, auth.tokenUrl, auth.proxy and tls.ca'],
  login_bad_answer: ['returns no valid token', 'check auth.tokenUrl'],
};

/** One sentence for an operator: the host without a token, and the fix. */
export function describeLoginFailure(failure: LoginFailure): string {
  const { detail, fix } = explainLoginFailure(failure);
  return `${detail}; ${fix}. A valid token remains in use until it expires`;
}

/** The same in two parts: the host without a token, and the fix. */
export function explainLoginFailure({ host, answer, reason }: LoginFailure): Required<Pick<Finding, 'detail' | 'fix'>> {
  const [what, fix] = loginFixes[reason];
  return { detail: `${host} ${what} (${answer})`, fix };
}

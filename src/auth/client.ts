import type { IncomingMessage } from 'node:http';
import type { Scope } from '../api/index.ts';

/** The authenticated sender of a request. */
export interface Client {
  /** The name of an application, for the log; never that of a person. */
  readonly name: string;
  /** What tells it from all other clients, where the name does not. */
  readonly key?: string;
  readonly scopes: ReadonlySet<Scope>;
  /** Whom the token is about, where that is not the client itself; for the audit trail alone. */
  readonly subject?: { readonly issuer: string; readonly id: string } | undefined;
}

/**
 * Identifies the client of a request.
 * @throws Rejection `unauthenticated`, `rate_limited`, or `auth_provider_unavailable` if the token cannot be checked now.
 */
export type AuthenticateRequest = (req: IncomingMessage) => Promise<Client>;

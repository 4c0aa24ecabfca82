import type { Operation, Scope } from '../api/index.ts';
import type { Capability, Impairment, Log, PortName } from '../ports/index.ts';

/** Who sends a request, as its token proves. */
export interface Client {
  readonly name: string;
  readonly scopes: ReadonlySet<Scope>;
}

/**
 * Who the bearer of an `Authorization` header is.
 * @throws Rejection `unauthenticated`, or `auth_provider_unavailable` when it cannot be found out now.
 */
export type Authenticate = (authorization: string | undefined) => Promise<Client>;

/** Limits of the HTTP side; times in milliseconds, sizes in bytes. */
export interface HttpLimits {
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  readonly keepAliveTimeout: number;
  readonly maxHeaderSize: number;
  readonly maxConnections: number;
  /** How long a read, and how long a write, may take from the last byte of the request to the answer. */
  readonly readDeadline: number;
  readonly writeDeadline: number;
}

/** Everything that the HTTP side needs of the rest of the house; the composition root fills it in. */
export interface Gateway {
  readonly version: string;
  /** With the routes that configuration gave to Group B. */
  readonly operations: readonly Operation[];
  /** The adapter's implementation of a port, resolved once: there for every capability that it supports. */
  port(name: PortName): unknown;
  /** The name of the adapter. */
  readonly adapter: string;
  readonly supports: ReadonlySet<Capability>;
  readonly log: Log;
  /** What keeps the adapter from doing all that it supports, as far as it is known; asks no other system. */
  readonly impairments: () => readonly Impairment[];
  /** The process is stopping: it finishes what it has begun. */
  readonly draining: () => boolean;
  readonly authenticate: Authenticate;
  /** Operations of Group A take requests without a token. */
  readonly anonymousGroupA: boolean;
  /** `/capabilities` takes requests without a token. */
  readonly openOps: boolean;
  /** Prefix of every path, `` or `/something`. */
  readonly basePath: string;
  readonly limits: HttpLimits;
  readonly compat: { readonly unknownFields: 'reject' | 'ignore'; readonly strictStatusCodes: boolean };
}

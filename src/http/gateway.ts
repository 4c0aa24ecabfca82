import type { RequestHandler } from 'express';
import type { Operation } from '../api/index.ts';
import type { Audit } from '../audit/audit.ts';
import type { Guard } from '../guard/guard.ts';
import type { Idempotency } from '../guard/idempotency/idempotency.ts';
import type { AdapterImpairment, Capability, Log, PortName } from '../ports/index.ts';
import type { Clock } from '../toolkit/clock.ts';
import type { AuthenticateRequest } from './auth/client.ts';
import type { Refusals } from './auth/refusal.ts';
import type { CallerAddresses } from './caller-address.ts';
import type { ConnectionLimits } from './connections.ts';
import type { ClientLimits } from './limits/client-limits.ts';
import type { OmittedRecords } from './omitted-records.ts';
import type { BodyBudget } from './operations/body-budget.ts';
import type { RunningWrites } from './running-writes.ts';

/** Limits of the HTTP server; times in milliseconds, sizes in bytes. */
export interface HttpLimits extends ConnectionLimits {
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  readonly keepAliveTimeout: number;
  readonly maxHeaderSize: number;
  /** Bytes of bodies in flight, over all connections. */
  readonly maxBodyBytes: number;
  /** The maximum time from a complete request to its response, for reads and for writes. */
  readonly readDeadline: number;
  readonly writeDeadline: number;
}

/** Metrics as a text. */
export interface Exposition {
  readonly contentType: string;
  render(): Promise<string>;
}

/** What `src/http` needs from the rest of the gateway. `src/runtime/gateway-module.ts` creates it. */
export interface Gateway {
  readonly version: string;
  /** Its name, for people, and its time zone. */
  readonly institution: { readonly name?: string | undefined; readonly timeZone: string };
  /** All operations, Group B with its configured routes. */
  readonly operations: readonly Operation[];
  /** The implementation of a port, resolved once: there for every capability of it in `supports`. */
  port(name: PortName): unknown;
  /** The names of the adapters, the default one first. */
  readonly adapters: readonly string[];
  /** The name of the adapter that has a method, whether it offers it or not. */
  findOwner(capability: Capability): string;
  readonly supports: ReadonlySet<Capability>;
  readonly log: Log;
  readonly clock: Clock;
  /** What is known to limit the gateway now; calls no other system. */
  readonly impairments: () => readonly AdapterImpairment[];
  /** Whether the process is shutting down. */
  readonly draining: () => boolean;
  readonly authenticate: AuthenticateRequest;
  readonly addresses: CallerAddresses;
  readonly clientLimits: ClientLimits;
  /** Operations of Group A accept requests without a token. */
  readonly anonymousGroupA: boolean;
  /** `/capabilities` and `/metrics` accept requests without a token. */
  readonly openOps: boolean;
  /** What `/metrics` shows; undefined where it is not served. */
  readonly metrics: Exposition | undefined;
  /** Whether the pages and the OpenAPI document are served. */
  readonly docs: boolean;
  /** Prefix of every path, `` or `/something`. */
  readonly basePath: string;
  /** The deployer's own, which every request passes before the operations and the pages. */
  readonly middleware: readonly RequestHandler[];
  readonly limits: HttpLimits;
  readonly guard: Guard;
  readonly bodies: BodyBudget;
  /** The names of the clients whose bodies may be packed (`Content-Encoding`). */
  readonly packedBodies: ReadonlySet<string>;
  /** What a shutdown waits for. */
  readonly runningWrites: RunningWrites;
  /** What lists left out since the start. */
  readonly omittedRecords: OmittedRecords;
  /** Why requests were refused since the start. */
  readonly refusals: Refusals;
  readonly idempotency: Idempotency;
  /** Undefined where no trail is kept. */
  readonly audit?: Audit | undefined;
  /** The names of the operations that accept no request without an `Idempotency-Key`. */
  readonly idempotencyRequired: ReadonlySet<string>;
  /** What its adapter lets be sent again when its outcome is unknown. */
  readonly retryableWrites: ReadonlySet<Capability>;
  readonly compat: { readonly unknownFields: 'reject' | 'ignore'; readonly strictStatusCodes: boolean };
}

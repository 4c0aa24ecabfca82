import { AsyncLocalStorage } from 'node:async_hooks';
import { type Channel, type TracingChannel, tracingChannel } from 'node:diagnostics_channel';

/** A request of a caller. Optional fields are set by its end; a field that is then absent does not apply. */
export interface ServedRequest {
  readonly method: string;
  /** As received. The caller may have sent anything. */
  readonly traceparent: string | string[] | undefined;
  /** The name of the operation, or the method and path template of another route; `*` for an unknown route. */
  operation?: string;
  /** The method and path template, e.g. `GET /patients/{id}`. Absent for an unknown route. */
  route?: string | undefined;
  /** The name of the adapter of the operation. */
  adapter?: string | undefined;
  /** 499 if the caller disconnected. */
  status?: number;
  seconds?: number;
  /** The code of the problem, and the code of its cause. */
  code?: string | undefined;
  cause?: string | undefined;
  requestId?: string;
  /** The client's name and the key of its limits. No label and no attribute has them. */
  client?: string | undefined;
  limitKey?: string | undefined;
  /** The reason for refusing the token. */
  refusal?: string | undefined;
  /** True if it repeated the response of an earlier request with the same key. */
  replayed?: boolean | undefined;
  /** The number of records that the list omits. */
  omitted?: number | undefined;
}

/** A request to another system. */
export interface OutgoingRequest {
  readonly method: string;
  /** The host and port from the configuration. Never the path. */
  readonly server: URL;
  /** The headers to send. A subscriber may add one. */
  readonly headers: Record<string, string>;
  /**
   * Returns the number of the client's requests that wait for a connection. Only for a client with a connection limit.
   */
  readonly countWaiting?: () => number;
  result?: { readonly message: { readonly statusCode?: number | undefined } };
  error?: unknown;
}

/** The numbers of connections to a database and of waiting callers. */
export interface ConnectionPool {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

/** A statement of SQL. */
export interface TracedStatement {
  /** The kind of database by OpenTelemetry's name: `postgresql`, `sqlite` ... */
  readonly system: string;
  /** With placeholders for its values. */
  readonly sql: string;
  readonly pool?: ConnectionPool | undefined;
  error?: unknown;
}

/** A call that waits in the guard for another one to end. */
export interface GuardWait {
  readonly adapter: string;
  readonly port: string;
  readonly class: string;
}

/**
 * The channels of `node:diagnostics_channel` that feed metrics and traces. Without a subscriber they cost nothing.
 * Channels belong to the process, not to one gateway.
 */
export const telemetry = {
  request: tracingChannel<unknown, ServedRequest>('puente:request'),
  outgoing: tracingChannel<unknown, OutgoingRequest>('puente:outgoing'),
  statement: tracingChannel<unknown, TracedStatement>('puente:statement'),
  guardWait: tracingChannel<unknown, GuardWait>('puente:guard-wait'),
} as const;

/** The trace of a request. */
export interface Trace {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
}

/** The trace of the current caller. Undefined unless tracing is on. */
export const currentTrace = new AsyncLocalStorage<Trace>();

/** Runs the work, and notifies subscribers of the channel of its start and end. */
export function trace<C extends object, T>(
  channel: TracingChannel<unknown, C>,
  describe: () => C,
  work: () => Promise<T>,
): Promise<T> {
  return channel.hasSubscribers ? channel.tracePromise(work, describe()) : work();
}

/** Calls the listener with each published value until the returned function is called. */
export function subscribe<C>(channel: Channel<unknown, C>, listen: (told: C) => void): () => void;
// Node's types have no type for the values of a channel.
export function subscribe(channel: Channel, listen: (told: unknown) => void): () => void {
  channel.subscribe(listen);
  return () => void channel.unsubscribe(listen);
}

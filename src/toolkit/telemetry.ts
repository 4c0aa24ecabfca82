import { AsyncLocalStorage } from 'node:async_hooks';
import { type Channel, type TracingChannel, tracingChannel } from 'node:diagnostics_channel';

/** A request of a caller. What is optional is known when it is over, and what is missing then does not apply. */
export interface ServedRequest {
  readonly method: string;
  /** As it came: its caller may have written anything. */
  readonly traceparent: string | string[] | undefined;
  /** The name of the operation, or the method and path template of what is none; `*` for no known route. */
  operation?: string;
  /** The method and path template, e.g. `GET /patients/{id}`, unless it is no known route. */
  route?: string | undefined;
  /** The name of the adapter that has the operation. */
  adapter?: string | undefined;
  /** 499 when the caller left. */
  status?: number;
  seconds?: number;
  /** The code of its problem, and that of what caused it. */
  code?: string | undefined;
  cause?: string | undefined;
  requestId?: string;
  /** Its name, and what limits count it under; no label and no attribute has them. */
  client?: string | undefined;
  limitKey?: string | undefined;
  /** Why its token was refused. */
  refusal?: string | undefined;
  /** True if the response of an earlier request with its key was repeated. */
  replayed?: boolean | undefined;
  /** How many records its list left out. */
  omitted?: number | undefined;
}

/** A request to another system. */
export interface OutgoingRequest {
  readonly method: string;
  /** Its host and port, which the configuration names; never the path. */
  readonly server: URL;
  /** Those that will be sent; a header may be added. */
  readonly headers: Record<string, string>;
  /** How many requests of its client wait for one of a bounded number of connections. */
  readonly countWaiting?: () => number;
  result?: { readonly message: { readonly statusCode?: number | undefined } };
  error?: unknown;
}

/** How many connections to a database there are, and who waits for one. */
export interface ConnectionPool {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

/** A statement of SQL. */
export interface TracedStatement {
  /** The kind of database, as OpenTelemetry calls it: `postgresql`, `sqlite` ... */
  readonly system: string;
  /** With marks for its values. */
  readonly sql: string;
  readonly pool?: ConnectionPool | undefined;
  error?: unknown;
}

/** A call that waits in the guard until another one ends. */
export interface GuardWait {
  readonly adapter: string;
  readonly port: string;
  readonly class: string;
}

/**
 * What metrics and traces are made of, by the channels of `node:diagnostics_channel`: who measures subscribes, and without
 * a subscriber nothing is spent. Channels are of the process, not of one gateway.
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

/** The trace in whose course the caller runs; none unless somebody traces. */
export const currentTrace = new AsyncLocalStorage<Trace>();

/** Does the work, and tells the subscribers of the channel, if there are any, when it begins and ends. */
export function trace<C extends object, T>(
  channel: TracingChannel<unknown, C>,
  describe: () => C,
  work: () => Promise<T>,
): Promise<T> {
  return channel.hasSubscribers ? channel.tracePromise(work, describe()) : work();
}

/** Calls the listener with what is published, until what it returns is called. */
export function subscribe<C>(channel: Channel<unknown, C>, listen: (told: C) => void): () => void;
// Node's types do not know what a channel carries when it is subscribed to.
export function subscribe(channel: Channel, listen: (told: unknown) => void): () => void {
  channel.subscribe(listen);
  return () => void channel.unsubscribe(listen);
}

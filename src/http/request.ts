import { randomUUID } from 'node:crypto';
import type { ParsedUrlQuery } from 'node:querystring';
import type { RequestHandler } from 'express';
import type { AnyInput, Fault, Operation } from '../api/index.ts';
import type { Client } from '../auth/client.ts';
import type { CountedClient } from '../guard/guard.ts';
import type { Log, OmittedRecord } from '../ports/index.ts';
import { currentTrace, type ServedRequest, telemetry } from '../toolkit/telemetry.ts';
import { type Clock, formatMoment } from '../toolkit/zone.ts';
import type { Reply } from './send.ts';

/** The facts about a request in `res.locals`. Each middleware adds some. */
export interface RequestContext {
  readonly requestId: string;
  /** ISO 8601, UTC. */
  readonly receivedAt: string;
  /** The same moment by `performance.now()`. */
  readonly startedAt: number;
  /** True if it has an `Idempotency-Key`, under which an earlier request may have changed data. */
  readonly hasKey: boolean;
  /** Only for an operation: resolves when its last middleware has ended, even after a disconnect. */
  readonly finished: PromiseWithResolvers<void>;
  operation?: Operation;
  /** The name of the operation's adapter, whether it offers the operation or not. */
  adapter?: string;
  /** The method and path template of a request that is not an operation, e.g. `GET /livez`. */
  route?: string;
  client?: Client;
  /** The client as limits, bodies and circuits count it. */
  counted?: CountedClient;
  idempotencyKey?: string;
  /** True if the request of an operation with a body has one. */
  hasBody?: boolean;
  input?: AnyInput;
  /** True after the audit trail let the operation begin. A request that ends earlier is recorded as a refusal. */
  begun?: boolean;
  /** Resolves when the call has ended, possibly after its deadline. */
  callEnded?: Promise<void>;
  /** The fields of a problem for the log. */
  code?: string;
  cause?: string;
  said?: string;
  at?: string;
  /** Faults that validation found. */
  faults?: readonly Fault[] | undefined;
  /** The reason for a refusal, which the caller must not see. */
  refusal?: string | undefined;
  /** True if an earlier request exceeded the same limit. */
  repeated?: boolean | undefined;
  /** True if the response was replayed for its key. */
  replayed?: boolean;
  /** The id of the new record. */
  created?: string | undefined;
  /** The outcome of an operation. */
  reply?: Reply;
  /** Further patients that its adapter named. */
  concerned?: ReadonlySet<string>;
  /** The records that its list omitted. */
  omitted?: readonly OmittedRecord[];
}

/** A middleware of this application. */
export type Middleware = RequestHandler<Record<string, string>, unknown, unknown, ParsedUrlQuery, RequestContext>;
export type ErrorMiddleware = (error: unknown, ...given: Parameters<Middleware>) => void;

/** The middleware of one concern for a request to an operation. */
export type Step = (operation: Operation) => Middleware | readonly Middleware[];

/** The name of an operation's adapter, whether it offers the operation or not. */
export type FindAdapter = (operation: Operation) => string;

const requestIdPattern = /^[\x21-\x7e]{1,128}$/;

/**
 * Begins the context. The request id is the caller's `X-Request-Id` if it has 1 to 128 visible ASCII characters.
 * @param createId creates all other ids.
 */
export const addContext =
  (clock: Clock, createId: () => string = randomUUID): Middleware =>
  (req, res, next) => {
    const given = req.headers['x-request-id'];
    // Created as one object: Express's object has no fixed shape, so each access to it costs more.
    res.locals = {
      requestId: typeof given === 'string' && requestIdPattern.test(given) ? given : createId(),
      receivedAt: formatMoment(clock.now()),
      startedAt: performance.now(),
      hasKey: req.headers['idempotency-key'] !== undefined,
      finished: Promise.withResolvers(),
    };
    next();
  };

/** Paths of probes, which arrive every few seconds. */
const probes: ReadonlySet<string | undefined> = new Set(['GET /livez', 'GET /readyz']);

/**
 * Reports the start and the end of a request to metrics and traces, and writes its log line. The level is `debug` for probes, even
 * with 503 during a drain, and for repeated rejections above a limit. The line has the route template, or `*`,
 * and never the URL or a value.
 */
export const followRequest =
  (log: Log): Middleware =>
  ({ method, headers }, res, next) => {
    const { request } = telemetry;
    const context = res.locals;
    const served: ServedRequest = { method, traceparent: headers.traceparent };
    const isTold = request.hasSubscribers;
    const end = () => {
      const { requestId, startedAt, operation, adapter, route, client, code, cause, said, at, repeated } = context;
      const template = operation?.route ?? route;
      const status = res.writableFinished ? res.statusCode : 499;
      const ms = performance.now() - startedAt;
      // A 501 with a cause is an offered operation that is currently not possible.
      const isUnsupported = res.statusCode === 501;
      const isFine = res.statusCode < 500 || (isUnsupported && cause === undefined);
      const isQuiet = probes.has(route) || repeated === true;
      log.write(isQuiet ? 'debug' : isFine ? 'info' : isUnsupported ? 'warn' : 'error', 'request', {
        requestId,
        client: client?.name,
        operation: operation?.name,
        route: template ?? `${method} *`,
        status,
        ms: Math.round(ms * 10) / 10,
        adapter,
        code,
        cause,
        said,
        at,
      });
      if (!isTold) return;
      served.operation = operation?.name ?? template ?? '*';
      served.route = template;
      served.adapter = adapter;
      served.status = status;
      served.seconds = ms / 1_000;
      served.code = code;
      served.cause = cause;
      served.requestId = requestId;
      served.client = client?.name;
      served.limitKey = context.counted?.key;
      served.refusal = context.refusal;
      served.replayed = context.replayed;
      served.omitted = context.omitted?.length;
      request.asyncEnd.publish(served);
    };
    const begin = () => {
      const trace = currentTrace.getStore();
      // The code that closes the connection has no trace of its own, and the log line needs it.
      res.on('close', trace ? () => currentTrace.run(trace, end) : end);
      next();
    };
    if (isTold) request.start.runStores(served, begin);
    else begin();
  };

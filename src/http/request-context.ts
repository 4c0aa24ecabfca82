import { randomUUID } from 'node:crypto';
import type { ParsedUrlQuery } from 'node:querystring';
import type { RequestHandler } from 'express';
import type { AnyInput, Operation } from '../api/index.ts';
import type { Caller } from '../guard/guard.ts';
import type { OmittedRecord } from '../ports/index.ts';
import type { Clock } from '../toolkit/clock.ts';
import type { Client } from './auth/client.ts';
import type { Reply } from './send.ts';

/** What is known about a request, in `res.locals`; each middleware adds to it. */
export interface RequestContext {
  readonly requestId: string;
  readonly receivedAt: Date;
  /** The same moment, by `performance.now()`. */
  readonly startedAt: number;
  /** Whether it carries an `Idempotency-Key`, under which an earlier request may have changed something. */
  readonly hasKey: boolean;
  /** Of an operation: resolves when its last middleware is done, whether the caller is still there or not. */
  readonly finished: PromiseWithResolvers<void>;
  operation?: Operation;
  /** The method and path template of what is no operation, e.g. `GET /livez`. */
  route?: string;
  client?: Client;
  /** The same, as limits tell it from others. */
  caller?: Caller;
  idempotencyKey?: string;
  /** Whether the request of an operation that takes a body has one. */
  hasBody?: boolean;
  input?: AnyInput;
  /** Whether the operation was begun, as the audit trail sees it. */
  begun?: boolean;
  /** Resolves when the call has ended, which may be after its deadline. */
  callEnded?: Promise<void>;
  /** What the log says about a problem. */
  code?: string;
  cause?: string;
  at?: string;
  /** Why it was refused, where the caller must not know. */
  refusal?: string | undefined;
  /** Whether it is beyond a limit, as one before it was. */
  repeated?: boolean | undefined;
  /** Whether the response of an earlier request with its key was repeated. */
  replayed?: boolean;
  /** The id of what it has made. */
  created?: string | undefined;
  /** What came of an operation. */
  reply?: Reply;
  /** What its list left out. */
  omitted?: readonly OmittedRecord[];
}

/** A middleware of this application. */
export type Middleware = RequestHandler<Record<string, string>, unknown, unknown, ParsedUrlQuery, RequestContext>;
export type ErrorMiddleware = (error: unknown, ...given: Parameters<Middleware>) => void;

/** What a request to an operation passes for one concern. */
export type Step = (operation: Operation) => Middleware | readonly Middleware[];

/** The name of the adapter that has an operation, whether it offers it or not. */
export type FindAdapter = (operation: Operation) => string;

const requestIdPattern = /^[\x21-\x7e]{1,128}$/;

/** Begins the context. The request id is the caller's `X-Request-Id` if that has 1 to 128 visible ASCII characters. */
export const addContext =
  (clock: Clock): Middleware =>
  (req, res, next) => {
    const given = req.headers['x-request-id'];
    // One object with all of it: that of Express has no shape, and each look into it costs more.
    res.locals = {
      requestId: typeof given === 'string' && requestIdPattern.test(given) ? given : randomUUID(),
      receivedAt: clock.now(),
      startedAt: performance.now(),
      hasKey: req.headers['idempotency-key'] !== undefined,
      finished: Promise.withResolvers(),
    };
    next();
  };

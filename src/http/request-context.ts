import { randomUUID } from 'node:crypto';
import type { RequestHandler, Response } from 'express';
import type { Operation } from '../api/index.ts';

/** What is known about a request; each step of its handling adds to it. */
export interface RequestContext {
  readonly requestId: string;
  readonly receivedAt: Date;
  operation?: Operation;
  /** The method and path template of an endpoint that is no operation, e.g. `GET /livez`. */
  route?: string;
  client?: string;
  code?: string;
  cause?: string;
  at?: string;
}

/** The context of the request that this response belongs to. */
export const getRequestContext = (res: Response): RequestContext => res.locals.context as RequestContext;

const requestIdPattern = /^[\x21-\x7e]{1,128}$/;

/** Gives every request its context and its id: the caller's `X-Request-Id` if it has 1 to 128 visible ASCII characters. */
export const createRequestContext: RequestHandler = (req, res, next) => {
  const given = req.headers['x-request-id'];
  const requestId = typeof given === 'string' && requestIdPattern.test(given) ? given : randomUUID();
  res.locals.context = { requestId, receivedAt: new Date() } satisfies RequestContext;
  res.setHeader('X-Request-Id', requestId);
  next();
};

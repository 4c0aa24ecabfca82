import { randomUUID } from 'node:crypto';
import type { RequestHandler, Response } from 'express';
import type { Operation } from '../api/index.ts';
import type { Gateway } from './gateway.ts';

/** What becomes known of a request on its way, for the one log line that it leaves. */
export interface RequestContext {
  readonly requestId: string;
  readonly receivedAt: Date;
  operation?: Operation;
  client?: string;
  code?: string;
  cause?: string;
  at?: string;
}

/** The trail of the request that this response answers. */
export const getRequestContext = (res: Response): RequestContext => res.locals.trail as RequestContext;

const acceptable = /^[\x21-\x7e]{1,128}$/;

/**
 * Begins every request: gives it its id (the caller's `X-Request-Id` when that is 1 to 128 visible ASCII characters)
 * and, when it is over, writes its log line. The line holds the route template, never the URL or a value.
 */
export function beginRequest({ log, adapter }: Gateway): RequestHandler {
  return (req, res, next) => {
    const started = performance.now();
    const given = req.headers['x-request-id'];
    const requestId = typeof given === 'string' && acceptable.test(given) ? given : randomUUID();
    const trail: RequestContext = { requestId, receivedAt: new Date() };
    res.locals.trail = trail;
    res.setHeader('X-Request-Id', requestId);
    res.once('close', () => {
      const { operation, client, code, cause, at } = trail;
      log.write(res.statusCode >= 500 ? 'error' : 'info', 'request', {
        requestId,
        ...(operation && {
          operation: operation.name,
          route: operation.route,
          adapter,
        }),
        ...(client !== undefined && { client }),
        status: res.writableFinished ? res.statusCode : 499,
        ms: Math.round((performance.now() - started) * 10) / 10,
        ...(code !== undefined && { code }),
        ...(cause !== undefined && { cause }),
        ...(at !== undefined && { at }),
      });
    });
    next();
  };
}

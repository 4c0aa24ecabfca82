import type { RequestHandler } from 'express';
import type { Gateway } from './gateway.ts';
import { getRequestContext } from './request-context.ts';

/** Writes one log line when a request is over. The line has the route template, `*` for none, never the URL or a value. */
export function createAccessLog({ log, findOwner }: Pick<Gateway, 'log' | 'findOwner'>): RequestHandler {
  return (req, res, next) => {
    const started = performance.now();
    res.once('close', () => {
      const { requestId, operation, route, client, code, cause, at } = getRequestContext(res);
      // A 501 with a cause: what is offered cannot be done at present.
      const isUnsupported = res.statusCode === 501;
      const isFine = res.statusCode < 500 || (isUnsupported && cause === undefined);
      log.write(isFine ? 'info' : isUnsupported ? 'warn' : 'error', 'request', {
        requestId,
        ...(operation && { operation: operation.name, adapter: findOwner(operation.uses[0]) }),
        // Express knows the pages.
        route: operation?.route ?? route ?? `${req.method} ${req.route?.path ?? '*'}`,
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

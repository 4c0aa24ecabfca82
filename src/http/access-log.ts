import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Gateway } from './gateway.ts';
import type { RequestContext } from './request-context.ts';

/** Writes the log line of a request that is over. It has the route template, `*` for none, never the URL or a value. */
export function createAccessLog({ log, findOwner }: Pick<Gateway, 'log' | 'findOwner'>) {
  return ({ method }: IncomingMessage, res: ServerResponse, context: RequestContext): void => {
    const { requestId, startedAt, operation, route, client, code, cause, at } = context;
    // A 501 with a cause: what is offered cannot be done at present.
    const isUnsupported = res.statusCode === 501;
    const isFine = res.statusCode < 500 || (isUnsupported && cause === undefined);
    log.write(isFine ? 'info' : isUnsupported ? 'warn' : 'error', 'request', {
      requestId,
      ...(operation && { operation: operation.name, adapter: findOwner(operation.uses[0]) }),
      route: operation?.route ?? route ?? `${method} *`,
      ...(client !== undefined && { client }),
      status: res.writableFinished ? res.statusCode : 499,
      ms: Math.round((performance.now() - startedAt) * 10) / 10,
      ...(code !== undefined && { code }),
      ...(cause !== undefined && { cause }),
      ...(at !== undefined && { at }),
    });
  };
}

import type { Log } from '../ports/index.ts';
import { currentTrace } from '../toolkit/telemetry.ts';
import type { FindAdapter, Middleware } from './request-context.ts';

/** What probes ask for, every few seconds and of every gateway. */
const probes: ReadonlySet<string | undefined> = new Set(['GET /livez', 'GET /readyz']);

/**
 * Writes a log line when a request is over: of a probe for who debugs alone, also where a drain answers it with 503, and so
 * of what is beyond a limit and not the first. It has the route template, `*` for none, never the URL or a value.
 */
export const logAccess =
  (log: Log, findAdapter: FindAdapter): Middleware =>
  ({ method }, res, next) => {
    const write = () => {
      const { requestId, startedAt, operation, route, client, code, cause, at, repeated } = res.locals;
      // A 501 with a cause: what is offered cannot be done at present.
      const isUnsupported = res.statusCode === 501;
      const isFine = res.statusCode < 500 || (isUnsupported && cause === undefined);
      const isQuiet = probes.has(route) || repeated === true;
      log.write(isQuiet ? 'debug' : isFine ? 'info' : isUnsupported ? 'warn' : 'error', 'request', {
        requestId,
        operation: operation?.name,
        adapter: operation && findAdapter(operation),
        route: operation?.route ?? route ?? `${method} *`,
        client: client?.name,
        status: res.writableFinished ? res.statusCode : 499,
        ms: Math.round((performance.now() - startedAt) * 10) / 10,
        code,
        cause,
        at,
      });
    };
    const trace = currentTrace.getStore();
    // Whoever closes the connection does not know of the trace, which the line names.
    res.on('close', trace ? () => currentTrace.run(trace, write) : write);
    next();
  };

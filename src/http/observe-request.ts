import { type ServedRequest, telemetry } from '../toolkit/telemetry.ts';
import type { Gateway } from './gateway.ts';
import type { Middleware } from './request-context.ts';

/** Tells metrics and traces of a request, when it begins and when it is over. */
export const observeRequest =
  ({ findOwner }: Pick<Gateway, 'findOwner'>): Middleware =>
  ({ method, headers }, res, next) => {
    const { request } = telemetry;
    if (!request.hasSubscribers) {
      next();
      return;
    }
    const context = res.locals;
    const served: ServedRequest = { method, traceparent: headers.traceparent };
    res.on('close', () => {
      const { operation, route, startedAt, code, replayed, omitted } = context;
      const template = operation?.route ?? route;
      request.asyncEnd.publish(
        Object.assign(served, {
          operation: operation?.name ?? template ?? '*',
          path: template?.split(' ')[1],
          adapter: operation && findOwner(operation.uses[0]),
          status: res.writableFinished ? res.statusCode : 499,
          seconds: (performance.now() - startedAt) / 1_000,
          code,
          replayed,
          omitted,
        } satisfies Partial<ServedRequest>),
      );
    });
    request.start.runStores(served, () => next());
  };

import { type ServedRequest, telemetry } from '../toolkit/telemetry.ts';
import type { FindAdapter, Middleware } from './request-context.ts';

/** Tells metrics and traces of a request, when it begins and when it is over. */
export const observeRequest =
  (findAdapter: FindAdapter): Middleware =>
  ({ method, headers }, res, next) => {
    const { request } = telemetry;
    if (!request.hasSubscribers) {
      next();
      return;
    }
    const context = res.locals;
    const served: ServedRequest = { method, traceparent: headers.traceparent };
    res.on('close', () => {
      const { operation, route, startedAt, code, refusal, replayed, omitted } = context;
      const template = operation?.route ?? route;
      served.operation = operation?.name ?? template ?? '*';
      served.route = template;
      served.adapter = operation && findAdapter(operation);
      served.status = res.writableFinished ? res.statusCode : 499;
      served.seconds = (performance.now() - startedAt) / 1_000;
      served.code = code;
      served.refusal = refusal;
      served.replayed = replayed;
      served.omitted = omitted?.length;
      request.asyncEnd.publish(served);
    });
    request.start.runStores(served, () => next());
  };

import express, { type Express, type RequestHandler } from 'express';
import { Rejection, type Route } from '../api/index.ts';
import { buildOpenApiDocument } from '../api/openapi.ts';
import { createAccessLog } from './access-log.ts';
import { createDocumentationRouter } from './docs/router.ts';
import { createErrorHandler, sendProblem } from './errors.ts';
import type { Gateway } from './gateway.ts';
import { capabilities, livez, readyz } from './gateway-endpoints.ts';
import { createOperationEndpoint, type Endpoint } from './operation-endpoint.ts';
import { createRequestContext, getRequestContext } from './request-context.ts';
import { Router } from './router.ts';

/** The Express application of the gateway, ready for a server. */
export function createApp(gateway: Gateway): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', 'simple');
  app.use(createRequestContext, createAccessLog(gateway), createDispatcher(gateway));
  app.use(
    gateway.basePath || '/',
    createDocumentationRouter(gateway, () => buildOpenApiDocument(gateway.operations, { ...gateway, now: new Date() })),
  );
  app.use((_req, res) => sendProblem(gateway, res, new Rejection('route_unknown')));
  app.use(createErrorHandler(gateway));
  return app;
}

/** Routes a request to its endpoint; the cost does not grow with the number of operations. */
function createDispatcher(gateway: Gateway): RequestHandler {
  const router = new Router<Endpoint>();
  const add = (route: Route, endpoint: Endpoint): void =>
    router.add(route, (req, res, params) => {
      getRequestContext(res).route = route;
      return endpoint(req, res, params);
    });
  add('GET /livez', livez);
  add('GET /readyz', readyz(gateway));
  add('GET /capabilities', capabilities(gateway));
  for (const operation of gateway.operations) {
    router.add(operation.route, createOperationEndpoint(operation, gateway));
  }

  return async (req, res, next) => {
    try {
      const path = parsePath(req.url);
      const match = path.startsWith(`${gateway.basePath}/`)
        ? router.find(req.method, path.slice(gateway.basePath.length))
        : undefined;
      if (!match) {
        next();
        return;
      }
      if ('allow' in match) {
        throw new Rejection('method_not_allowed', { headers: { Allow: match.allow.join(', ') } });
      }
      await match.target(req, res, match.params);
    } catch (error) {
      sendProblem(gateway, res, error);
    }
  };
}

/** The path of a request target as it was received, percent-encoded; the target may be in absolute form (RFC 9112, section 3.2.2). */
const parsePath = (target: string): string => target.replace(/^https?:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '') || '/';

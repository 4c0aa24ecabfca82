import express, { type Express, type RequestHandler } from 'express';
import { Rejection } from '../api/index.ts';
import { openApiDocument } from '../api/openapi.ts';
import { createDocumentationRouter } from './docs/router.ts';
import { createErrorHandler, sendProblem } from './errors.ts';
import type { Gateway } from './gateway.ts';
import { capabilities, livez, readyz } from './gateway-endpoints.ts';
import { createOperationEndpoint, type Endpoint } from './operation-endpoint.ts';
import { beginRequest } from './request-context.ts';
import { Router } from './router.ts';

/** The whole HTTP side of the gateway, ready for a server. */
export function createApp(gateway: Gateway): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', 'simple');
  app.use(beginRequest(gateway));
  app.use(
    gateway.basePath || '/',
    createDocumentationRouter({
      root: gateway.basePath,
      document: () => openApiDocument(gateway.operations, { ...gateway, now: new Date() }),
    }),
  );
  app.use(dispatch(gateway));
  app.use(createErrorHandler(gateway));
  return app;
}

/** Sends a request to its endpoint: one look-up, however many operations there are. */
function dispatch(gateway: Gateway): RequestHandler {
  const table = new Router<Endpoint>();
  table.add('GET /livez', livez);
  table.add('GET /readyz', readyz(gateway));
  table.add('GET /capabilities', capabilities(gateway));
  for (const operation of gateway.operations) table.add(operation.route, createOperationEndpoint(operation, gateway));

  return async (req, res) => {
    try {
      const path = parsePath(req.url);
      const found = path.startsWith(`${gateway.basePath}/`)
        ? table.find(req.method, path.slice(gateway.basePath.length))
        : undefined;
      if (!found) throw new Rejection('route_unknown');
      if ('allow' in found) {
        throw new Rejection('method_not_allowed', { headers: { Allow: found.allow.join(', ') } });
      }
      await found.target(req, res, found.params);
    } catch (error) {
      sendProblem(gateway, res, error);
    }
  };
}

/** The path of a request target, also of one in absolute form (RFC 9112, section 3.2.2), as it came over the wire. */
const parsePath = (target: string): string => target.replace(/^https?:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '') || '/';

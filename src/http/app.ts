import express, { type Express, type RequestHandler } from 'express';
import { Rejection } from '../api/index.ts';
import { openApiDocument } from '../api/openapi.ts';
import { documentation } from './docs.ts';
import { errorHandler, reject } from './errors.ts';
import type { Gateway } from './gateway.ts';
import { type Endpoint, mount } from './mount.ts';
import { capabilities, livez, readyz } from './own.ts';
import { RouteTable } from './routes.ts';
import { beginTrail } from './trail.ts';

/** The whole HTTP side of the gateway, ready for a server. */
export function createApp(gateway: Gateway): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', 'simple');
  app.use(beginTrail(gateway));
  app.use(
    gateway.basePath || '/',
    documentation({
      root: gateway.basePath,
      document: () => openApiDocument(gateway.operations, { ...gateway, now: new Date() }),
    }),
  );
  app.use(dispatch(gateway));
  app.use(errorHandler(gateway));
  return app;
}

/** Sends a request to its endpoint: one look-up, however many operations there are. */
function dispatch(gateway: Gateway): RequestHandler {
  const table = new RouteTable<Endpoint>();
  table.add('GET /livez', livez);
  table.add('GET /readyz', readyz(gateway));
  table.add('GET /capabilities', capabilities(gateway));
  for (const operation of gateway.operations) table.add(operation.route, mount(operation, gateway));

  return async (req, res) => {
    try {
      const path = pathOf(req.url);
      const found = path.startsWith(`${gateway.basePath}/`)
        ? table.find(req.method, path.slice(gateway.basePath.length))
        : undefined;
      if (!found) throw new Rejection('route_unknown');
      if ('allow' in found) {
        throw new Rejection('method_not_allowed', { headers: { Allow: found.allow.join(', ') } });
      }
      await found.target(req, res, found.params);
    } catch (error) {
      reject(gateway, res, error);
    }
  };
}

/** The path of a request target, also of one in absolute form (RFC 9112, section 3.2.2), as it came over the wire. */
const pathOf = (target: string): string => target.replace(/^https?:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '') || '/';

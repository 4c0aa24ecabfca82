import express, { type Express } from 'express';
import { Rejection } from '../api/index.ts';
import { logAccess } from './access-log.ts';
import { sendProblems } from './errors.ts';
import type { Gateway } from './gateway.ts';
import { listGatewayEndpoints } from './gateway-endpoints.ts';
import { observeRequest } from './observe-request.ts';
import { createChain } from './operations/chain.ts';
import { createPages } from './pages.ts';
import { addContext, type Middleware } from './request-context.ts';
import { checkRequestLine, parseQuery } from './request-line.ts';
import { addRoutes } from './routes.ts';

/** The gateway as an application of Express, with what every request passes from top to bottom. */
export function createApp(gateway: Gateway, pages = createPages(gateway)): Express {
  const { basePath, operations } = gateway;
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing').set('query parser', parseQuery);

  app.use(addContext(gateway.clock), observeRequest(gateway), logAccess(gateway), checkRequestLine(basePath));
  for (const middleware of gateway.middleware) app.use(middleware);
  addRoutes(app, basePath, [
    ...listGatewayEndpoints(gateway),
    ...operations.map((operation) => ({ route: operation.route, chain: createChain(operation, gateway) })),
  ]);
  app.use(pages.serve);
  app.use(rejectUnknown);
  app.use(sendProblems(gateway));
  return app;
}

const rejectUnknown: Middleware = () => {
  throw new Rejection('route_unknown');
};

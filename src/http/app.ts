import express, { type Express } from 'express';
import { Rejection } from '../api/index.ts';
import type { Log } from '../ports/index.ts';
import type { Clock } from '../toolkit/clock.ts';
import { logAccess } from './access-log.ts';
import { observeRequest } from './observe-request.ts';
import type { Pages } from './pages.ts';
import { addContext, type ErrorMiddleware, type FindAdapter, type Middleware } from './request-context.ts';
import { checkRequestLine, parseQuery } from './request-line.ts';
import { addRoutes, type ServedRoute } from './routes.ts';

/** What every request passes before its route, from top to bottom. @param own the deployer's. */
export const listBeforeRoutes = (
  clock: Clock,
  log: Log,
  findAdapter: FindAdapter,
  basePath: string,
  own: readonly Middleware[],
): readonly Middleware[] => [
  addContext(clock),
  observeRequest(findAdapter),
  logAccess(log, findAdapter),
  checkRequestLine(basePath),
  ...own,
];

/** The gateway as an application of Express, with what every request passes from top to bottom. */
export function createApp(
  basePath: string,
  beforeRoutes: readonly Middleware[],
  endpoints: readonly ServedRoute[],
  operations: readonly ServedRoute[],
  pages: Pages,
  sendProblems: ErrorMiddleware,
): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing').set('query parser', parseQuery);
  app.use(...beforeRoutes);
  addRoutes(app, basePath, [...endpoints, ...operations]);
  app.use(pages.serve, rejectUnknown, sendProblems);
  return app;
}

const rejectUnknown: Middleware = () => {
  throw new Rejection('route_unknown');
};

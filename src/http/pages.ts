import type { IncomingMessage, ServerResponse } from 'node:http';
import express from 'express';
import { Rejection } from '../api/index.ts';
import { buildOpenApiDocument } from '../api/openapi.ts';
import { createDocumentationRouter, prepareForDay } from './docs/router.ts';
import { sendProblem } from './errors.ts';
import type { Gateway } from './gateway.ts';
import type { RequestContext } from './request-context.ts';

/** What is served beside the endpoints of the API. */
export interface Pages {
  /** Handles a request that is for no endpoint. */
  handle(req: IncomingMessage, res: ServerResponse, context: RequestContext): void;
  /** Makes the document of today, which takes some 40 ms, before somebody asks for it. */
  prepare(): void;
}

/** The pages, and 404 for paths that nobody knows. */
export function createPages(gateway: Gateway): Pages {
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', 'simple');
  app.use((req, res, next) => {
    const context: RequestContext = res.locals.context;
    res.setHeader('X-Request-Id', context.requestId);
    // Express says which of its routes it was when that is over.
    res.prependOnceListener('close', () => {
      if (req.route) context.route = `${req.method} ${req.route.path}`;
    });
    next();
  });
  const prepared = prepareForDay(gateway, () =>
    buildOpenApiDocument(gateway.operations, { ...gateway, now: new Date() }),
  );
  app.use(gateway.basePath || '/', createDocumentationRouter(gateway, prepared));
  app.use((_req, res) => sendProblem(gateway, res, res.locals.context, new Rejection('route_unknown')));
  const handleError: express.ErrorRequestHandler = (error, _req, res, _next) =>
    sendProblem(gateway, res, res.locals.context, error);
  app.use(handleError);

  return {
    handle: (req, res, context) => app(req, Object.assign(res, { locals: { context } })),
    prepare: () => void prepared(),
  };
}

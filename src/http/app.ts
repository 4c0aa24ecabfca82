import type { IncomingMessage } from 'node:http';
import { type ParsedUrlQuery, parse } from 'node:querystring';
import type { Express } from 'express';
import express from 'express';
import { type Method, type OperationRoute, Rejection } from '../api/index.ts';
import { getField } from '../toolkit/records.ts';
import type { CallerRules, Home } from './docs/pages.ts';
import type { FurtherPages } from './docs/router.ts';
import type { ErrorMiddleware, Middleware } from './request.ts';
import { commonHeaders } from './send.ts';

/** The parts of the Express application, in the order of a request. */
export interface Application {
  /** Prefix of every path, `` or `/something`. */
  readonly basePath: string;
  /** The middleware of every request before its route. */
  readonly beforeRoutes: readonly Middleware[];
  readonly routes: readonly ServedRoute[];
  readonly pages: Middleware;
  readonly sendProblems: ErrorMiddleware;
}

/** The gateway as an application of Express. */
export function createApp({ basePath, beforeRoutes, routes, pages, sendProblems }: Application): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing').set('query parser', parseQuery);
  app.use(...beforeRoutes);
  addRoutes(app, basePath, routes);
  app.use(pages, rejectUnknown, sendProblems);
  return app;
}

const rejectUnknown: Middleware = () => {
  throw new Rejection('route_unknown');
};

export const noPages: Middleware = (_req, _res, next) => next();

/** The documentation pages, loaded on the first request, because the API does not need them. */
export function createPages(home: Home, rules: CallerRules, further?: FurtherPages): Middleware {
  let loading: ReturnType<typeof load> | undefined;
  const load = async () => (await import('./docs/router.ts')).createDocumentation(home, rules, further);
  return async (req, res, next) => {
    res.set({ ...commonHeaders, 'X-Request-Id': res.locals.requestId });
    // Express reports its route only afterwards.
    res.prependOnceListener('close', () => {
      const path = getField(req.route, 'path');
      if (path !== undefined) res.locals.route = `${req.method} ${String(path)}`;
    });
    loading ??= load();
    const router = await loading;
    // The connection was closed after an earlier pipelined request.
    if (req.socket.destroyed) return;
    router(req, res, next);
  };
}

/** Refuses invalid requests (RFC 9112, section 3), and normalizes the target for the routes. */
export const checkRequestLine =
  (basePath: string): Middleware =>
  (req, _res, next) => {
    requireHost(req);
    if (!/^\/[!"$&-~]*$/.test(req.url)) req.url = normalizeTarget(req.url, basePath);
    next();
  };

/** Exactly one Host header is required. */
function requireHost({ httpVersion, rawHeaders }: IncomingMessage): void {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]!.toLowerCase() === 'host') hosts += 1;
  if (hosts > 1) throw malformed('The request has more than one Host header.');
  if (hosts === 0 && httpVersion === '1.1') throw malformed('The request has no Host header.');
}

/**
 * The target below the base path, without scheme, host (RFC 9112, section 3.2.2) and fragment. It keeps only the required
 * percent-encodings (RFC 3986, section 6.2.2).
 */
function normalizeTarget(target: string, basePath: string): string {
  const [, path = '', query = ''] = /^(?:https?:\/\/[^/?#]*)?([^?#]*)(\?[^#]*)?/i.exec(target) ?? [];
  if (path === '') return `/${query}`;
  if (!path.startsWith('/')) throw new Rejection('route_unknown');
  if (!path.startsWith(`${basePath}/`)) return path + query;
  return basePath + path.slice(basePath.length).split('/').map(normalizeSegment).join('/') + query;
}

function normalizeSegment(segment: string): string {
  try {
    return encodeURIComponent(decodeURIComponent(segment));
  } catch {
    throw malformed('The path contains an invalid percent-encoding.');
  }
}

/** The query parameters. Node would drop those after the first thousand, but the size limit of the head limits them. */
const parseQuery = (text: string | null): ParsedUrlQuery => parse(text ?? '', '&', '=', { maxKeys: 0 });

const malformed = (happened: string) => new Rejection('malformed_request', { happened });

/** A route, and the middleware of its requests. */
export interface ServedRoute {
  readonly route: OperationRoute;
  readonly chain: readonly (Middleware | ErrorMiddleware)[];
}

/**
 * Adds each route to the application, and 405 for the other methods of its path. Paths that differ only in a trailing slash
 * or in names of parameters are one path. If two match a request, the one with the first literal segment comes first.
 * @throws Error if two have the same method and path.
 */
export function addRoutes(app: Express, basePath: string, served: readonly ServedRoute[]): void {
  const all = served.map(({ route, chain }) => ({ ...parseRoute(route, basePath), chain }));
  const shapes = Map.groupBy(all, ({ path }) => path.replaceAll(/:\w+/g, LAST));
  for (const [, same] of [...shapes].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const methods = same.map(({ method }) => method);
    const twice = same.find(({ method }, i) => methods.indexOf(method) < i);
    if (twice) throw new Error(`two operations have the route ${twice.method} ${twice.path}`);
    const routes = [...Map.groupBy(same, ({ path }) => path)].map(([path, served]) => {
      const route = app.route(path);
      for (const { method, chain } of served) route[method](...chain);
      return route;
    });
    routes.at(-1)?.all(rejectMethod(methods));
  }
}

/** Sorts parameters behind literal segments. */
const LAST = '\uffff';

/** `GET /patients/{id}/` is `get` of `/patients/:id`, which also matches with a trailing slash. */
function parseRoute(route: OperationRoute, basePath: string) {
  const [method, path] = route.split(' ') as [Method, string];
  return {
    method: method.toLowerCase() as Lowercase<Method>,
    path: basePath + path.replaceAll(/\{(\w+)\}/g, ':$1').replace(/\/$/, ''),
  };
}

function rejectMethod(methods: readonly string[]): Middleware {
  const allowed = methods.map((method) => method.toUpperCase());
  const list = [...allowed, ...(allowed.includes('GET') ? ['HEAD'] : [])].join(', ');
  return () => {
    throw new Rejection('method_not_allowed', {
      happened: `The path supports ${list}, and not this method.`,
      headers: { Allow: list },
    });
  };
}

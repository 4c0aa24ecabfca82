import type { Express } from 'express';
import { type Method, Rejection, type Route } from '../api/index.ts';
import type { ErrorMiddleware, Middleware } from './request-context.ts';

/** A route, and what a request to it passes. */
export interface ServedRoute {
  readonly route: Route;
  readonly chain: readonly (Middleware | ErrorMiddleware)[];
}

/**
 * Adds each route to the application, and 405 for the other methods of its path. Paths that differ only in a slash at their end
 * or in names of parameters are one; of two that match a request the one with the first literal segment comes first.
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

/** `GET /patients/{id}/` is `get` of `/patients/:id`, which matches with a slash at its end too. */
function parseRoute(route: Route, basePath: string) {
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

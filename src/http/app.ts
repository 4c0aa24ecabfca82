import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Rejection, type Route } from '../api/index.ts';
import { createAccessLog } from './access-log.ts';
import { hangUp, sendProblem } from './errors.ts';
import type { Gateway } from './gateway.ts';
import { capabilities, livez, readyz } from './gateway-endpoints.ts';
import { createOperationEndpoint, type Endpoint } from './operation-endpoint.ts';
import type { Pages } from './pages.ts';
import { parsePath } from './request.ts';
import { createRequestContext, type RequestContext } from './request-context.ts';
import { Router } from './router.ts';

/** The pages, which are loaded once. The API does without Express and all else that makes them. */
export function createPagesLoader(gateway: Gateway): () => Promise<Pages> {
  let pages: Promise<Pages> | undefined;
  return () => {
    pages ??= import('./pages.ts').then(({ createPages }) => createPages(gateway));
    return pages;
  };
}

/** The gateway as a listener of a server: the API by its own routes, and all other paths by Express. */
export function createApp(gateway: Gateway, loadPages = createPagesLoader(gateway)): RequestListener {
  const { basePath } = gateway;
  const routes = createRoutes(gateway);
  const writeLine = createAccessLog(gateway);

  return (req, res) => {
    const context = createRequestContext(req);
    res.on('close', () => writeLine(req, res, context));
    dispatch(req, res, context)
      .catch((error: unknown) => sendProblem(gateway, res, context, error))
      .catch(() => hangUp(gateway, res, context));
  };

  async function dispatch(req: IncomingMessage, res: ServerResponse, context: RequestContext): Promise<void> {
    const { method = '', url = '' } = req;
    if (req.headers.host === undefined && req.httpVersion === '1.1') throw rejectWithoutHost();
    const path = parsePath(url);
    const match = path.startsWith(`${basePath}/`) ? routes.find(method, path.slice(basePath.length)) : undefined;
    if (!match) return (await loadPages()).handle(req, res, context);
    if ('allow' in match) throw rejectMethod(match.allow);
    return match.target(req, res, context, match.params);
  }
}

/** The table of what is an endpoint; the cost of a look-up does not grow with the number of operations. */
function createRoutes(gateway: Gateway): Router<Endpoint> {
  const routes = new Router<Endpoint>();
  const add = (route: Route, endpoint: Endpoint): void =>
    routes.add(route, (req, res, context, params) => {
      context.route = route;
      return endpoint(req, res, context, params);
    });
  add('GET /livez', livez);
  add('GET /readyz', readyz(gateway));
  add('GET /capabilities', capabilities(gateway));
  for (const operation of gateway.operations) {
    routes.add(operation.route, createOperationEndpoint(operation, gateway));
  }
  return routes;
}

/** RFC 9112, section 3.2. */
const rejectWithoutHost = (): Rejection =>
  new Rejection('malformed_request', { happened: 'The request has no Host header.' });

function rejectMethod(allowed: readonly string[]): Rejection {
  const list = allowed.join(', ');
  const happened = `The path supports ${list}, and not this method.`;
  return new Rejection('method_not_allowed', { happened, headers: { Allow: list } });
}

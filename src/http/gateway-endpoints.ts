import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  getGroup,
  getPortName,
  isOffered,
  type Operation,
  type OperationRoute,
  Rejection,
  toProblemBody,
} from '../api/index.ts';
import type { Refusals } from '../auth/refusals.ts';
import type { AdapterImpairment, Capability, Log } from '../ports/index.ts';
import { buildVersion } from '../toolkit/package.ts';
import type { ServedRoute } from './app.ts';
import { Connections } from './connections.ts';
import type { OmittedRecords } from './omitted-records.ts';
import type { OperatedGateway } from './operator/page.ts';
import type { Middleware } from './request.ts';
import { type Reply, sendReply, toReply } from './send.ts';

/** Metrics as a text. */
export interface Exposition {
  readonly contentType: string;
  render(): Promise<string>;
}

/**
 * `/livez`, `/readyz`, `/capabilities`, and `/metrics` unless it has its own listener.
 * @param requireOperator the check for requests to the last two.
 */
export const listGatewayEndpoints = (
  requireOperator: readonly Middleware[],
  describeReadiness: DescribeReadiness,
  capabilities: Reply,
  metrics: Exposition | undefined,
): readonly ServedRoute[] => [
  serve('GET /livez', [], () => alive),
  serve('GET /readyz', [], () => describeReadiness()),
  serve('GET /capabilities', requireOperator, () => capabilities),
  ...(metrics ? [serve('GET /metrics', requireOperator, () => describeMetrics(metrics))] : []),
];

function serve(
  route: OperationRoute,
  first: readonly Middleware[],
  describe: () => Reply | Promise<Reply>,
): ServedRoute {
  const setRoute: Middleware = (_req, res, next) => {
    res.locals.route = route;
    next();
  };
  const answer: Middleware = async (_req, res) => sendReply(res, res.locals.requestId, await describe());
  return { route, chain: [setRoute, ...first, answer] };
}

/** Succeeds while the process runs. Never depends on a backend. */
const alive: Reply = toReply(200, { status: 'ok' });

/**
 * Responds 200 with the adapter's impairments and the omitted records, and 503 while the gateway shuts down. Never
 * waits for a backend. A gateway whose adapter is impaired stays in service, because it still serves the other
 * operations.
 * @param refusals for operators only. They also get the detail of an impairment, which may contain addresses.
 */
export type DescribeReadiness = (refusals?: Refusals) => Reply;

/**
 * @param drain knows whether the process is shutting down.
 * @param impairments returns the known limits of the gateway, without calls to other systems.
 */
export const createReadiness =
  (
    drain: { readonly started: boolean },
    impairments: () => readonly AdapterImpairment[],
    omittedRecords: OmittedRecords,
  ): DescribeReadiness =>
  (refusals) => {
    if (drain.started) return toReply(503, { status: 'draining' });
    const current = refusals ? impairments() : impairments().map(({ adapter, code }) => ({ adapter, code }));
    const { counts } = omittedRecords;
    return toReply(200, {
      ...(current.length === 0 ? { status: 'ok' } : { status: 'impaired', impairments: current }),
      ...(counts.length > 0 && { omitted: counts }),
      ...(refusals && refusals.counts.length > 0 && { refused: refusals.counts }),
    });
  };

/** The metrics in the format of Prometheus. */
const describeMetrics = async (metrics: Exposition): Promise<Reply> => ({
  status: 200,
  headers: { 'Content-Type': metrics.contentType },
  body: await metrics.render(),
});

/** Every operation, and its adapter. */
interface OfferedOperations {
  readonly operations: readonly Operation[];
  readonly findOwner: (capability: Capability) => string;
  readonly supports: ReadonlySet<Capability>;
}

/** The institution's time zone, and every operation, its adapter, and whether the institution offers it. */
export const listCapabilities = ({ operations, findOwner, supports }: OfferedOperations, timeZone: string): Reply =>
  toReply(200, {
    gateway: { name: 'puente', version: buildVersion },
    timeZone,
    operations: operations.map((operation) => ({
      operation: operation.name,
      route: operation.route,
      group: getGroup(operation),
      scope: operation.scope,
      port: getPortName(operation),
      adapter: findOwner(operation.uses[0]),
      offered: isOffered(operation, supports),
    })),
  });

/** The path of a request. Probes and scrapers may add a query. */
export const findPath = ({ url = '' }: IncomingMessage): string => url.split('?', 1)[0] ?? '';

const TIMEOUT = 5_000;
/** Only a few clients probe and scrape. */
const limits = { maxConnections: 100, maxConnectionsPerAddress: 50, trustedProxies: [], sendTimeout: TIMEOUT };

/** The endpoints for operators. */
export interface OpsParts {
  readonly describeReadiness: DescribeReadiness;
  readonly refusals: Refusals;
  readonly log: Log;
  readonly metrics?: Exposition | undefined;
  /** The content of the page at `/`. Without it, there is no page. */
  readonly operator?: OperatedGateway;
}

/**
 * A server for `/livez`, `/readyz`, `/metrics` and the page of the operator, without the base path. Its connections are separate from
 * the callers', so probes always get a response. Only here `/readyz` has the detail of an impairment, which
 * may name addresses, and the reasons of rejections, which would help an attacker with forged tokens.
 */
export function createOpsServer({ describeReadiness, refusals, log, metrics, operator }: OpsParts): Server {
  const serve = (req: IncomingMessage, res: ServerResponse): void => {
    const requestId = randomUUID();
    respond(req, requestId).then(
      (reply) => {
        sendReply(res, requestId, reply);
        log.write('debug', 'request', { requestId, route: findRoute(req), status: reply.status });
      },
      () => res.destroy(),
    );
  };
  const server = createServer(
    { headersTimeout: TIMEOUT, requestTimeout: TIMEOUT, keepAliveTimeout: TIMEOUT, connectionsCheckingInterval: 1_000 },
    (req, res) => connections.begin(req, res, () => serve(req, res)),
  );
  const connections = new Connections(server, limits);
  return server;

  function findRoute(req: IncomingMessage): string {
    const [method, path] = [req.method, findPath(req)];
    if (['/', '/livez', '/readyz', '/metrics'].includes(path)) return `GET ${path}`;
    return method === 'POST' && path === '/doctor' ? 'POST /doctor' : `${method} *`;
  }

  async function respond(req: IncomingMessage, requestId: string): Promise<Reply> {
    const [method, path] = [req.method, findPath(req)];
    if (method === 'GET' || method === 'HEAD') {
      if (path === '/livez') return alive;
      if (path === '/readyz') return describeReadiness(refusals);
      if (path === '/metrics' && metrics) return describeMetrics(metrics);
    }
    // Loaded on request.
    const page = operator && (await (await import('./operator/operator.ts')).serveOperator(req, operator));
    if (page) return page;
    const problem = toProblemBody(new Rejection('route_unknown'), requestId, '');
    return toReply(problem.status, problem, { 'Content-Type': 'application/problem+json; charset=utf-8' });
  }
}

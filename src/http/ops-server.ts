import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { Rejection, toProblemBody } from '../api/index.ts';
import type { Log } from '../ports/index.ts';
import type { Refusals } from './auth/refusal.ts';
import { Connections } from './connections.ts';
import { alive, type DescribeReadiness, describeMetrics, type Exposition } from './gateway-endpoints.ts';
import { type Reply, sendReply, toReply } from './send.ts';

const TIMEOUT = 5_000;
/** Few probe and scrape, and nobody but they has to. */
const limits = { maxConnections: 100, maxConnectionsPerAddress: 50, trustedProxies: [], sendTimeout: TIMEOUT };

/**
 * A server for `/livez`, `/readyz` and `/metrics` alone, without the base path, whose connections are none of the callers':
 * probes get their response however many those have opened. Only here `/readyz` has the detail of an impairment, which may name
 * addresses, and counts why requests were refused: whoever can read that and send tokens learns what is wrong with them.
 */
export function createOpsServer(
  describeReadiness: DescribeReadiness,
  refusals: Refusals,
  log: Log,
  metrics?: Exposition,
): Server {
  const server = createServer(
    { headersTimeout: TIMEOUT, requestTimeout: TIMEOUT, keepAliveTimeout: TIMEOUT, connectionsCheckingInterval: 1_000 },
    (req, res) => {
      if (!connections.begin(req, res)) return;
      const requestId = randomUUID();
      respond(req.method, req.url, requestId).then(
        (reply) => {
          sendReply(res, requestId, reply);
          log.write('debug', 'request', { requestId, route: findRoute(req), status: reply.status });
        },
        () => res.destroy(),
      );
    },
  );
  const connections = new Connections(server, limits);
  return server;

  function findRoute({ method, url }: IncomingMessage): string {
    return ['/livez', '/readyz', '/metrics'].includes(url ?? '') ? `GET ${url}` : `${method} *`;
  }

  async function respond(method: string | undefined, path: string | undefined, requestId: string): Promise<Reply> {
    if (method === 'GET' || method === 'HEAD') {
      if (path === '/livez') return alive;
      if (path === '/readyz') return describeReadiness(refusals);
      if (path === '/metrics' && metrics) return describeMetrics(metrics);
    }
    const problem = toProblemBody(new Rejection('route_unknown'), requestId, '');
    return toReply(problem.status, problem, { 'Content-Type': 'application/problem+json; charset=utf-8' });
  }
}

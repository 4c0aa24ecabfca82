import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { Rejection, toProblemBody } from '../api/index.ts';
import type { Gateway } from './gateway.ts';
import { describeReadiness } from './gateway-endpoints.ts';
import { sendReply, toReply } from './send.ts';

const TIMEOUT = 5_000;
const MAX_CONNECTIONS = 100;

/**
 * A server for `/livez` and `/readyz` alone, without the base path, whose connections are none of the callers': probes get
 * their response however many those have opened. Only here `/readyz` counts why requests were refused: whoever can read
 * that and send tokens learns what is wrong with them.
 */
export function createOpsServer(
  gateway: Pick<Gateway, 'draining' | 'impairments' | 'omittedRecords' | 'refusals'>,
): Server {
  const server = createServer(
    { headersTimeout: TIMEOUT, requestTimeout: TIMEOUT, keepAliveTimeout: TIMEOUT, connectionsCheckingInterval: 1_000 },
    (req, res) => {
      const requestId = randomUUID();
      sendReply(res, requestId, respond(req.method, req.url, requestId));
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  return server;

  function respond(method: string | undefined, path: string | undefined, requestId: string) {
    if (method === 'GET' || method === 'HEAD') {
      if (path === '/livez') return toReply(200, { status: 'ok' });
      if (path === '/readyz') return describeReadiness(gateway, gateway.refusals);
    }
    const problem = toProblemBody(new Rejection('route_unknown'), requestId, '');
    return toReply(problem.status, problem, { 'Content-Type': 'application/problem+json; charset=utf-8' });
  }
}

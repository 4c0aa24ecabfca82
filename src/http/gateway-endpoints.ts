import { getGroup, getPortName, isOffered } from '../api/index.ts';
import type { Refusals } from './auth/refusal.ts';
import type { Exposition, Gateway } from './gateway.ts';
import { authenticate, authorize } from './operations/caller.ts';
import type { Middleware } from './request-context.ts';
import type { ServedRoute } from './routes.ts';
import { type Reply, sendReply, toReply } from './send.ts';

/** `/livez`, `/readyz`, `/capabilities`, and `/metrics` where it has no listener of its own. */
export function listGatewayEndpoints(gateway: Gateway): readonly ServedRoute[] {
  const { metrics, openOps } = gateway;
  const requireOperator = openOps ? [] : [authenticate(gateway), authorize('ops:read')];
  return [
    { route: 'GET /livez', chain: [setRoute('GET /livez'), livez] },
    { route: 'GET /readyz', chain: [setRoute('GET /readyz'), readyz(gateway)] },
    {
      route: 'GET /capabilities',
      chain: [setRoute('GET /capabilities'), ...requireOperator, capabilities(gateway)],
    },
    ...(metrics
      ? [
          {
            route: 'GET /metrics',
            chain: [setRoute('GET /metrics'), ...requireOperator, sendMetrics(metrics)],
          } as const,
        ]
      : []),
  ];
}

const setRoute =
  (route: string): Middleware =>
  (_req, res, next) => {
    res.locals.route = route;
    next();
  };

/** Responds 200 as long as the process runs. Never depends on a backend. */
const livez: Middleware = (_req, res) => sendReply(res, res.locals.requestId, toReply(200, { status: 'ok' }));

/**
 * Responds 200, with the adapter's impairments and what lists left out, and 503 while the gateway shuts down. Never waits for a backend. A gateway
 * whose adapter is impaired stays in service, because it still serves the other operations.
 * @param refusals for operators, who may know more than callers: the detail of an impairment, too, which may name addresses.
 */
export function describeReadiness(
  { draining, impairments, omittedRecords }: Pick<Gateway, 'draining' | 'impairments' | 'omittedRecords'>,
  refusals?: Refusals,
): Reply {
  if (draining()) return toReply(503, { status: 'draining' });
  const current = refusals ? impairments() : impairments().map(({ adapter, code }) => ({ adapter, code }));
  const { counts } = omittedRecords;
  return toReply(200, {
    ...(current.length === 0 ? { status: 'ok' } : { status: 'impaired', impairments: current }),
    ...(counts.length > 0 && { omitted: counts }),
    ...(refusals && refusals.counts.length > 0 && { refused: refusals.counts }),
  });
}

const readyz =
  (gateway: Gateway): Middleware =>
  (_req, res) =>
    sendReply(res, res.locals.requestId, describeReadiness(gateway));

/** The metrics as Prometheus reads them. */
export const describeMetrics = async (metrics: Exposition): Promise<Reply> => ({
  status: 200,
  headers: { 'Content-Type': metrics.contentType },
  body: await metrics.render(),
});

const sendMetrics =
  (metrics: Exposition): Middleware =>
  async (_req, res) =>
    sendReply(res, res.locals.requestId, await describeMetrics(metrics));

/** Lists every operation, its adapter, and whether this institution offers it. */
function capabilities(gateway: Gateway): Middleware {
  const reply = toReply(200, {
    gateway: { name: 'puente', version: gateway.version },
    operations: gateway.operations.map((operation) => ({
      operation: operation.name,
      route: operation.route,
      group: getGroup(operation),
      scope: operation.scope,
      port: getPortName(operation),
      adapter: gateway.findOwner(operation.uses[0]),
      offered: isOffered(operation, gateway.supports),
    })),
  });
  return (_req, res) => sendReply(res, res.locals.requestId, reply);
}

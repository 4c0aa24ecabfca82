import { getGroup, getPortName, isOffered } from '../api/index.ts';
import { requireScope } from './auth/bearer.ts';
import type { Refusals } from './auth/refusal.ts';
import type { Gateway } from './gateway.ts';
import type { Endpoint } from './operation-endpoint.ts';
import { type Reply, sendReply, toReply } from './send.ts';

/** Responds 200 as long as the process runs. Never depends on a backend. */
export const livez: Endpoint = async (_req, res, { requestId }) =>
  sendReply(res, requestId, toReply(200, { status: 'ok' }));

/**
 * Responds 200, with the adapter's impairments and what lists left out, and 503 while the gateway shuts down. Never waits for a backend. A gateway
 * whose adapter is impaired stays in service, because it still serves the other operations.
 */
export function describeReadiness(
  { draining, impairments, omittedRecords }: Pick<Gateway, 'draining' | 'impairments' | 'omittedRecords'>,
  refusals?: Refusals,
): Reply {
  if (draining()) return toReply(503, { status: 'draining' });
  const current = impairments();
  const { counts } = omittedRecords;
  return toReply(200, {
    ...(current.length === 0 ? { status: 'ok' } : { status: 'impaired', impairments: current }),
    ...(counts.length > 0 && { omitted: counts }),
    ...(refusals && refusals.counts.length > 0 && { refused: refusals.counts }),
  });
}

export const readyz =
  (gateway: Gateway): Endpoint =>
  async (_req, res, { requestId }) =>
    sendReply(res, requestId, describeReadiness(gateway));

/** Lists every operation, its adapter, and whether this institution offers it. */
export function capabilities(gateway: Gateway): Endpoint {
  const body = {
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
  };
  return async (req, res, context) => {
    if (!gateway.openOps) {
      const client = await gateway.authenticate(req);
      context.client = client.name;
      requireScope('ops:read', client);
    }
    sendReply(res, context.requestId, toReply(200, body));
  };
}

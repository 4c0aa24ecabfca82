import { getGroup, getPortName } from '../api/index.ts';
import { requireScope } from './auth/bearer.ts';
import type { Gateway } from './gateway.ts';
import type { Endpoint } from './operation-endpoint.ts';
import { getRequestContext } from './request-context.ts';
import { send } from './send.ts';

/** The process answers. Never depends on a backend. */
export const livez: Endpoint = async (_req, res) => send(res, 200, { status: 'ok' });

/**
 * The process takes requests; 503 while it stops. Never waits for a backend: a gateway whose adapter is impaired still
 * answers what it can, so it says what is amiss, and stays in service.
 */
export const readyz =
  ({ draining, impairments }: Gateway): Endpoint =>
  async (_req, res) => {
    if (draining()) return send(res, 503, { status: 'draining' });
    const found = impairments();
    send(res, 200, found.length === 0 ? { status: 'ok' } : { status: 'impaired', impairments: found });
  };

/** Which operations this institution offers, and what stands behind each. */
export function capabilities(gateway: Gateway): Endpoint {
  const body = {
    gateway: { name: 'puente', version: gateway.version },
    operations: gateway.operations.map((operation) => ({
      operation: operation.name,
      route: operation.route,
      group: getGroup(operation),
      scope: operation.scope,
      port: getPortName(operation),
      adapter: gateway.adapter,
      offered: gateway.supports.has(operation.uses),
    })),
  };
  return async (req, res) => {
    if (!gateway.openOps) {
      const client = await gateway.authenticate(req.headers.authorization);
      getRequestContext(res).client = client.name;
      requireScope('ops:read', client);
    }
    send(res, 200, body);
  };
}

import type { Response } from 'express';
import { groupOf, portOf } from '../api/index.ts';
import { demand } from './auth.ts';
import type { Gateway } from './gateway.ts';
import type { Endpoint } from './mount.ts';
import { send } from './send.ts';
import { trailOf } from './trail.ts';

const status = async (res: Response, code: number, state: string): Promise<void> => send(res, code, { status: state });

/** The process answers. Never depends on a backend. */
export const livez: Endpoint = (_req, res) => status(res, 200, 'ok');

/** The process takes requests; 503 while it stops. Never depends on a backend. */
export const readyz =
  ({ draining }: Gateway): Endpoint =>
  (_req, res) =>
    draining() ? status(res, 503, 'draining') : status(res, 200, 'ok');

/** Which operations this institution offers, and what stands behind each. */
export function capabilities(gateway: Gateway): Endpoint {
  const body = {
    gateway: { name: 'puente', version: gateway.version },
    operations: gateway.operations.map((operation) => ({
      operation: operation.name,
      route: operation.route,
      group: groupOf(operation),
      scope: operation.scope,
      port: portOf(operation),
      adapter: gateway.adapterOf(portOf(operation)),
      offered: gateway.supports.has(operation.uses),
    })),
  };
  return async (req, res) => {
    if (!gateway.openOps) {
      const client = await gateway.authenticate(req.headers.authorization);
      trailOf(res).client = client.name;
      demand('ops:read', client);
    }
    send(res, 200, body);
  };
}

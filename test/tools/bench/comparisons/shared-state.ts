import type { PostgresServer } from '../../../support/postgres-process.ts';
import type { GatewayConfigs } from '../gateway-config.ts';
import { buildHospital } from '../hospital.ts';
import { startGateway } from '../processes.ts';
import type { Comparison, Variant } from '../variant.ts';
import { createRegistrations } from './registrations.ts';

/**
 * Writes with keys that one PostgreSQL holds, of one gateway and of two that share it. The load is what two cores bear with
 * PostgreSQL and the sender on them; what two gateways could do with a core each follows from what a write costs them.
 */
export async function compareOnSharedState(configs: GatewayConfigs, postgres: PostgresServer): Promise<Comparison[]> {
  const world = buildHospital();
  const start = async (name: string, gateways: number): Promise<Variant> => {
    const file = configs.writeShared(world, await postgres.createUrl());
    const servers = await Promise.all(Array.from({ length: gateways }, () => startGateway(file)));
    const [server, ...replicas] = servers;
    if (!server) throw new Error('no gateway');
    return { name, own: true, server, replicas, requests: createRegistrations(configs.tokens.opaque) };
  };
  const variants = [await start('one gateway', 1), await start('two gateways', 2)];
  const load = { rate: 300 };
  return [
    { id: 'shared-state', title: 'Register, with keys in PostgreSQL, 300 a second at each gateway', load, variants },
  ];
}

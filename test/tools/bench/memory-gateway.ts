import type { RequestListener } from 'node:http';
import { adapter } from '../../../adapters/adapter.ts';
import { createPorts, memory } from '../../../adapters/memory/index.ts';
import { loadWorld } from '../../../adapters/memory/load-world.ts';
import { parseWorld } from '../../../adapters/memory/world-file.ts';
import type { Operation } from '../../../src/api/index.ts';
import { readConfig } from '../../../src/config/read.ts';
import type { Log } from '../../../src/ports/index.ts';
import { createContainer } from '../../../src/runtime/container.ts';
import { parts } from '../../../src/runtime/parts.ts';

/** One client plays the whole platform. */
const unlimited = Object.fromEntries(
  ['READ', 'WRITE', 'SLOT_SEARCH', 'PATIENT_SEARCH'].flatMap((name) => [
    [`PUENTE_LIMITS_CLIENTS_${name}_REQUESTS`, '10000000'],
    [`PUENTE_LIMITS_CLIENTS_${name}_SECONDS`, '1'],
    [`PUENTE_LIMITS_CLIENTS_${name}_CONCURRENT`, '1000'],
  ]),
);

export interface MemoryGatewayOptions {
  /** A world file, parsed. */
  readonly world: object;
  /** With every scope. */
  readonly token: string;
  readonly log?: Log;
  /** Default: all, in their order. */
  readonly change?: (operations: readonly Operation[]) => readonly Operation[];
}

/** The application of a gateway over a hospital in memory, as `npm start` would compose it but for the hospital and its limits. */
export async function createMemoryGateway({
  world,
  token,
  log,
  change = (operations) => operations,
}: MemoryGatewayOptions): Promise<RequestListener> {
  const inMemory = adapter({
    settings: memory.settings,
    offer: (_, institution) => createPorts(loadWorld(parseWorld(world), institution, new Date().toISOString())),
  });
  const environment = {
    PUENTE_TOKEN: token,
    PUENTE_LOG_LEVEL: 'info',
    PUENTE_LOG_FORMAT: 'json',
    ...unlimited,
  };
  const container = createContainer(readConfig({ environment, adapters: { memory: inMemory } }), environment);
  if (log) container.rebind(parts.log).toConstantValue(log);
  container.onActivation(parts.offered, (_, offered) => ({ ...offered, operations: change(offered.operations) }));
  return container.getAsync(parts.app);
}

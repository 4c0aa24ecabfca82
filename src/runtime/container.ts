import { Container } from 'inversify';
import { SettingsProblem } from '../../adapters/adapter.ts';
import { getPortName, groupA, groupB, isOffered, type Operation } from '../api/index.ts';
import { applyRoutes } from '../api/routes.ts';
import { ConfigProblems } from '../config/problems.ts';
import type { LoadedConfig } from '../config/read.ts';
import { type Capability, type PortName, ports, Readiness } from '../ports/index.ts';

/** The adapter that configuration names, ready to work. */
export interface Composition {
  /** Every operation, with the routes that configuration gives to Group B. */
  readonly operations: readonly Operation[];
  /** The adapter's implementation of a port; undefined when it binds none. */
  port(name: PortName): unknown;
  /** The adapter's name. */
  readonly adapter: string;
  readonly supports: ReadonlySet<Capability>;
  /** Undefined when the adapter has nothing to find out. */
  readonly readiness: Readiness | undefined;
  /** Lets go of everything that the adapter holds. */
  close(): Promise<void>;
}

/**
 * Loads the adapter and resolves each port once.
 * @throws ConfigProblems when the adapter cannot use its settings, or binds no port for what it claims to offer.
 */
export async function compose({ config, adapter, problem }: LoadedConfig): Promise<Composition> {
  const { name, settings } = config.adapter;
  const operations = [...groupA, ...applyRoutes(groupB, config.api.paths)];
  const container = new Container({ defaultScope: 'Singleton' });
  try {
    await container.loadAsync(await adapter.module(settings, config.institution));
  } catch (error) {
    if (!(error instanceof SettingsProblem)) throw error;
    const path = ['adapter', 'settings', ...error.setting.split('.')];
    throw new ConfigProblems(error.problems.map((what) => problem(path, what)));
  }
  const supports = new Set(adapter.supports);
  const unbound = operations
    .filter((operation) => isOffered(operation, supports))
    .filter((o) => !container.isBound(ports[getPortName(o)]));
  if (unbound.length > 0) {
    throw new ConfigProblems(
      unbound.map((operation) =>
        problem(
          ['adapter', 'name'],
          `the adapter ${name} claims to offer ${operation.uses}, but binds nothing to the port ${getPortName(operation)}`,
        ),
      ),
    );
  }
  const resolved = new Map<PortName, unknown>();
  for (const [port, token] of Object.entries(ports) as [PortName, (typeof ports)[PortName]][]) {
    if (container.isBound(token)) resolved.set(port, await container.getAsync<unknown>(token));
  }
  return {
    operations,
    port: (port) => resolved.get(port),
    adapter: name,
    supports,
    readiness: container.isBound(Readiness) ? await container.getAsync(Readiness) : undefined,
    close: () => container.unbindAllAsync(),
  };
}

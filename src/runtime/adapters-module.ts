import { type Container, ContainerModule } from 'inversify';
import { groupA, groupB, type Operation } from '../api/index.ts';
import { applyRoutes } from '../api/routes.ts';
import type { LoadedConfig } from '../config/read.ts';
import type { Guard } from '../guard/guard.ts';
import { getOperationClass } from '../guard/operation-class.ts';
import { type Capability, capabilities, type PortName, ports, splitCapability } from '../ports/index.ts';
import { ConfigProblems } from '../toolkit/problems.ts';
import { closeAdapters, type StartedAdapter, startAdapters } from './adapters.ts';
import type { Composition } from './composition.ts';
import type { CallPort } from './other-ports.ts';
import { createFindOwner, type FindOwner, listOwnershipProblems, listOwnershipWarnings } from './ownership.ts';
import { tokens } from './tokens.ts';

/** Binds the adapters, and the token of each port to what they offer of it. */
export const createAdaptersModule = (container: Container): ContainerModule =>
  new ContainerModule(({ bind }) => {
    const getPort = (name: PortName): unknown => container.get<unknown>(ports[name]);

    bind(tokens.adapters)
      .toResolvedValue(
        (loaded: LoadedConfig, guard: Guard | undefined) => start(loaded, getPort, guard),
        [tokens.config, { serviceIdentifier: tokens.guard, optional: true }],
      )
      .onDeactivation(closeAdapters);
    for (const name of Object.keys(ports) as PortName[]) {
      bind<unknown>(ports[name]).toResolvedValue(
        ({ config }: LoadedConfig, started: readonly StartedAdapter[]) =>
          joinPort(name, started, createFindOwner(config)),
        [tokens.config, tokens.adapters],
      );
    }
    bind(tokens.composition).toResolvedValue(
      (loaded, started) => describe(loaded, started, getPort),
      [tokens.config, tokens.adapters],
    );
  });

const listOperations = ({ config }: LoadedConfig): Operation[] => [...groupA, ...applyRoutes(groupB, config.api.paths)];

/**
 * Calls the adapters.
 * @param guard protects the calls that one adapter makes of another; without it they are made at once.
 * @throws ConfigProblems when an adapter cannot use its settings, offers what no port has, or lacks what it is named for.
 */
async function start(
  loaded: LoadedConfig,
  getPort: Composition['port'],
  guard: Guard | undefined,
): Promise<readonly StartedAdapter[]> {
  const findOwner = createFindOwner(loaded.config);
  const callPort: CallPort = (capability, given) => {
    const [name, method] = splitCapability(capability);
    const call = async () => callMethod(getPort(name), method, given);
    const kind = { adapter: findOwner(capability), port: name, class: getOperationClass([capability]) };
    return guard ? guard.protectNested(kind, call) : call();
  };
  const started = await startAdapters(loaded, callPort);
  const problems = listOwnershipProblems(loaded, started, listOperations(loaded));
  if (problems.length === 0) return started;
  await closeAdapters(started);
  throw new ConfigProblems(problems);
}

function describe(loaded: LoadedConfig, started: readonly StartedAdapter[], getPort: Composition['port']): Composition {
  const findOwner = createFindOwner(loaded.config);
  const findStarted = (capability: Capability) => started.find(({ name }) => name === findOwner(capability));
  return {
    operations: listOperations(loaded),
    port: getPort,
    adapters: started.map(({ name, offer: { readiness } }) => ({ name, readiness })),
    findOwner,
    supports: new Set(capabilities.filter((capability) => findStarted(capability)?.offered.has(capability))),
    retryableWrites: new Set(
      capabilities.filter((capability) => findStarted(capability)?.offer.retryableWrites?.includes(capability)),
    ),
    notes: started.flatMap(({ name, offer: { notes = [] } }) => notes.map((note) => `${name}: ${note}`)),
    warnings: listOwnershipWarnings(loaded, started),
  };
}

/** The port as its one owner made it, or an object with the methods of several. */
function joinPort(name: PortName, started: readonly StartedAdapter[], findOwner: FindOwner): object | undefined {
  const owned = capabilities
    .filter((capability) => splitCapability(capability)[0] === name)
    .map((capability) => ({ method: splitCapability(capability)[1], owner: findOwner(capability) }));
  const getPort = (owner: string) => started.find((adapter) => adapter.name === owner)?.offer[name];
  const [first] = owned;
  if (!first || owned.every(({ owner }) => owner === first.owner)) return first && getPort(first.owner);
  return Object.fromEntries(
    owned.flatMap(({ method, owner }) => {
      const port = getPort(owner);
      const offered: unknown = port && Reflect.get(port, method);
      return typeof offered === 'function' ? [[method, offered.bind(port)]] : [];
    }),
  );
}

function callMethod(port: unknown, method: string, given: readonly unknown[]): unknown {
  const found: unknown = Reflect.get(Object(port), method);
  if (typeof found !== 'function') throw new Error(`no adapter offers ${method}`);
  return Reflect.apply(found, port, given);
}

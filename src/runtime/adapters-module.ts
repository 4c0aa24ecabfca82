import { ContainerModule } from 'inversify';
import { groupA, groupB, type Operation } from '../api/index.ts';
import { applyRoutes } from '../api/routes.ts';
import type { LoadedConfig } from '../config/read.ts';
import type { Guard } from '../guard/guard.ts';
import { getOperationClass } from '../guard/operation-class.ts';
import { type Capability, capabilities, type PortName, ports, splitCapability } from '../ports/index.ts';
import { ConfigProblems } from '../toolkit/problems.ts';
import { closeAdapters, type StartedAdapter, startAdapters } from './adapters.ts';
import type { CallPort } from './other-ports.ts';
import { createFindOwner, type FindOwner, listOwnershipProblems } from './ownership.ts';
import { tokens } from './tokens.ts';

const names = Object.keys(ports) as PortName[];

/** Binds the adapters, the token of each port to what they offer of it, and what that makes of the operations. */
export const adaptersModule = new ContainerModule(({ bind }) => {
  bind(tokens.operations).toResolvedValue(
    ({ config }) => [...groupA, ...applyRoutes(groupB, config.api.paths)],
    [tokens.config],
  );
  bind(tokens.findOwner).toResolvedValue(({ config }) => createFindOwner(config), [tokens.config]);
  bind(tokens.adapters)
    .toResolvedValue(start, [
      tokens.config,
      tokens.operations,
      tokens.findOwner,
      { serviceIdentifier: tokens.guard, optional: true },
    ])
    .onDeactivation(closeAdapters);
  for (const name of names) {
    bind<unknown>(ports[name]).toResolvedValue(
      (started: readonly StartedAdapter[], findOwner: FindOwner) => joinPort(name, started, findOwner),
      [tokens.adapters, tokens.findOwner],
    );
  }
  bind(tokens.ports).toResolvedValue(
    (...offered: unknown[]) => Object.fromEntries(names.map((name, i) => [name, offered[i]])),
    names.map((name) => ports[name]),
  );
  bind(tokens.supports).toResolvedValue(
    (started, findOwner) => selectOwned(started, findOwner, ({ offered }) => [...offered]),
    [tokens.adapters, tokens.findOwner],
  );
  bind(tokens.retryableWrites).toResolvedValue(
    (started, findOwner) => selectOwned(started, findOwner, ({ offer }) => offer.retryableWrites ?? []),
    [tokens.adapters, tokens.findOwner],
  );
});

/**
 * Calls the adapters.
 * @param guard protects the calls that one adapter makes of another; without it they are made at once.
 * @throws ConfigProblems when an adapter cannot use its settings, offers what no port has, or lacks what it is named for.
 */
async function start(
  loaded: LoadedConfig,
  operations: readonly Operation[],
  findOwner: FindOwner,
  guard: Guard | undefined,
): Promise<readonly StartedAdapter[]> {
  const callPort: CallPort = (capability, given) => {
    const adapter = findOwner(capability);
    const call = async () => {
      const method = findMethod(started, adapter, capability);
      if (!method) throw new Error(`no adapter offers ${capability}`);
      return method(...given);
    };
    const kind = { adapter, port: splitCapability(capability)[0], class: getOperationClass([capability]) };
    return guard ? guard.protectNested(kind, call) : call();
  };
  const started = await startAdapters(loaded, callPort);
  const problems = listOwnershipProblems(loaded, started, operations);
  if (problems.length === 0) return started;
  await closeAdapters(started);
  throw new ConfigProblems(problems);
}

/** Of what each adapter names, the methods that are its own here. */
const selectOwned = (
  started: readonly StartedAdapter[],
  findOwner: FindOwner,
  list: (adapter: StartedAdapter) => readonly Capability[],
): ReadonlySet<Capability> =>
  new Set(started.flatMap((adapter) => list(adapter).filter((capability) => findOwner(capability) === adapter.name)));

const getPort = (started: readonly StartedAdapter[], adapter: string, port: PortName): object | undefined =>
  started.find(({ name }) => name === adapter)?.offer[port];

/** The port as its one owner made it, or an object with the methods of several. */
function joinPort(name: PortName, started: readonly StartedAdapter[], findOwner: FindOwner): object | undefined {
  const owned = capabilities.filter((capability) => splitCapability(capability)[0] === name);
  const [owner = '', ...others] = new Set(owned.map(findOwner));
  if (others.length === 0) return getPort(started, owner, name);
  const methods = owned.map((each) => [splitCapability(each)[1], findMethod(started, findOwner(each), each)]);
  return Object.fromEntries(methods.filter(([, method]) => method));
}

function findMethod(started: readonly StartedAdapter[], adapter: string, capability: Capability) {
  const [name, method] = splitCapability(capability);
  const port = getPort(started, adapter, name);
  const found: unknown = port && Reflect.get(port, method);
  return typeof found === 'function' ? (found.bind(port) as (...given: readonly unknown[]) => unknown) : undefined;
}

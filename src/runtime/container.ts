import { Container } from 'inversify';
import { groupA, groupB, type Operation } from '../api/index.ts';
import { applyRoutes } from '../api/routes.ts';
import { ConfigProblems } from '../config/problems.ts';
import type { LoadedConfig } from '../config/read.ts';
import type { Guard } from '../guard/guard.ts';
import { getOperationClass } from '../guard/operation-class.ts';
import {
  type Capability,
  capabilities,
  type PortName,
  ports,
  type Readiness,
  splitCapability,
} from '../ports/index.ts';
import { closeAdapters, type StartedAdapter, startAdapters } from './adapters.ts';
import type { CallPort } from './other-ports.ts';
import { createFindOwner, type FindOwner, listOwnershipProblems, listOwnershipWarnings } from './ownership.ts';

/** The adapters that configuration names, ready to work as one. */
export interface Composition {
  /** Every operation, with the routes that configuration gives to Group B. */
  readonly operations: readonly Operation[];
  /** What is offered of a port, by whichever adapters have it; undefined when that is nothing. */
  port(name: PortName): unknown;
  /** The default adapter, and those after it that configuration names for a port. */
  readonly adapters: readonly ComposedAdapter[];
  /** The name of the adapter that has a method, whether it offers it or not. */
  readonly findOwner: FindOwner;
  readonly supports: ReadonlySet<Capability>;
  /** The writes that may be sent again when their outcome is unknown. */
  readonly resumes: ReadonlySet<Capability>;
  /** What is valid but probably unintended, one line each. */
  readonly warnings: readonly string[];
  /** Lets go of everything that the adapters hold. */
  close(): Promise<void>;
}

export interface ComposedAdapter {
  readonly name: string;
  /** Undefined when it has nothing to find out. */
  readonly readiness: Readiness | undefined;
}

/**
 * Calls the adapters, and binds each port's token to what they offer of that port.
 * @param guard protects the calls that one adapter makes of another; without it they are made at once.
 * @throws ConfigProblems when an adapter cannot use its settings, offers what no port has, or lacks what it is named for.
 */
export async function compose(loaded: LoadedConfig, guard?: Guard): Promise<Composition> {
  const operations = [...groupA, ...applyRoutes(groupB, loaded.config.api.paths)];
  const findOwner = createFindOwner(loaded.config);
  const container = new Container();
  const callPort: CallPort = (capability, given) => {
    const [name, method] = splitCapability(capability);
    const call = async () => callMethod(container.get<unknown>(ports[name]), method, given);
    const kind = { adapter: findOwner(capability), port: name, class: getOperationClass([capability]) };
    return guard ? guard.protectNested(kind, call) : call();
  };
  const started = await startAdapters(loaded, callPort);
  const problems = listOwnershipProblems(loaded, started, operations);
  if (problems.length > 0) {
    await closeAdapters(started);
    throw new ConfigProblems(problems);
  }
  const findStarted = (capability: Capability) => started.find(({ name }) => name === findOwner(capability));
  for (const name of Object.keys(ports) as PortName[]) {
    const port = joinPort(name, started, findOwner);
    if (port) container.bind<unknown>(ports[name]).toConstantValue(port);
  }
  return {
    operations,
    port: (name) => container.get<unknown>(ports[name], { optional: true }),
    adapters: started.map(({ name, offer: { readiness } }) => ({ name, readiness })),
    findOwner,
    supports: new Set(capabilities.filter((capability) => findStarted(capability)?.offered.has(capability))),
    resumes: new Set(capabilities.filter((capability) => findStarted(capability)?.offer.resumes?.includes(capability))),
    warnings: listOwnershipWarnings(loaded, started),
    close: () => closeAdapters(started),
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

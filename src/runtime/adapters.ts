import type { Adapter, OtherPorts } from '../../adapters/adapter.ts';
import { isOffered, type Operation } from '../api/index.ts';
import type { FoundAdapter } from '../config/adapters.ts';
import { formatPlace } from '../config/import-adapter.ts';
import type { LoadedConfig } from '../config/read.ts';
import type { Ports } from '../http/chain.ts';
import {
  type Capability,
  capabilities,
  Failure,
  listMethods,
  listOffered,
  type Offer,
  type PortName,
  portNames,
  ports,
  splitCapability,
} from '../ports/index.ts';
import { findCauseCode } from '../toolkit/failures.ts';
import {
  type ConfigProblems,
  didYouMean,
  joinProblems,
  SettingsProblem,
  toConfigProblems,
} from '../toolkit/problems.ts';
import { isRecord } from '../toolkit/records.ts';

/** A running adapter with its offer. */
export interface RunningAdapter extends FoundAdapter {
  readonly offer: Offer;
  readonly offered: ReadonlySet<Capability>;
}

/** The default adapter, followed by those that `ports` names. */
function listUsed({ config, adapters }: LoadedConfig): readonly FoundAdapter[] {
  const used = Object.values(config.ports).map((entry) => entry.adapter);
  return adapters.filter(({ path, name }) => path.length === 1 || used.includes(name));
}

const getKey = ({ module }: FoundAdapter): 'name' | 'module' => (module === undefined ? 'name' : 'module');

/**
 * Starts each adapter, the default one first.
 * @throws ConfigProblems for all adapters whose settings or offers are invalid, or whose systems are unavailable. None
 * stays open.
 */
export async function startAdapters(loaded: LoadedConfig, callOwner: CallOwner): Promise<RunningAdapter[]> {
  const started: RunningAdapter[] = [];
  const problems: ConfigProblems[] = [];
  try {
    for (const configured of listUsed(loaded)) {
      const { name, adapter, path } = configured;
      const key = getKey(configured);
      const { config } = loaded;
      const { settings = {} } = (path.length === 1 ? config.adapter : config.adapters[name]) ?? {};
      const add = (problem: SettingsProblem, section: readonly string[]) =>
        problems.push(toConfigProblems(problem, section, loaded.problem));
      const report = (what: string, awaits?: string) =>
        add(new SettingsProblem(key, [`the adapter ${name} ${what}`], awaits), path);
      try {
        const others = createOtherPorts(listNeeds(adapter), callOwner);
        const offer = await adapter.offer(settings, config.institution, others);
        if (!isRecord(offer)) {
          report('offers nothing: its offer must return an object with ports');
          continue;
        }
        started.push({ ...configured, offer, offered: new Set(listOffered(offer)) });
        for (const what of listOfferProblems(offer)) report(`offers an ${what}`);
      } catch (error) {
        if (error instanceof SettingsProblem) add(error, [...path, 'settings']);
        else if (isAway(error)) {
          const cause = findCauseCode(error) ?? error.kind;
          report(`cannot start yet (${cause})`, cause);
        } else if (key === 'name') throw error;
        else report(`cannot start: ${explainOfferError(error)}`);
      }
    }
    if (problems.length > 0) throw joinProblems(problems);
  } catch (error) {
    await closeAdapters(started);
    throw error;
  }
  return started;
}

/** True if its system is not available yet. */
const isAway = (error: unknown): error is Failure =>
  error instanceof Failure && ['unavailable', 'timeout', 'overloaded'].includes(error.kind);

const listNeeds = ({ needs = {} }: Adapter): Capability[] =>
  capabilities.filter((capability) => needs[capability] !== undefined);

/** Explains the error without its message, which may contain a secret of the settings. */
function explainOfferError(error: unknown): string {
  const { name, code = '' }: NodeJS.ErrnoException =
    error instanceof Error ? error : { name: typeof error, message: '' };
  const place = error instanceof Error ? formatPlace(error) : '';
  return `its offer throws ${`${name} ${code}`.trim()}${place}: it may throw only SettingsProblem`;
}

/** Closes the last one first, because it may call earlier ones. A failure does not prevent the others from closing. */
export async function closeAdapters(started: readonly RunningAdapter[]): Promise<void> {
  const failures: unknown[] = [];
  for (const { offer } of started.toReversed()) {
    try {
      await offer.close?.();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** The adapters of all methods. */
interface Matrix {
  readonly adapters: readonly string[];
  readonly findOwner: FindOwner;
  readonly supports: ReadonlySet<Capability>;
}

/** The offers of all adapters together. */
export interface Offered extends Matrix {
  /** All operations, Group B with its configured routes. */
  readonly operations: readonly Operation[];
  readonly ports: Ports;
  /** The methods that may be called again after an unknown outcome. */
  readonly retryableWrites: ReadonlySet<Capability>;
  /** The reasons of owners for methods that they do not offer. */
  readonly reasons: ReadonlyMap<Capability, string>;
}

/** The methods of one port in one adapter. */
interface MatrixRow {
  readonly port: PortName;
  readonly adapter: string;
  readonly offered: readonly string[];
  readonly missing: readonly string[];
  /** True if another adapter has the other methods of the port. */
  readonly shared: boolean;
}

/** One row for each port and each adapter with methods of it. */
export function listMatrix({ adapters, findOwner, supports }: Matrix): MatrixRow[] {
  return portNames.flatMap((port) => {
    const methods = capabilities.filter((capability) => splitCapability(capability)[0] === port);
    const owners = adapters.filter((adapter) => methods.some((capability) => findOwner(capability) === adapter));
    return owners.map((adapter) => {
      const owned = methods.filter((capability) => findOwner(capability) === adapter);
      const [offered = [], missing = []] = [true, false].map((yes) =>
        owned.filter((capability) => supports.has(capability) === yes).map((c) => splitCapability(c)[1]),
      );
      return { port, adapter, offered, missing, shared: owners.length > 1 };
    });
  });
}

/** The ports or methods of additional adapters: `['tickets=local', 'practitioners.list=local']`. */
export function listBindings(matrix: Matrix): string[] {
  const [first] = matrix.adapters;
  const rows = listMatrix(matrix).filter(({ adapter }) => adapter !== first);
  return rows.flatMap(({ port, adapter, offered, missing, shared }) => {
    const names = shared ? [...offered, ...missing].map((method) => `${port}.${method}`) : [port];
    return names.map((name) => `${name}=${adapter}`);
  });
}

/** One sentence for each adapter: the number of offered operations, and the ports of additional adapters. */
export function describeAdapters(matrix: Matrix, operations: readonly Operation[]): string[] {
  const offered = operations.filter((operation) => isOffered(operation, matrix.supports));
  const count = (adapter: string) => offered.filter(({ uses }) => matrix.findOwner(uses[0]) === adapter).length;
  const [first = '', ...further] = matrix.adapters;
  if (further.length === 0) return [`${first} (offers ${offered.length} of ${operations.length} operations)`];
  const rows = listMatrix(matrix);
  return [
    `${first} (offers ${count(first)} of ${operations.length} operations)`,
    ...further.map((adapter) => {
      const names = rows
        .filter((row) => row.adapter === adapter)
        .map(({ port, shared, offered }) => (shared ? `${port} (${offered.join(', ')})` : port));
      return `${adapter} (offers ${count(adapter)}): ${names.join(', ')}`;
    }),
  ];
}

/** Unknown names in an offer, one sentence each: ports, and public functions that the port does not have. */
function listOfferProblems(offer: Offer): string[] {
  const names = [...Object.keys(ports), 'readiness', 'retryableWrites', 'notOffered', 'notes', 'close'];
  return Object.entries(offer).flatMap(([name, port]) => {
    if (!names.includes(name)) return [`unknown port ${name}${didYouMean(name, names)}`];
    const methods = listMethods(name);
    return methods.length === 0 ? [] : listUnknownMethods(name, port, methods);
  });
}

const listUnknownMethods = (name: string, port: object, methods: readonly string[]): string[] =>
  listFunctions(port)
    .filter((method) => !methods.includes(method))
    .map((method) => {
      const hint =
        didYouMean(method, methods) ||
        `: the port has ${methods.join(', ')}, and other functions must be private (#${method})`;
      return `unknown method ${name}.${method}${hint}`;
    });

/** The names of an object's functions, own or inherited. Private ones have no names. */
function listFunctions(object: object): string[] {
  const own = Object.entries(Object.getOwnPropertyDescriptors(object))
    .filter(([name, { value }]) => typeof value === 'function' && name !== 'constructor')
    .map(([name]) => name);
  const parent: unknown = Object.getPrototypeOf(object);
  return isRecord(parent) && parent !== Object.prototype ? [...own, ...listFunctions(parent)] : own;
}

/** Calls a port method for an adapter. The last argument is the `Call`. */
export type CallOwner = (capability: Capability, given: readonly unknown[]) => Promise<unknown>;

/** The methods that an adapter needs of others. Each calls through `callOwner`. */
function createOtherPorts(needs: readonly Capability[], callOwner: CallOwner): OtherPorts;
function createOtherPorts(needs: readonly Capability[], callOwner: CallOwner): object {
  const others: Partial<Record<PortName, Record<string, (...given: unknown[]) => Promise<unknown>>>> = {};
  for (const capability of needs) {
    const [name, method] = splitCapability(capability);
    others[name] = { ...others[name], [method]: (...given) => callOwner(capability, given) };
  }
  return others;
}

/** The name of the adapter that has a method, whether it offers the method or not. */
export type FindOwner = (capability: Capability) => string;

/** Reads it from the configuration: the default adapter has all methods that `ports` does not name. */
export function createFindOwner({ adapter, ports }: LoadedConfig['config']): FindOwner {
  return (capability) => {
    const [port, method] = splitCapability(capability);
    const entry = ports[port];
    return entry && (entry.only?.includes(method) ?? true) ? entry.adapter : adapter.name;
  };
}

/** Conflicts between adapters, one line each. */
export function listOwnershipProblems(
  { config, problem }: LoadedConfig,
  started: readonly RunningAdapter[],
  operations: readonly Operation[],
): string[] {
  const findOwner = createFindOwner(config);
  const isOffered = (name: string, capability: string): boolean =>
    started.some((adapter) => adapter.name === name && [...adapter.offered].some((offered) => offered === capability));
  return [
    ...Object.entries(config.ports).flatMap(([port, { adapter, only }]) => {
      const offered = listMethods(port).filter((method) => isOffered(adapter, `${port}.${method}`));
      if (offered.length === 0)
        return [problem(['ports', port, 'adapter'], `${adapter} has no method of ${port}: remove the entry`)];
      return [...(only ?? []).entries()]
        .filter(([, method]) => !offered.includes(method))
        .map(([i, method]) => {
          const hint = didYouMean(method, offered) || `: use one of ${offered.join(', ')}`;
          return problem(['ports', port, 'only', i], `${adapter} does not offer ${port}.${method}${hint}`);
        });
    }),
    ...operations.flatMap(({ name, uses }) => {
      if (new Set(uses.map(findOwner)).size === 1) return [];
      const what = `the operation ${name} uses ${uses.join(' and ')}: name all of them, or none`;
      return [problem(['ports', splitCapability(uses[0])[0], 'only'], what)];
    }),
    ...started.flatMap((running) => {
      const { name, adapter, path } = running;
      return listNeeds(adapter).flatMap((needed) => {
        const needing = (adapter.needs?.[needed] ?? []).filter(
          (capability) => findOwner(capability) === name && isOffered(name, capability),
        );
        const isMet = findOwner(needed) !== name && isOffered(findOwner(needed), needed);
        if (isMet || needing.length === 0) return [];
        const what = `the adapter ${name} needs ${needed} of another adapter for ${needing.join(', ')}, but no adapter offers it: add one that does`;
        return [problem([...path, getKey(running)], what)];
      });
    }),
  ];
}

/** The reason for each method that its owner does not offer, if the owner gives one. */
export function selectReasons(
  started: readonly RunningAdapter[],
  findOwner: FindOwner,
): ReadonlyMap<Capability, string> {
  const reasons = capabilities.flatMap((capability) => {
    const owner = started.find(({ name }) => name === findOwner(capability));
    const reason = owner?.offered.has(capability) ? undefined : owner?.offer.notOffered?.[capability];
    return reason === undefined ? [] : [[capability, reason] as const];
  });
  return new Map(reasons);
}

/** The line of `puente check` about a method that is not offered. */
export const formatReason = (capability: string, reason: string): string => `${capability} is not offered: ${reason}`;

/** One line for each method that an adapter owns and does not offer, and its notes. */
export function listAdapterNotes(
  started: readonly RunningAdapter[],
  { findOwner, reasons }: Pick<Offered, 'findOwner' | 'reasons'>,
): string[] {
  return started.flatMap(({ name, offer: { notes = [] } }) => {
    const missing = [...reasons].filter(([capability]) => findOwner(capability) === name);
    const lines = missing.map(([capability, reason]) => formatReason(capability, reason));
    return [...lines, ...notes].map((note) => `${name}: ${note}`);
  });
}

/** Methods that answer 501 although the default adapter offers them, one line for each port. */
export function listOwnershipWarnings({ config, problem }: LoadedConfig, started: readonly RunningAdapter[]): string[] {
  const findOwner = createFindOwner(config);
  const [first] = started;
  const hidden = capabilities.filter((capability) => {
    const owner = started.find(({ name }) => name === findOwner(capability));
    return owner !== first && first?.offered.has(capability) && !owner?.offered.has(capability);
  });
  return Object.entries(Object.groupBy(hidden, (capability) => splitCapability(capability)[0])).map(
    ([port, methods]) => {
      const names = methods.map((capability) => splitCapability(capability)[1]).join(', ');
      const what = `does not offer ${names}, but ${config.adapter.name} does: they answer 501 unless only names the other methods`;
      return problem(['ports', port, 'adapter'], `${config.ports[port]?.adapter} ${what}`);
    },
  );
}

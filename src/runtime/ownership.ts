import type { Operation } from '../api/index.ts';
import type { LoadedConfig } from '../config/read.ts';
import { type Capability, capabilities, listMethods, splitCapability } from '../ports/index.ts';
import { didYouMean } from '../toolkit/did-you-mean.ts';
import { listNeeds, type StartedAdapter } from './adapters.ts';

/** The name of the adapter that has a method, whether it offers it or not. */
export type FindOwner = (capability: Capability) => string;

/** Reads it from the configuration: what `ports` does not name is the default adapter's. */
export function createFindOwner({ adapter, ports }: LoadedConfig['config']): FindOwner {
  return (capability) => {
    const [port, method] = splitCapability(capability);
    const entry = ports[port];
    return entry && (entry.only?.includes(method) ?? true) ? entry.adapter : adapter.name;
  };
}

/** What keeps the adapters from working together, one line each. */
export function listOwnershipProblems(
  { config, problem }: LoadedConfig,
  started: readonly StartedAdapter[],
  operations: readonly Operation[],
): string[] {
  const findOwner = createFindOwner(config);
  const isOffered = (name: string, capability: string): boolean =>
    started.some((adapter) => adapter.name === name && [...adapter.offered].some((offered) => offered === capability));
  return [
    ...Object.entries(config.ports).flatMap(([port, { adapter, only }]) => {
      const offered = listMethods(port).filter((method) => isOffered(adapter, `${port}.${method}`));
      if (offered.length === 0) return [problem(['ports', port, 'adapter'], `${adapter} offers nothing of ${port}`)];
      return [...(only ?? []).entries()]
        .filter(([, method]) => !offered.includes(method))
        .map(([i, method]) => {
          const hint = didYouMean(method, offered) || `; it offers ${offered.join(', ')}`;
          return problem(['ports', port, 'only', i], `${adapter} does not offer ${port}.${method}${hint}`);
        });
    }),
    ...operations.flatMap(({ name, uses }) => {
      if (new Set(uses.map(findOwner)).size === 1) return [];
      const what = `the operation ${name} uses ${uses.join(' and ')}: name all of them, or none`;
      return [problem(['ports', splitCapability(uses[0])[0], 'only'], what)];
    }),
    ...started.flatMap(({ name, adapter, path, key }) =>
      listNeeds(adapter).flatMap((needed) => {
        const needing = (adapter.needs?.[needed] ?? []).filter(
          (capability) => findOwner(capability) === name && isOffered(name, capability),
        );
        const isMet = findOwner(needed) !== name && isOffered(findOwner(needed), needed);
        if (isMet || needing.length === 0) return [];
        const what = `the adapter ${name} needs ${needed} of another adapter for ${needing.join(', ')}, and none offers it here`;
        return [problem([...path, key], what)];
      }),
    ),
  ];
}

/** Methods that answer 501 although the default adapter offers them, one line for each port. */
export function listOwnershipWarnings({ config, problem }: LoadedConfig, started: readonly StartedAdapter[]): string[] {
  const findOwner = createFindOwner(config);
  const [first] = started;
  const hidden = capabilities.filter((capability) => {
    const owner = started.find(({ name }) => name === findOwner(capability));
    return owner !== first && first?.offered.has(capability) && !owner?.offered.has(capability);
  });
  return Object.entries(Object.groupBy(hidden, (capability) => splitCapability(capability)[0])).map(
    ([port, methods]) => {
      const names = methods.map((capability) => splitCapability(capability)[1]).join(', ');
      const what = `does not offer ${names}, which ${config.adapter.name} does: 501, unless only names the other methods`;
      return problem(['ports', port, 'adapter'], `${config.ports[port]?.adapter} ${what}`);
    },
  );
}

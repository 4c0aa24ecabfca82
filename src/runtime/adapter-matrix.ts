import { isOffered, type Operation } from '../api/index.ts';
import { type Capability, capabilities, type PortName, ports, splitCapability } from '../ports/index.ts';
import type { FindOwner } from './ownership.ts';

/** Which adapter answers what. */
export interface Matrix {
  readonly adapters: readonly string[];
  readonly findOwner: FindOwner;
  readonly supports: ReadonlySet<Capability>;
}

/** The methods of one port that one adapter has. */
export interface MatrixRow {
  readonly port: PortName;
  readonly adapter: string;
  readonly offered: readonly string[];
  readonly missing: readonly string[];
  /** Whether another adapter has the rest of the port. */
  readonly shared: boolean;
}

/** Each port once for each adapter that has methods of it. */
export function listMatrix({ adapters, findOwner, supports }: Matrix): MatrixRow[] {
  return (Object.keys(ports) as PortName[]).flatMap((port) => {
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

/** The ports, or methods of one, that a further adapter has: `['tickets=local', 'practitioners.list=local']`. */
export function listBindings(matrix: Matrix): string[] {
  const [first] = matrix.adapters;
  const rows = listMatrix(matrix).filter(({ adapter }) => adapter !== first);
  return rows.flatMap(({ port, adapter, offered, missing, shared }) => {
    const names = shared ? [...offered, ...missing].map((method) => `${port}.${method}`) : [port];
    return names.map((name) => `${name}=${adapter}`);
  });
}

/** One sentence for each adapter: how many operations it offers, and of the further ones which ports. */
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

import type { OtherPorts } from '../../adapters/adapter.ts';
import { type Capability, type PortName, splitCapability } from '../ports/index.ts';

/** Calls a method of a port for an adapter; what is given ends with the `Call`. */
export type CallPort = (capability: Capability, given: readonly unknown[]) => Promise<unknown>;

/** The methods that an adapter needs of others, each of which makes its calls through `callPort`. */
export function createOtherPorts(needs: readonly Capability[], callPort: CallPort): OtherPorts {
  const others: Partial<Record<PortName, Record<string, (...given: unknown[]) => Promise<unknown>>>> = {};
  for (const capability of needs) {
    const [name, method] = splitCapability(capability);
    others[name] = { ...others[name], [method]: (...given) => callPort(capability, given) };
  }
  return others as OtherPorts;
}

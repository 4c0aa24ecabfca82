import type { Case } from '../../src/contract/index.ts';
import { type Capability, capabilities } from '../../src/ports/index.ts';

const without = (...absent: readonly Capability[]): readonly Capability[] =>
  capabilities.filter((each) => !absent.includes(each));

const local: readonly Capability[] = [
  'tickets.types',
  'tickets.type',
  'tickets.list',
  'tickets.open',
  'practitioners.changeReasons',
  'practitioners.requestChange',
  'practitioners.changeRequestOf',
  'family-groups.list',
  'family-groups.add',
  'family-groups.remove',
];

/** The examples leave these methods to the adapter `local`. */
const leftToLocal = local.filter((each) => !each.startsWith('family-groups.'));

/**
 * The methods that each adapter offers: `mapping` with the files of the examples, and `clinic` of its example. `memory`
 * has all methods. The tests that run the contract compare each list with the offer.
 */
export const offeredMethods = {
  fhir: capabilities,
  local,
  mapping: without(...leftToLocal),
  clinic: without(...leftToLocal, 'directory.entries'),
};

/** True if the case runs over a system that offers only these methods: for an absent method, the proof of its 501. */
export const runsOver =
  (offered: readonly Capability[]) =>
  ({ needs, requires, whenUnsupported }: Case): boolean =>
    offered.includes(needs) ? requires.every((each) => offered.includes(each)) : whenUnsupported !== undefined;

import type { Location } from '../../../src/ports/index.ts';
import { type PortFault, replace } from './port-fault.ts';

/** Methods that have no eye on the deadline of their call. */
export const deadlineFaults: readonly PortFault[] = [
  {
    name: 'a list that is kept, and given to who has no time left',
    plant: ({ directory }) => {
      let kept: readonly Location[] | undefined;
      return {
        directory: replace(directory, {
          locations: async (call) => {
            kept ??= await directory.locations(call);
            return kept;
          },
        }),
      };
    },
    caughtBy: 'ports.directory.locations.aborted',
    named: /fails with timeout after the deadline, even after an earlier successful call/,
  },
];

import type { Directory } from '../../src/ports/index.ts';
import { throwIfAborted } from '../../src/toolkit/abort.ts';
import type { World } from './world.ts';

export function createDirectory(world: World): Directory {
  return {
    async locations(call) {
      throwIfAborted(call);
      return [...world.locations.values()];
    },

    async entries(call) {
      throwIfAborted(call);
      return [...world.directory];
    },
  };
}

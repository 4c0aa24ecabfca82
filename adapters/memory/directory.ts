import type { Directory } from '../../src/ports/index.ts';
import type { World } from './world.ts';

export function createDirectory(world: World): Directory {
  return {
    locations: async () => [...world.locations.values()],

    entries: async () => [...world.directory],
  };
}

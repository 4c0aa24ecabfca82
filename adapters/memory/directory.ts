import { type Call, Directory, type DirectoryEntry, type Location } from '../../src/ports/index.ts';
import { inTime } from './deadline.ts';
import type { World } from './world.ts';

export class MemoryDirectory extends Directory {
  readonly #world: World;

  constructor(world: World) {
    super();
    this.#world = world;
  }

  async locations(call: Call): Promise<readonly Location[]> {
    inTime(call);
    return [...this.#world.locations.values()];
  }

  async entries(call: Call): Promise<readonly DirectoryEntry[]> {
    inTime(call);
    return [...this.#world.directory];
  }
}

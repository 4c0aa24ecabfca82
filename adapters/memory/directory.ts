import { type Call, Directory, type DirectoryEntry, type Location } from '../../src/ports/index.ts';
import { throwIfAborted } from '../abort.ts';
import type { World } from './world.ts';

export class MemoryDirectory extends Directory {
  readonly #world: World;

  constructor(world: World) {
    super();
    this.#world = world;
  }

  async locations(call: Call): Promise<readonly Location[]> {
    throwIfAborted(call);
    return [...this.#world.locations.values()];
  }

  async entries(call: Call): Promise<readonly DirectoryEntry[]> {
    throwIfAborted(call);
    return [...this.#world.directory];
  }
}

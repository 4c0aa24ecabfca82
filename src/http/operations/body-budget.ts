/** Bytes beyond which a body is a large one. */
const LARGE = 64 * 1024;

/** A body that comes, or is worked on. */
export interface HeldBody {
  /** Counts bytes that came; false when there is no room for them. */
  add(bytes: number): boolean;
  /** Counts none of them any more. */
  release(): void;
}

/** Bounds the bytes of the bodies that came and are worked on, over all connections, however many more are announced. */
export class BodyBudget {
  readonly #max: number;
  #held = 0;
  /** Bytes of large ones, announced or come. */
  readonly #largeByClient = new Map<string, number>();

  /** @param max bytes. */
  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Begins a body; undefined when there is no room for as much as it announces. Those over 64 KiB have three quarters of the budget,
   * so that files do not keep out everything else, and of one client they have half of it, or are one: what a client announces takes
   * room from that client alone. Of smaller ones `limits.clients` lets a client send few at the same time.
   */
  begin(client: string, announced = 0): HeldBody | undefined {
    let held = 0;
    let large = 0;
    const findOthers = (): number => (this.#largeByClient.get(client) ?? 0) - large;
    const hasRoom = (size: number): boolean => {
      const [mine, others] = [toLarge(size), findOthers()];
      const isBeyondShare = mine > 0 && others > 0 && others + mine > this.#max / 2;
      return !isBeyondShare && this.#held - held + size <= (mine > 0 ? (this.#max * 3) / 4 : this.#max);
    };
    const change = (size: number, claim: number): void => {
      const all = findOthers() + claim;
      if (all === 0) this.#largeByClient.delete(client);
      else this.#largeByClient.set(client, all);
      this.#held += size - held;
      [held, large] = [size, claim];
    };
    if (!hasRoom(announced)) return undefined;
    change(0, toLarge(announced));
    return {
      add: (bytes) => {
        const size = held + bytes;
        if (!hasRoom(size)) return false;
        change(size, Math.max(large, toLarge(size)));
        return true;
      },
      release: () => change(0, 0),
    };
  }
}

/** The bytes of a body as far as it is a large one. */
const toLarge = (bytes: number): number => (bytes > LARGE ? bytes : 0);

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
  /** Bytes of large ones. */
  readonly #largeByClient = new Map<string, number>();

  /** @param max bytes. */
  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Begins a body. Those over 64 KiB have three quarters of the budget, so that files do not keep out everything else, and of one
   * client they have half of it, or are one. Of smaller ones `limits.clients` lets a client send few at the same time.
   */
  begin(client: string): HeldBody {
    let held = 0;
    const change = (bytes: number): void => {
      const othersLarge = this.#findLarge(client) - toLarge(held);
      this.#held += bytes;
      held += bytes;
      const large = othersLarge + toLarge(held);
      if (large === 0) this.#largeByClient.delete(client);
      else this.#largeByClient.set(client, large);
    };
    return {
      add: (bytes) => {
        const large = toLarge(held + bytes);
        const others = this.#findLarge(client) - toLarge(held);
        const isBeyondShare = large > 0 && others > 0 && others + large > this.#max / 2;
        const hasRoom = this.#held + bytes <= (large > 0 ? (this.#max * 3) / 4 : this.#max);
        if (isBeyondShare || !hasRoom) return false;
        change(bytes);
        return true;
      },
      release: () => change(-held),
    };
  }

  #findLarge(client: string): number {
    return this.#largeByClient.get(client) ?? 0;
  }
}

/** The bytes of a body as far as it is a large one. */
const toLarge = (bytes: number): number => (bytes > LARGE ? bytes : 0);

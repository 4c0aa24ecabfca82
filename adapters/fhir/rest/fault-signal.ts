/** Signals that a server could not be reached, or did a transaction by halves, to the one who listens. */
export class FaultSignal {
  #listener = () => {};

  /** Calls the function from now on, and none before it any more. */
  listen(listener: () => void): void {
    this.#listener = listener;
  }

  report(): void {
    this.#listener();
  }
}

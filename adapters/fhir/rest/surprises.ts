/** What was not expected of a server: that it cannot be reached, or does a transaction by halves. One may listen. */
export class Surprises {
  #listener = () => {};

  listen(listener: () => void): void {
    this.#listener = listener;
  }

  tell(): void {
    this.#listener();
  }
}

import { Rejection } from '../../api/index.ts';
import { badAnswer } from '../../toolkit/http-client/failures.ts';

/** How many questions are asked at the same time, and how many more of one address wait for one of them to be answered. */
const MAX_ASKING = 32;
const MAX_WAITING = 256;

/** The questions to an issuer. Those that wait are asked in turns of their addresses, so that none waits behind all of another. */
export class QuestionQueue {
  #asking = 0;
  /** By address, the one whose turn is next first. */
  readonly #waiting = new Map<string, (() => void)[]>();

  /** @throws Rejection `auth_provider_unavailable`, at once, when too many of the address wait; and what `question` throws. */
  async run<T>(address: string, question: () => Promise<T>): Promise<T> {
    if (this.#asking < MAX_ASKING) this.#asking += 1;
    else await this.#wait(address);
    try {
      return await question();
    } finally {
      this.#passOn();
    }
  }

  #wait(address: string): Promise<void> {
    const line = this.#waiting.get(address) ?? [];
    if (line.length >= MAX_WAITING) {
      throw new Rejection('auth_provider_unavailable', { cause: badAnswer('introspection_busy') });
    }
    this.#waiting.set(address, line);
    return new Promise((resolve) => line.push(resolve));
  }

  /** The place of a question that is answered goes to the next one; then its address comes after all others. */
  #passOn(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#asking -= 1;
      return;
    }
    const [address, line] = next;
    const start = line.shift();
    this.#waiting.delete(address);
    if (line.length > 0) this.#waiting.set(address, line);
    start?.();
  }
}

import { createHash } from 'node:crypto';
import { type Call, Failure } from '../../src/ports/index.ts';

/** How many writes of one kind are remembered; the oldest is forgotten first. */
const MAX_WRITES = 10_000;

/** The writes of one kind that came with an `Idempotency-Key`, and their results. */
export class IdempotentWrites<T> {
  readonly #done = new Map<string, { readonly content: string; readonly result: T }>();

  /**
   * Writes, or returns the result of the earlier write of this client with this key. What fails may be tried again.
   * @throws Failure invalid `idempotency_key_reused` when the earlier write had another content.
   */
  once({ client, idempotencyKey }: Call, content: unknown, write: () => T): T {
    if (idempotencyKey === undefined) return write();
    const key = JSON.stringify([client, idempotencyKey]);
    const digest = createHash('sha256').update(JSON.stringify(content)).digest('hex');
    const earlier = this.#done.get(key);
    if (earlier && earlier.content !== digest) {
      throw new Failure('invalid', 'the key was used for another request', {
        code: 'idempotency_key_reused',
        at: 'idempotencyKey',
      });
    }
    if (earlier) return earlier.result;
    const result = write();
    this.#done.set(key, { content: digest, result });
    const [oldest] = this.#done.size > MAX_WRITES ? this.#done.keys() : [];
    if (oldest !== undefined) this.#done.delete(oldest);
    return result;
  }
}

import { type Call, throwKeyReused } from '../../src/ports/index.ts';
import { computeDigest } from '../../src/toolkit/digest.ts';

/** How many writes of one kind are remembered; the oldest is forgotten first. */
const MAX_WRITES = 10_000;

/** The writes of one kind that came with an `Idempotency-Key`, and their results. */
export class IdempotentWrites<T> {
  readonly #done = new Map<string, { readonly content: string; readonly result: T }>();

  /**
   * Writes, or returns the result of the earlier write of this client with this key. What fails may be tried again.
   * @throws Failure invalid `idempotency_key_reused` when the earlier write had another content.
   */
  async once({ client, idempotencyKey }: Call, content: unknown, write: () => T): Promise<T> {
    if (idempotencyKey === undefined) return write();
    const key = JSON.stringify([client, idempotencyKey]);
    const digest = computeDigest(content);
    const earlier = this.#done.get(key);
    if (earlier && earlier.content !== digest) throwKeyReused();
    if (earlier) return earlier.result;
    const result = write();
    this.#done.set(key, { content: digest, result });
    forgetOldest(this.#done);
    return result;
  }
}

/** The `Idempotency-Key`s under which records were given last. */
export class LastKeys {
  readonly #digests = new Map<string, string>();

  /** Whether the record was given last by this client with this key and content. */
  isOwn(id: string, call: Call, content: unknown): boolean {
    return call.idempotencyKey !== undefined && this.#digests.get(id) === toDigest(call, content);
  }

  set(id: string, call: Call, content: unknown): void {
    this.#digests.delete(id);
    if (call.idempotencyKey === undefined) return;
    this.#digests.set(id, toDigest(call, content));
    forgetOldest(this.#digests);
  }
}

const toDigest = ({ client, idempotencyKey }: Call, content: unknown): string =>
  computeDigest([client, idempotencyKey, content]);

function forgetOldest(writes: Map<string, unknown>): void {
  const [oldest] = writes.size > MAX_WRITES ? writes.keys() : [];
  if (oldest !== undefined) writes.delete(oldest);
}

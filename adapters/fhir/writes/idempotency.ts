import { createHash, randomUUID } from 'node:crypto';
import type { Call } from '../../../src/ports/index.ts';
import { findIdentifierValue } from '../schema/datatypes.ts';

/**
 * The key that a write stores with its resource so that it can be found again: the same for the same request of the same
 * client under the same `Idempotency-Key`, else random. It reveals neither that header nor the request.
 * @param request the parts that tell one request from another.
 */
export function computeIdempotencyKey({ client, idempotencyKey }: Call, request: readonly string[]): string {
  if (idempotencyKey === undefined) return randomUUID();
  return createHash('sha256')
    .update(JSON.stringify([client, idempotencyKey, ...request]))
    .digest('hex');
}

/** The resource that a write with this key has left; a server may ignore a search parameter and return others too. */
export const findByIdempotencyKey = <R extends { readonly identifier?: Parameters<typeof findIdentifierValue>[0] }>(
  key: string,
  system: string,
  found: readonly R[],
): R | undefined => found.find(({ identifier }) => findIdentifierValue(identifier, [system]) === key);

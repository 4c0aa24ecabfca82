import { createHash, randomUUID } from 'node:crypto';
import type { Call } from '../../../src/ports/index.ts';
import { findIdentifierValue } from '../schema/datatypes.ts';

/**
 * What a write leaves in the server so that it can be recognised there: the same for the same request under the same
 * `Idempotency-Key`, else one of its own. It shows neither the key nor what was asked.
 * @param request what is asked, in parts.
 */
export function computeIdempotencyKey({ client, idempotencyKey }: Call, request: readonly string[]): string {
  if (idempotencyKey === undefined) return randomUUID();
  return createHash('sha256')
    .update(JSON.stringify([client, idempotencyKey, ...request]))
    .digest('hex');
}

/** What a write with this key has left among what was found: a server may ignore the criterion, and then returns strangers. */
export const findByIdempotencyKey = <R extends { readonly identifier?: Parameters<typeof findIdentifierValue>[0] }>(
  key: string,
  system: string,
  found: readonly R[],
): R | undefined => found.find(({ identifier }) => findIdentifierValue(identifier, [system]) === key);

import { createHash, randomUUID } from 'node:crypto';
import { type Call, Failure } from '../../../src/ports/index.ts';
import { type FhirIdentifier, findIdentifierValue } from '../schema/datatypes.ts';

/** What a write stores with its resource so that it can be found again. It reveals neither `Idempotency-Key` nor content. */
export interface WriteKey {
  /** The same for the same `Idempotency-Key` of the same client, else random. */
  readonly value: string;
  /** A digest of what is written; absent when the caller sent no `Idempotency-Key`. */
  readonly content?: string;
}

/** A key that no other write has. */
export const createWriteKey = (): WriteKey => ({ value: randomUUID() });

/** @param kind tells writes of one kind from those of others, which may have the same `Idempotency-Key`. */
export function computeWriteKey({ client, idempotencyKey }: Call, kind: string, content: unknown): WriteKey {
  if (idempotencyKey === undefined) return createWriteKey();
  const digest = (...parts: unknown[]) =>
    createHash('sha256')
      .update(JSON.stringify([client, idempotencyKey, kind, ...parts]))
      .digest('hex');
  return { value: digest(), content: digest(content) };
}

const getContentSystem = (system: string): string => `${system}-content`;

/** The identifiers that the resource gets: the key in this system, and the digest in one of its own. */
export const toKeyIdentifiers = ({ value, content }: WriteKey, system: string) => [
  { system, value },
  ...(content === undefined ? [] : [{ system: getContentSystem(system), value: content }]),
];

/**
 * The resource that a write with this key has left; a server may ignore a search parameter and return others too.
 * @throws Failure invalid `idempotency_key_reused` when it was written with another content.
 */
export function findByWriteKey<R extends { readonly identifier?: readonly FhirIdentifier[] | undefined }>(
  { value, content }: WriteKey,
  system: string,
  found: readonly R[],
): R | undefined {
  const own = found.find(({ identifier }) => findIdentifierValue(identifier, [system]) === value);
  const stored = findIdentifierValue(own?.identifier, [getContentSystem(system)]);
  if (stored === undefined || stored === content) return own;
  throw new Failure('invalid', 'the key was used for another request', {
    code: 'idempotency_key_reused',
    at: 'idempotencyKey',
  });
}

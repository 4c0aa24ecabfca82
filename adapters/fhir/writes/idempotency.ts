import { randomUUID } from 'node:crypto';
import { type Call, throwKeyReused } from '../../../src/ports/index.ts';
import { computeDigest } from '../../../src/toolkit/digest.ts';
import { type FhirIdentifier, findIdentifierValue } from '../schema/datatypes.ts';

/** What a write stores with its resource so that it can be found again. It reveals neither `Idempotency-Key` nor content. */
export interface WriteKey {
  /** The same for the same `Idempotency-Key` of the same client, else random. */
  readonly value: string;
  /** A digest of what is written; absent when the caller sent no `Idempotency-Key`. */
  readonly content?: string;
}

/** The key of a write of a kind that happens once under an `Idempotency-Key`, and is refused with another content. */
export const computeWriteKey = async (call: Call, kind: string, content: unknown): Promise<WriteKey> => ({
  value: await computeKey(call, kind),
  ...(call.idempotencyKey !== undefined && { content: await computeKey(call, kind, content) }),
});

/** The key of a write that is known by it when it is repeated with the same content; with another it is another write. */
export const computeRepetitionKey = async (call: Call, kind: string, content: unknown): Promise<WriteKey> => ({
  value: await computeKey(call, kind, content),
});

const computeKey = async ({ client, idempotencyKey }: Call, ...parts: readonly unknown[]): Promise<string> =>
  idempotencyKey === undefined ? randomUUID() : computeDigest([client, idempotencyKey, ...parts]);

const getContentSystem = (system: string): string => `${system}-content`;

/** The identifiers that the resource gets: the key in this system, and the digest in one of its own. */
export const toKeyIdentifiers = ({ value, content }: WriteKey, system: string) => [
  { system, value },
  ...(content === undefined ? [] : [{ system: getContentSystem(system), value: content }]),
];

/** The resource that a write with this key has left; throws invalid `idempotency_key_reused` for another content. */
export function findByWriteKey<R extends { readonly identifier?: readonly FhirIdentifier[] | undefined }>(
  { value, content }: WriteKey,
  system: string,
  found: readonly R[],
): R | undefined {
  const own = found.find(({ identifier }) => findIdentifierValue(identifier, [system]) === value);
  const stored = findIdentifierValue(own?.identifier, [getContentSystem(system)]);
  if (stored === undefined || stored === content) return own;
  throwKeyReused();
}

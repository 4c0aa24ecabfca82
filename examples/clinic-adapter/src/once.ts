import { createHash } from 'node:crypto';
import { type Call, throwKeyReused } from 'puente/adapter';
import type { Clinic } from './clinic.ts';

const computeDigest = (content: unknown): string => createHash('sha256').update(JSON.stringify(content)).digest('hex');

/**
 * Writes in a transaction, once under the `Idempotency-Key` of a client, and returns the id of what was made. The key is kept
 * in the same transaction; what fails keeps nothing and may be tried again.
 * @throws Failure invalid `idempotency_key_reused` when the key was used for another content.
 */
export const writeOnce = (clinic: Clinic, call: Call, content: unknown, write: () => string): { readonly id: string } =>
  clinic.transaction(() => {
    if (call.idempotencyKey === undefined) return { id: write() };
    const clave = computeDigest([call.client, call.idempotencyKey]);
    const huella = computeDigest(content);
    const earlier = clinic.get('SELECT huella, id FROM puente_claves WHERE clave = :clave', { clave });
    if (earlier && earlier.huella !== huella) throwKeyReused();
    if (earlier) return { id: String(earlier.id) };
    const id = write();
    clinic.run('INSERT INTO puente_claves (clave, huella, id) VALUES (:clave, :huella, :id)', { clave, huella, id });
    return { id };
  });

import { z } from 'zod';
import {
  type Call,
  Failure,
  type FamilyGroups,
  type FamilyMember,
  type NewFamilyMember,
  type Patient,
} from '../../src/ports/index.ts';
import { throwIfAborted } from '../../src/toolkit/failures.ts';
import type { OtherPorts } from '../adapter.ts';
import { createPromisedFailure } from '../common/failures.ts';
import { type LocalStore, listReadable, parseRow, type RowKey } from './store.ts';

const rowSchema = z.object({
  id: z.string(),
  related_patient_id: z.string(),
  active: z.coerce.number(),
  content: z.instanceof(Uint8Array),
});
const knownRow = z.object({ id: z.string(), active: z.coerce.number(), write_content: z.string().nullable() });
const contentSchema = z.object({ relationshipCode: z.number(), relationshipDescription: z.string() });

/** The ids of two patients: that of the surviving record, and the given one, under which there may be older rows. */
interface Relation {
  readonly patients: readonly [survivor: string, given: string];
  readonly related: readonly [survivor: string, given: string];
}

/** Relations in a table. The database keeps at most one for two patients. */
export class LocalFamilyGroups implements FamilyGroups {
  readonly #store: LocalStore;
  readonly #others: OtherPorts<'patients.get'>;

  constructor(store: LocalStore, others: OtherPorts<'patients.get'>) {
    this.#store = store;
    this.#others = others;
  }

  async list(patientId: string, call: Call): Promise<readonly FamilyMember[]> {
    const { id } = await this.#others.patients.get(patientId, call);
    const found = await this.#store.read(
      `SELECT id, related_patient_id, active, content FROM puente_local_relatives
       WHERE patient_id IN ($1, $2) ORDER BY position`,
      [patientId, id],
      call,
    );
    return listReadable(found, 'relative', (row) => this.#toMember(row), call);
  }

  async add(patientId: string, member: NewFamilyMember, call: Call): Promise<{ readonly id: string }> {
    const { relatedPatientId } = member;
    const key = this.#store.computeWriteKey(call, 'relative', [patientId, member]);
    const given: Relation = { patients: [patientId, patientId], related: [relatedPatientId, relatedPatientId] };
    const earlier = key.content === null ? undefined : await this.#findKnown(given, call);
    if (earlier && earlier.write_content === key.content) return { id: earlier.id };
    // A merged record has the id of the surviving one.
    const { id } = await this.#others.patients.get(patientId, call);
    const related = await this.#requireRelated(relatedPatientId, call);
    if (related.id === id) {
      throw new Failure('invalid', 'a patient cannot be their own relative', { at: 'relatedPatientId' });
    }
    throwIfAborted(call);
    const pair: Relation = { patients: [id, patientId], related: [related.id, relatedPatientId] };
    return { id: await this.#put(pair, member, key, call) };
  }

  async remove(patientId: string, memberId: string, call: Call): Promise<void> {
    if (isOwnId(memberId)) {
      if (await this.#remove(patientId, memberId, call)) return;
      const { id } = await this.#others.patients.get(patientId, call);
      if (id !== patientId && (await this.#remove(id, memberId, call))) return;
    }
    throw new Failure('not_found', 'the patient has no such family member');
  }

  async #remove(patientId: string, memberId: string, call: Call): Promise<boolean> {
    const removed = await this.#store.write(
      'DELETE FROM puente_local_relatives WHERE id = $1 AND patient_id = $2 RETURNING id',
      [memberId, patientId],
      call,
    );
    return removed.length > 0;
  }

  /** @throws Failure bad_answer when the row cannot be read, or its content cannot be decrypted. */
  #toMember(row: object): FamilyMember {
    const { id, related_patient_id, active, content } = parseRow(rowSchema, row);
    const written = contentSchema.parse(this.#store.decrypt(content, 'relative', id));
    return { id, relatedPatientId: related_patient_id, ...written, active: active === 1 };
  }

  async #requireRelated(id: string, call: Call): Promise<Patient> {
    try {
      return await this.#others.patients.get(id, call);
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'not_found') throw error;
      throw new Failure('invalid', 'there is no such patient', { at: 'relatedPatientId' });
    }
  }

  async #findKnown({ patients, related }: Relation, call: Call) {
    const [row] = await this.#store.read(
      `SELECT id, active, write_content FROM puente_local_relatives
       WHERE patient_id IN ($1, $2) AND related_patient_id IN ($3, $4) ORDER BY active DESC, position LIMIT 1`,
      [...patients, ...related],
      call,
    );
    return row && parseRow(knownRow, row);
  }

  /** Adds the relation, or updates an inactive one and makes it active. Starts again if another gateway was faster. */
  async #put(pair: Relation, member: NewFamilyMember, key: RowKey, call: Call): Promise<string> {
    const { relationshipCode, relationshipDescription, active } = member;
    const known = await this.#findKnown(pair, call);
    if (known && key.content !== null && known.write_content === key.content) return known.id;
    if (known?.active === 1) throw createPromisedFailure('relation_exists');
    const id = known?.id ?? crypto.randomUUID();
    const content = this.#store.encrypt({ relationshipCode, relationshipDescription }, 'relative', id);
    const written = known
      ? await this.#store.write(
          `UPDATE puente_local_relatives SET active = $2, write_content = $3, content = $4
           WHERE id = $1 AND active = 0 RETURNING id`,
          [id, active ? 1 : 0, key.content, content],
          call,
        )
      : await this.#store.write(
          `INSERT INTO puente_local_relatives (id, patient_id, related_patient_id, active, write_content, content)
           VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (patient_id, related_patient_id) DO NOTHING RETURNING id`,
          [id, pair.patients[0], pair.related[0], active ? 1 : 0, key.content, content],
          call,
        );
    return written.length > 0 ? id : this.#put(pair, member, key, call);
  }
}

/** No record has any other id, and PostgreSQL does not accept some of them as text. */
const isOwnId = (id: string): boolean => /^[0-9a-f-]{36}$/.test(id);

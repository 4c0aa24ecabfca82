import { z } from 'zod';
import type { Call, ChangeReason, ChangeRequest, NewChangeRequest, Practitioners } from '../../src/ports/index.ts';
import { throwIfAborted } from '../../src/toolkit/failures.ts';
import { deepFreeze } from '../../src/toolkit/records.ts';
import type { OtherPorts } from '../adapter.ts';
import { checkOpenRecord, createPromisedFailure, requireFound } from '../common/failures.ts';
import type { Announcements } from './outbox.ts';
import type { LocalStore, RowKey } from './store.ts';

type Needs = OtherPorts<'patients.get' | 'practitioners.list'>;

const columns = 'id, reason_id, status';
const rowSchema = z.object({ id: z.string(), reason_id: z.string(), status: z.string() });

/** Change requests in a table. The database keeps at most one in progress for each patient. */
export class ChangeRequests implements Pick<Practitioners, 'changeReasons' | 'requestChange' | 'changeRequestOf'> {
  readonly #store: LocalStore;
  readonly #reasons: readonly ChangeReason[];
  readonly #others: Needs;
  readonly #outbox: Announcements | undefined;

  constructor(store: LocalStore, reasons: readonly ChangeReason[], others: Needs, outbox?: Announcements) {
    this.#store = store;
    this.#reasons = deepFreeze(reasons);
    this.#others = others;
    this.#outbox = outbox;
  }

  async changeReasons(_call: Call): Promise<ChangeReason[]> {
    return [...this.#reasons];
  }

  async requestChange(patientId: string, request: NewChangeRequest, call: Call): Promise<ChangeRequest> {
    const key = this.#store.computeWriteKey(call, 'change_request', [patientId, request]);
    const earlier = await this.#findByKey(key, call);
    if (earlier) return earlier;
    const patient = await this.#others.patients.get(patientId, call);
    checkOpenRecord(patient, 'patientId');
    await this.#check(request, call);
    throwIfAborted(call);
    // A merged record has the id of the surviving one. There may be an older row under the given id.
    const latest = patient.id === patientId ? undefined : await this.#findLatest(patientId, patientId, call);
    if (latest?.status === 'in_progress') throw createPromisedFailure('change_request_open');
    return this.#insert(patient.id, request, key, call);
  }

  async changeRequestOf(patientId: string, call: Call): Promise<ChangeRequest> {
    const { id } = await this.#others.patients.get(patientId, call);
    const latest = await this.#findLatest(id, patientId, call);
    if (!latest) throw createPromisedFailure('no_change_request');
    return latest;
  }

  async #findLatest(survivor: string, given: string, call: Call): Promise<ChangeRequest | undefined> {
    const [latest] = await this.#store.read(
      `SELECT ${columns} FROM puente_local_change_requests
       WHERE patient_id IN ($1, $2) ORDER BY position DESC LIMIT 1`,
      [survivor, given],
      call,
    );
    return latest && toChangeRequest(latest);
  }

  async #check({ reasonId, practitionerId }: NewChangeRequest, call: Call): Promise<void> {
    const reason = this.#reasons.find(({ id }) => id === reasonId);
    requireFound(reason, 'reason', 'reasonId');
    if (practitionerId === undefined) return;
    const practitioners = await this.#others.practitioners.list(call);
    const practitioner = practitioners.find(({ id }) => id === practitionerId);
    requireFound(practitioner, 'practitioner', 'practitionerId');
  }

  async #insert(patientId: string, request: NewChangeRequest, key: RowKey, call: Call): Promise<ChangeRequest> {
    const { reasonId, practitionerId = null, observations = '' } = request;
    const id = crypto.randomUUID();
    const content = this.#store.encrypt({ observations }, 'change_request', id);
    const announceAt = this.#outbox?.now() ?? null;
    const inserted = await this.#store.write(
      `INSERT INTO puente_local_change_requests
         (id, patient_id, reason_id, practitioner_id, status, created_at, write_key, write_content, content, announce_at)
       VALUES ($1, $2, $3, $4, 'in_progress', $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING RETURNING id`,
      [id, patientId, reasonId, practitionerId, Date.parse(call.now), key.key, key.content, content, announceAt],
      call,
    );
    this.#outbox?.wake();
    if (inserted.length > 0) return { id, reasonId, status: 'in_progress' };
    const own = await this.#findByKey(key, call);
    if (own) return own;
    throw createPromisedFailure('change_request_open');
  }

  async #findByKey(key: RowKey, call: Call): Promise<ChangeRequest | undefined> {
    const row = await this.#store.findByKey('puente_local_change_requests', columns, key, call);
    return row && toChangeRequest(row);
  }
}

function toChangeRequest(row: object): ChangeRequest {
  const { id, reason_id, status } = rowSchema.parse(row);
  return { id, reasonId: reason_id, status };
}

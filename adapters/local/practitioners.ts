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

/** Requests for another main practitioner in a table, of which the database keeps one in progress for each patient. */
export function createChangeRequests(
  store: LocalStore,
  changeReasons: readonly ChangeReason[],
  others: Needs,
  outbox?: Announcements,
): Pick<Practitioners, 'changeReasons' | 'requestChange' | 'changeRequestOf'> {
  const reasons = deepFreeze(changeReasons);
  return {
    changeReasons: async () => [...reasons],

    async requestChange(patientId, request, call) {
      const key = store.computeWriteKey(call, 'change_request', [patientId, request]);
      const earlier = await findByKey(key, call);
      if (earlier) return earlier;
      checkOpenRecord(await others.patients.get(patientId, call), 'patientId');
      await check(request, call);
      throwIfAborted(call);
      return insert(patientId, request, key, call);
    },

    async changeRequestOf(patientId, call) {
      await others.patients.get(patientId, call);
      const [latest] = await store.read(
        `SELECT ${columns} FROM puente_local_change_requests WHERE patient_id = $1 ORDER BY position DESC LIMIT 1`,
        [patientId],
        call,
      );
      if (!latest) throw createPromisedFailure('no_change_request');
      return toChangeRequest(latest);
    },
  };

  async function check({ reasonId, practitionerId }: NewChangeRequest, call: Call): Promise<void> {
    const reason = reasons.find(({ id }) => id === reasonId);
    requireFound(reason, 'reason', 'reasonId');
    if (practitionerId === undefined) return;
    const practitioners = await others.practitioners.list(call);
    const practitioner = practitioners.find(({ id }) => id === practitionerId);
    requireFound(practitioner, 'practitioner', 'practitionerId');
  }

  async function insert(patientId: string, request: NewChangeRequest, key: RowKey, call: Call): Promise<ChangeRequest> {
    const { reasonId, practitionerId = null, observations = '' } = request;
    const id = crypto.randomUUID();
    const content = store.encrypt({ observations }, 'change_request', id);
    const announceAt = outbox?.now() ?? null;
    const inserted = await store.write(
      `INSERT INTO puente_local_change_requests
         (id, patient_id, reason_id, practitioner_id, status, created_at, write_key, write_content, content, announce_at)
       VALUES ($1, $2, $3, $4, 'in_progress', $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING RETURNING id`,
      [id, patientId, reasonId, practitionerId, Date.parse(call.now), key.key, key.content, content, announceAt],
      call,
    );
    outbox?.wake();
    if (inserted.length > 0) return { id, reasonId, status: 'in_progress' };
    const own = await findByKey(key, call);
    if (own) return own;
    throw createPromisedFailure('change_request_open');
  }

  async function findByKey(key: RowKey, call: Call): Promise<ChangeRequest | undefined> {
    const row = await store.findByKey('puente_local_change_requests', columns, key, call);
    return row && toChangeRequest(row);
  }
}

function toChangeRequest(row: object): ChangeRequest {
  const { id, reason_id, status } = rowSchema.parse(row);
  return { id, reasonId: reason_id, status };
}

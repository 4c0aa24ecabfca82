import { z } from 'zod';
import type { SqlValue } from '../../src/database/database.ts';
import { type Call, Failure, type Instant } from '../../src/ports/index.ts';
import { type LocalStore, parseRow, time } from './store.ts';
import { TicketRows } from './tickets.ts';

/** The filters of a list. */
export interface WorkFilter {
  readonly status?: string | undefined;
  readonly patient?: string | undefined;
  readonly limit: number;
}

/** Null if somebody entered an invalid time. */
const instant = time
  .transform((ms): Instant => new Date(ms).toISOString())
  .nullable()
  .catch(null);
const common = { id: z.string(), patient_id: z.string(), status: z.string(), created_at: instant, updated_at: instant };

/** A ticket or a change request, without the patient's texts. */
export type WorkItem = ReturnType<typeof toItem> & Readonly<Record<string, unknown>>;

const toItem = ({ id, patient_id, status, created_at, updated_at }: z.output<z.ZodObject<typeof common>>) => ({
  id,
  status,
  patientId: patient_id,
  createdAt: created_at,
  updatedAt: updated_at,
});

const ticketRow = z
  .object({ ...common, ticket_type_id: z.string() })
  .transform((row) => ({ ...toItem(row), ticketTypeId: row.ticket_type_id }));
const requestRow = z
  .object({ ...common, reason_id: z.string(), practitioner_id: z.string().nullable() })
  .transform((row) => ({ ...toItem(row), reasonId: row.reason_id, practitionerId: row.practitioner_id }));
const requestContent = z.object({ content: z.instanceof(Uint8Array) });
const requestText = z.object({ observations: z.string() });

/** The tickets or the change requests, for the institution's staff. */
export type Worklist = ReturnType<typeof createTicketWorklist> | ReturnType<typeof createRequestWorklist>;

export function createTicketWorklist(store: LocalStore) {
  const rows = new TicketRows(store, { inline: true, bytes: Number.POSITIVE_INFINITY });
  return createWorklist(store, {
    name: 'ticket',
    table: 'puente_local_tickets',
    columns: 'ticket_type_id',
    schema: ticketRow,
    async readContent(id: string) {
      const [ticket] = await rows.list('id = $1', [id], createCall());
      if (!ticket) throw new Failure('bad_answer', 'the ticket cannot be decrypted, or has a time that is none');
      return { observations: ticket.observations, fields: ticket.fields };
    },
  });
}

export function createRequestWorklist(store: LocalStore) {
  const table = 'puente_local_change_requests';
  return createWorklist(store, {
    name: 'change request',
    table,
    columns: 'reason_id, practitioner_id',
    schema: requestRow,
    async readContent(id: string) {
      const [row = {}] = await store.read(`SELECT content FROM ${table} WHERE id = $1`, [id]);
      return requestText.parse(store.decrypt(parseRow(requestContent, row).content, 'change_request', id));
    },
    writable: `$2 <> 'in_progress' OR NOT EXISTS (SELECT 1 FROM ${table} AS other
      WHERE other.patient_id = ${table}.patient_id AND other.status = 'in_progress' AND other.id <> $1)`,
  });
}

interface Work<T extends WorkItem, C> {
  readonly name: string;
  readonly table: string;
  /** The columns besides the common ones. */
  readonly columns: string;
  readonly schema: z.ZodType<T>;
  /** The patient's texts with all files. @throws Failure bad_answer when they cannot be read. */
  readContent(id: string): Promise<C>;
  /** The condition under which the row `$1` may have the status `$2`. */
  readonly writable?: string;
}

function createWorklist<T extends WorkItem, C>(
  store: LocalStore,
  { name, table, columns, schema, readContent, writable = 'TRUE' }: Work<T, C>,
) {
  return { name, list, find, show, setStatus };

  async function list({ status, patient, limit }: WorkFilter): Promise<readonly T[]> {
    const values = [status ?? null, patient ?? null];
    return select('(status = $1 OR $1 IS NULL) AND (patient_id = $2 OR $2 IS NULL)', limit, values);
  }

  /** @throws Failure not_found, or bad_answer when the patient's texts cannot be read. */
  async function show(id: string): Promise<T & C> {
    return { ...(await find(id)), ...(await readContent(id)) };
  }

  /** @throws Failure conflict when the patient has another request in progress. */
  async function setStatus(id: string, status: string): Promise<void> {
    const written = await store.write(
      `UPDATE ${table} SET status = $2, updated_at = $3 WHERE id = $1 AND (${writable}) RETURNING id`,
      [id, status, store.now()],
    );
    if (written.length === 0)
      throw new Failure('conflict', `the ${name} was removed, or another one of this patient is in progress`);
  }

  /** @throws Failure not_found. */
  async function find(id: string): Promise<T> {
    const [item] = await select('id = $1', 1, [id]);
    if (!item) throw new Failure('not_found', `there is no ${name} with this id`);
    return item;
  }

  async function select(condition: string, limit: number, values: readonly SqlValue[]): Promise<readonly T[]> {
    const found = await store.read(
      `SELECT ${Object.keys(common).join(', ')}, ${columns} FROM ${table}
       WHERE ${condition} ORDER BY created_at DESC, position DESC LIMIT ${limit}`,
      values,
    );
    return found.map((row) => parseRow(schema, row));
  }
}

/** An operator's request has no deadline. */
const createCall = (): Call => ({
  requestId: crypto.randomUUID(),
  client: 'puente local',
  now: new Date().toISOString(),
  signal: new AbortController().signal,
  omit: () => undefined,
});

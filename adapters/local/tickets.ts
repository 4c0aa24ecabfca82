import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import type { SqlValue } from '../../src/database/database.ts';
import {
  type Call,
  Failure,
  type NewTicket,
  type Ticket,
  type TicketFilter,
  type Tickets,
  type TicketType,
} from '../../src/ports/index.ts';
import { throwIfAborted } from '../../src/toolkit/failures.ts';
import { deepFreeze } from '../../src/toolkit/records.ts';
import type { Zone } from '../../src/toolkit/zone.ts';
import type { OtherPorts } from '../adapter.ts';
import { fillTicketFields } from '../common/tickets.ts';
import type { Announcements } from './outbox.ts';
import type { LocalSettings, LocalTicketType } from './settings.ts';
import { type LocalStore, listReadable, parseRow, type RowKey, time } from './store.ts';

interface TicketParts {
  readonly store: LocalStore;
  readonly settings: Pick<LocalSettings, 'ticketTypes' | 'ticketFiles'>;
  readonly zone: Zone;
  readonly others: OtherPorts<'patients.get'>;
  readonly outbox?: Announcements | undefined;
}

/** Ticket types from the settings, and tickets in a table with the fields that the patients filled in. */
export class LocalTickets implements Tickets {
  readonly #store: LocalStore;
  readonly #rows: TicketRows;
  readonly #types: ReadonlyMap<string, TicketType>;
  readonly #zone: Zone;
  readonly #others: OtherPorts<'patients.get'>;

  constructor({ store, settings: { ticketTypes, ticketFiles }, zone, others, outbox }: TicketParts) {
    const active = ticketTypes.filter(({ status }) => status === 'active');
    this.#store = store;
    this.#rows = new TicketRows(store, ticketFiles, outbox);
    this.#types = new Map(active.map((type) => [type.id, toTicketType(type, zone)]));
    this.#zone = zone;
    this.#others = others;
  }

  async types(): Promise<TicketType[]> {
    return [...this.#types.values()];
  }

  async type(id: string): Promise<TicketType> {
    const type = this.#types.get(id);
    if (!type) throw new Failure('not_found', 'there is no such ticket type');
    return type;
  }

  async list(patientId: string, query: TicketFilter, call: Call): Promise<readonly Ticket[]> {
    const { from, to, ticketTypeId, status } = query;
    const { id } = await this.#others.patients.get(patientId, call);
    return this.#rows.list(
      `patient_id IN ($1, $6) AND (created_at >= $2 OR $2 IS NULL) AND (created_at < $3 OR $3 IS NULL)
         AND (ticket_type_id = $4 OR $4 IS NULL) AND (status = $5 OR $5 IS NULL)`,
      [
        patientId,
        from === undefined ? null : Date.parse(this.#zone.toStartOfDay(from)),
        to === undefined ? null : Date.parse(this.#zone.toEndOfDay(to)),
        ticketTypeId ?? null,
        status ?? null,
        id,
      ],
      call,
    );
  }

  async open(patientId: string, ticketTypeId: string, wanted: NewTicket, call: Call): Promise<Ticket> {
    const key = this.#store.computeWriteKey(call, 'ticket', [patientId, ticketTypeId, wanted]);
    const earlier = await this.#rows.findByKey(key, call);
    if (earlier) return earlier;
    const type = await this.type(ticketTypeId);
    // A merged record has the id of the surviving one.
    const { id: owner } = await this.#others.patients.get(patientId, call);
    throwIfAborted(call);
    const ticket: Ticket = {
      id: crypto.randomUUID(),
      createdAt: call.now,
      updatedAt: call.now,
      status: 'pending',
      ticketTypeId,
      observations: wanted.observations,
      fields: fillTicketFields(type, wanted.fields),
    };
    const filed = (await this.#rows.insert(owner, ticket, key, call)) ?? (await this.#rows.findByKey(key, call));
    if (!filed) throw new Failure('conflict', 'the ticket that was filed with this key was removed a moment ago');
    return filed;
  }
}

function toTicketType({ created, updated = created, ...type }: LocalTicketType, zone: Zone): TicketType {
  return deepFreeze({ ...type, createdAt: zone.toStartOfDay(created), updatedAt: zone.toStartOfDay(updated) });
}

const rowSchema = z.object({
  id: z.string(),
  created_at: time,
  updated_at: time,
  status: z.string(),
  ticket_type_id: z.string(),
  content: z.instanceof(Uint8Array),
});
const placeSchema = z.object({
  created_at: z.union([z.string(), z.number()]),
  position: z.coerce.number(),
  found: z.coerce.number(),
});
const filesRow = z.object({ files: z.instanceof(Uint8Array) });

/** A stored field. The value of a file is in its own column, and `bytes` is its size. */
const storedField = z.object({
  id: z.string(),
  dataType: z.enum(['string', 'file']),
  value: z.string(),
  tooltip: z.string(),
  bytes: z.number().optional(),
});
const contentSchema = z.object({ observations: z.string(), fields: z.array(storedField) });
const filesSchema = z.record(z.string(), z.string());

type StoredField = z.output<typeof storedField>;
type StoredTicket = Omit<Ticket, 'fields'> & { readonly fields: readonly StoredField[] };

const columns = 'id, created_at, updated_at, status, ticket_type_id, content';

/** The limits of one portion of a list: a number of rows, and a number of bytes that one row may exceed. */
const PORTION = { rows: 200, bytes: 1 << 20 };

/** The table of tickets. The settings limit how many files a shown ticket has. */
export class TicketRows {
  readonly #store: LocalStore;
  readonly #files: LocalSettings['ticketFiles'];
  readonly #outbox: Announcements | undefined;

  constructor(store: LocalStore, files: LocalSettings['ticketFiles'], outbox?: Announcements) {
    this.#store = store;
    this.#files = files;
    this.#outbox = outbox;
  }

  /** Files the ticket, and returns it as shown. Undefined if one with its key exists. */
  async insert(patientId: string, ticket: Ticket, { key, content }: RowKey, call: Call) {
    const { id, ticketTypeId, status, createdAt, updatedAt, observations } = ticket;
    const fields = ticket.fields.map((field) =>
      field.dataType === 'file' ? { ...field, value: '', bytes: countBytes(field) } : field,
    );
    const values = ticket.fields.flatMap((field) => (field.dataType === 'file' ? [[field.id, field.value]] : []));
    const files = values.length > 0 ? this.#store.encrypt(Object.fromEntries(values), 'ticket_files', id) : null;
    const encrypted = this.#store.encrypt({ observations, fields }, 'ticket', id);
    const times = [Date.parse(createdAt), Date.parse(updatedAt)];
    const inserted = await this.#store.write(
      `INSERT INTO puente_local_tickets
         (id, patient_id, ticket_type_id, status, created_at, updated_at, write_key, write_content, content, files,
          announce_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (write_key) DO NOTHING RETURNING id`,
      [id, patientId, ticketTypeId, status, ...times, key, content, encrypted, files, this.#outbox?.now() ?? null],
      call,
    );
    this.#outbox?.wake();
    return inserted.length > 0 ? this.#show(ticket, this.#createFileBudget(), call) : undefined;
  }

  /**
   * The tickets that meet the condition, newest first. Contents are read in portions, so that other requests can run
   * between them.
   */
  async list(condition: string, values: readonly SqlValue[], call: Call): Promise<readonly Ticket[]> {
    const fitsBudget = this.#createFileBudget();
    const tickets: Ticket[] = [];
    let place: readonly [SqlValue, SqlValue] = [null, null];
    for (;;) {
      const rows = await this.#readPortion(condition, values, place, call);
      tickets.push(
        ...(await listReadable(rows, 'ticket', (row) => this.#show(this.#toStored(row), fitsBudget, call), call)),
      );
      const last = rows.at(-1);
      if (!last) return tickets;
      const { created_at, position, found } = placeSchema.parse(last);
      if (rows.length === found && found < PORTION.rows) return tickets;
      place = [created_at, position];
      await setImmediate();
    }
  }

  async findByKey(key: RowKey, call: Call): Promise<Ticket | undefined> {
    const row = await this.#store.findByKey('puente_local_tickets', columns, key, call);
    return row && this.#show(this.#toStored(row), this.#createFileBudget(), call);
  }

  /** The rows after that place. `found` is their number before the limit of bytes. */
  #readPortion(condition: string, values: readonly SqlValue[], place: readonly SqlValue[], call: Call) {
    const [createdAt, position] = [`$${values.length + 1}`, `$${values.length + 2}`];
    return this.#store.read(
      `WITH portion AS (
         SELECT position, created_at, octet_length(content) AS bytes FROM puente_local_tickets
         WHERE ${condition} AND ((created_at, position) < (${createdAt}, ${position}) OR ${position} IS NULL)
         ORDER BY created_at DESC, position DESC LIMIT ${PORTION.rows}
       ), sized AS (
         SELECT position, SUM(bytes) OVER (ORDER BY created_at DESC, position DESC) - bytes AS bytes_before,
           COUNT(*) OVER () AS found FROM portion
       )
       SELECT ${columns}, position, found FROM puente_local_tickets JOIN sized USING (position)
       WHERE bytes_before < ${PORTION.bytes} ORDER BY created_at DESC, position DESC`,
      [...values, ...place],
      call,
    );
  }

  /** @throws Failure bad_answer when the row cannot be read, or its content cannot be decrypted. */
  #toStored(row: object): StoredTicket {
    const { id, created_at, updated_at, status, ticket_type_id, content } = parseRow(rowSchema, row);
    const createdAt = new Date(created_at).toISOString();
    const updatedAt = new Date(updated_at).toISOString();
    const written = contentSchema.parse(this.#store.decrypt(content, 'ticket', id));
    return { id, createdAt, updatedAt, status, ticketTypeId: ticket_type_id, ...written };
  }

  /**
   * Returns a function that reserves bytes for one file after another. The function returns false when an answer's
   * limit is reached.
   */
  #createFileBudget(): (bytes: number) => boolean {
    let left = this.#files.inline ? this.#files.bytes : -1;
    return (bytes) => {
      const fits = bytes <= left;
      if (fits) left -= bytes;
      return fits;
    };
  }

  /** The ticket with the files that fit into the limit. The other files are ''. */
  async #show(
    { fields, ...ticket }: StoredTicket,
    fitsBudget: (bytes: number) => boolean,
    call: Call,
  ): Promise<Ticket> {
    const shown = fields.filter((field) => field.dataType === 'file' && fitsBudget(countBytes(field)));
    const isApart = shown.some(({ bytes }) => bytes !== undefined);
    const files = isApart ? await this.#readFiles(ticket.id, call) : {};
    return {
      ...ticket,
      fields: fields.map((field) => {
        const { id, dataType, value, bytes, tooltip } = field;
        const isShown = dataType === 'string' || shown.includes(field);
        const stored = bytes === undefined ? value : (files[id] ?? value);
        return { id, dataType, value: isShown ? stored : '', tooltip };
      }),
    };
  }

  /** The values of the ticket's files, by field. @throws Failure bad_answer when they cannot be decrypted. */
  async #readFiles(id: string, call: Call): Promise<Readonly<Record<string, string>>> {
    await setImmediate();
    const [row] = await this.#store.read('SELECT files FROM puente_local_tickets WHERE id = $1', [id], call);
    if (!row) throw new Failure('bad_answer', 'the ticket was removed a moment ago', { at: 'files' });
    return filesSchema.parse(this.#store.decrypt(parseRow(filesRow, row).files, 'ticket_files', id));
  }
}

const countBytes = ({ value, bytes = Buffer.byteLength(value, 'base64') }: StoredField): number => bytes;

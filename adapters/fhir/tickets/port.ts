import {
  type Call,
  Failure,
  type NewTicket,
  type Ticket,
  type TicketFilter,
  Tickets,
  type TicketType,
} from '../../../src/ports/index.ts';
import { addDays } from '../../zone.ts';
import type { FhirContext } from '../context.ts';
import { searchPatientCompartment, throwPatientNotFound } from '../patients/compartment.ts';
import { toRows } from '../rest/search-result.ts';
import { formatToken } from '../rest/url.ts';
import { findCode } from '../schema/datatypes.ts';
import type { Resource } from '../schema/resources.ts';
import { confirmWrite } from '../writes/confirm-write.ts';
import { computeWriteKey, findByWriteKey, type WriteKey } from '../writes/idempotency.ts';
import type { TicketFiles } from './files.ts';
import { matchesFilter, toTicket } from './read.ts';
import { findTicketTypeId, toTicketType } from './types.ts';
import { buildTicketEntries } from './write.ts';

/** Ticket types as `Questionnaire`s, tickets as `Task`s whose focus is a `QuestionnaireResponse`. */
export class FhirTickets extends Tickets {
  readonly #context: FhirContext;
  readonly #files: TicketFiles;

  constructor(context: FhirContext, files: TicketFiles) {
    super();
    this.#context = context;
    this.#files = files;
  }

  async types(call: Call): Promise<readonly TicketType[]> {
    const found = await this.#context.catalogue.ticketTypes.get(call);
    const active = found.matches.filter(({ status }) => status === 'active');
    return toRows(found, active, (each) => toTicketType(each, this.#context), call);
  }

  async type(id: string, call: Call): Promise<TicketType> {
    return toTicketType(await this.#requireActiveType(id, call), this.#context);
  }

  async list(patientId: string, filter: TicketFilter, call: Call): Promise<readonly Ticket[]> {
    const { client, codes, zone, catalogue } = this.#context;
    const from = filter.from && `ge${zone.toStartOfDay(filter.from)}`;
    const to = filter.to && `lt${zone.toStartOfDay(addDays(filter.to, 1))}`;
    const query = {
      code: formatToken(codes.system('task-kind'), 'ticket'),
      'authored-on': [from, to].filter((bound) => bound !== undefined),
      _include: 'Task:focus',
      _sort: '-authored-on',
      _count: '200',
    };
    const found = await searchPatientCompartment(client, 'Task', patientId, query, call, { lenient: true });
    const focuses = found.matches.map(({ focus }) => focus);
    await client.fetchMissing(found, 'QuestionnaireResponse', focuses, call);
    const types = found.matches.length > 0 ? (await catalogue.ticketTypes.get(call)).matches : [];
    const findResponse = ({ focus }: Resource<'Task'>) => found.resolve(focus, 'QuestionnaireResponse');
    const wanted = found.matches
      .filter(({ code }) => findCode(code, codes.system('task-kind')) === 'ticket')
      .filter((task) => matchesFilter(task, findTicketTypeId(task, findResponse(task), types), filter, zone));
    const readFile = this.#files.createReader(call);
    return toRows(found, wanted, (task) => toTicket(task, findResponse(task), types, readFile, zone), call);
  }

  async open(patientId: string, ticketTypeId: string, ticket: NewTicket, call: Call): Promise<Ticket> {
    const { client, transactions, codes, zone } = this.#context;
    const [type, patient] = await Promise.all([
      this.#requireActiveType(ticketTypeId, call),
      client.read('Patient', patientId, call),
    ]);
    if (!patient) throwPatientNotFound();
    await transactions.require(call);
    const key = computeWriteKey(call, 'ticket', [patientId, ticketTypeId, ticket]);
    if (call.idempotencyKey !== undefined) {
      const { task, response } = await this.#findFiled(key, call);
      if (task) return toTicket(task, response, [type], this.#files.createReader(call), zone);
    }
    const { answers, uploaded, contents } = await this.#files.store(type, ticket.fields, call);
    const { entries, task, response } = buildTicketEntries({ patientId, type, ticket, answers, key }, codes, call);
    const file = async () => {
      const [, filed] = await transactions.send(entries, call);
      if (filed?.type === 'Task' && filed.id !== undefined) return filed.id;
      throw new Failure('outcome_unknown', 'the answer does not name the ticket');
    };
    const find = async (lastLook: Call) => (await this.#findFiled(key, lastLook)).task?.id;
    const id = await confirmWrite(file, find, call).catch(async (error: unknown) => {
      const isProven = error instanceof Failure && error.kind !== 'outcome_unknown';
      if (isProven) await this.#files.discard(uploaded, call);
      throw error;
    });
    return toTicket({ ...task, id }, response, [type], this.#files.createReader(call, contents), zone);
  }

  async #requireActiveType(id: string, call: Call): Promise<Resource<'Questionnaire'>> {
    const type = (await this.#context.catalogue.ticketTypes.get(call)).find(id);
    if (type?.status !== 'active') throw new Failure('not_found', 'there is no such active ticket type');
    return type;
  }

  /** The ticket that a write with this key has left, and its answers. */
  async #findFiled(key: WriteKey, call: Call) {
    const { client, codes } = this.#context;
    const query = { identifier: formatToken(codes.sid('request'), key.value), _include: 'Task:focus' };
    const found = await client.search('Task', query, call);
    const task = findByWriteKey(key, codes.sid('request'), found.matches);
    return { task, response: found.resolve(task?.focus, 'QuestionnaireResponse') };
  }
}

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
import { toInstant } from '../datatypes/dates.ts';
import { searchPatientCompartment, throwPatientNotFound } from '../patients/compartment.ts';
import { isPartialTransaction } from '../rest/errors.ts';
import { formatToken } from '../rest/url.ts';
import { findCode, parseReferenceId } from '../schema/datatypes.ts';
import type { Resource } from '../schema/resources.ts';
import { toTicketStatus } from '../schema/terminology.ts';
import { computeIdempotencyKey, findByIdempotencyKey } from '../writes/idempotency.ts';
import { toTicketFields } from './answers.ts';
import type { TicketFiles } from './files.ts';
import { findTicketTypeId, flattenItems, toTicketType } from './types.ts';
import { buildTicketEntries } from './write.ts';

type Questionnaires = readonly Resource<'Questionnaire'>[];

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
    const { matches } = await this.#context.catalogue.ticketTypes.get(call);
    return matches.filter(({ status }) => status === 'active').map((each) => toTicketType(each, this.#context));
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
    const found = await searchPatientCompartment(client, 'Task', patientId, query, call);
    if (found.matches.length === 0) return [];
    const focuses = found.matches.map(({ focus }) => parseReferenceId(focus, 'QuestionnaireResponse'));
    await client.fetchMissing(found, 'QuestionnaireResponse', focuses, call);
    const { matches: types } = await catalogue.ticketTypes.get(call);
    const wanted = found.matches
      .filter(({ code }) => findCode(code && [code], codes.system('task-kind')) === 'ticket')
      .map((task) => ({ task, response: found.resolve(task.focus, 'QuestionnaireResponse') }))
      .filter(({ task, response }) => this.#matchesFilter(task, findTicketTypeId(task, response, types), filter));
    const contents = this.#files.createReader(call);
    return Promise.all(wanted.map(({ task, response }) => this.#toTicket(task, response, types, contents)));
  }

  async open(patientId: string, ticketTypeId: string, ticket: NewTicket, call: Call): Promise<Ticket> {
    const { client, transactions, codes } = this.#context;
    const [type, patient] = await Promise.all([
      this.#requireActiveType(ticketTypeId, call),
      client.read('Patient', patientId, call),
    ]);
    if (!patient) throwPatientNotFound();
    await transactions.require(call);
    const key = computeIdempotencyKey(call, ['ticket', patientId, ticketTypeId]);
    if (call.idempotencyKey !== undefined) {
      const earlier = await this.#findFiled(key, type, call);
      if (earlier) return earlier;
    }
    const { answers, uploaded, contents } = await this.#files.store(type, ticket.fields, call);
    const { entries, task, response } = buildTicketEntries({ patientId, type, ticket, answers, key }, codes, call);
    try {
      const [, filed] = await transactions.send(entries, call);
      const id = filed?.type === 'Task' ? filed.id : undefined;
      const found = id === undefined ? await this.#findFiled(key, type, call) : undefined;
      return (
        found ??
        (await this.#toTicket({ ...task, id: id ?? '' }, response, [type], this.#files.createReader(call, contents)))
      );
    } catch (error) {
      const lost = error instanceof Failure && error.kind === 'outcome_unknown';
      const filed =
        lost && !isPartialTransaction(error)
          ? await this.#findFiled(key, type, call).catch(() => undefined)
          : undefined;
      if (filed) return filed;
      if (!lost) await this.#files.discard(uploaded, call);
      throw error;
    }
  }

  async #requireActiveType(id: string, call: Call): Promise<Resource<'Questionnaire'>> {
    const { matches } = await this.#context.catalogue.ticketTypes.get(call);
    const type = matches.find((each) => each.id === id && each.status === 'active');
    if (!type) throw new Failure('not_found', 'there is no such active ticket type');
    return type;
  }

  /** The ticket that a write with this key has left, if it has. */
  async #findFiled(key: string, type: Resource<'Questionnaire'>, call: Call): Promise<Ticket | undefined> {
    const { client, codes } = this.#context;
    const query = { identifier: formatToken(codes.sid('request'), key), _include: 'Task:focus' };
    const found = await client.search('Task', query, call);
    const task = findByIdempotencyKey(key, codes.sid('request'), found.matches);
    const response = found.resolve(task?.focus, 'QuestionnaireResponse');
    return task && this.#toTicket(task, response, [type], this.#files.createReader(call));
  }

  #matchesFilter(task: Resource<'Task'>, typeId: string, { ticketTypeId, status, from, to }: TicketFilter): boolean {
    const day = this.#context.zone.toLocalDay(this.#toCreatedAt(task));
    return (
      (ticketTypeId === undefined || typeId === ticketTypeId) &&
      (status === undefined || getStatus(task) === status) &&
      (from === undefined || day >= from) &&
      (to === undefined || day <= to)
    );
  }

  #toCreatedAt({ authoredOn, meta }: Resource<'Task'>): string {
    return toInstant(authoredOn ?? meta?.lastUpdated ?? '1970-01-01', this.#context.zone);
  }

  async #toTicket(
    task: Resource<'Task'>,
    response: Resource<'QuestionnaireResponse'> | undefined,
    types: Questionnaires,
    contents: ReturnType<TicketFiles['createReader']>,
  ): Promise<Ticket> {
    const typeId = findTicketTypeId(task, response, types);
    const items = flattenItems(types.find(({ id }) => id === typeId)?.item);
    const changed = task.lastModified ?? task.meta?.lastUpdated ?? task.authoredOn ?? '1970-01-01';
    return {
      id: task.id,
      createdAt: this.#toCreatedAt(task),
      updatedAt: toInstant(changed, this.#context.zone),
      status: getStatus(task),
      ticketTypeId: typeId,
      observations: task.description ?? '',
      fields: await toTicketFields(response?.item, items, contents),
    };
  }
}

/** The institution's own word for it goes before that of FHIR. */
const getStatus = ({ status, businessStatus }: Resource<'Task'>): string =>
  businessStatus?.coding?.find(({ code }) => code)?.code ?? toTicketStatus(status);

import {
  type Call,
  Failure,
  type NewTicket,
  type Ticket,
  type TicketFilter,
  Tickets,
  type TicketType,
} from '../../src/ports/index.ts';
import { addDays } from '../zone.ts';
import type { Backend } from './backend.ts';
import { ticketStatusOf } from './codes.ts';
import { codeIn, idOf } from './elements.ts';
import { writeKey, writtenWith } from './keys.ts';
import { momentOf } from './moments.ts';
import { expectOwn } from './ownership.ts';
import { isHalfDone } from './probe.ts';
import type { Resource } from './resources.ts';
import { answersOf } from './ticket-answers.ts';
import type { TicketFiles } from './ticket-files.ts';
import { ticketEntries } from './ticket-record.ts';
import { itemsOf, toTicketType, typeIdOf } from './ticket-types.ts';
import { isId, token } from './url.ts';

type Questionnaires = readonly Resource<'Questionnaire'>[];

/** Ticket types as `Questionnaire`s, tickets as `Task`s whose focus is a `QuestionnaireResponse`. */
export class FhirTickets extends Tickets {
  readonly #backend: Backend;
  readonly #files: TicketFiles;

  constructor(backend: Backend, files: TicketFiles) {
    super();
    this.#backend = backend;
    this.#files = files;
  }

  async types(call: Call): Promise<readonly TicketType[]> {
    const { matches } = await this.#backend.catalogue.ticketTypes.get(call);
    return matches.filter(({ status }) => status === 'active').map((each) => toTicketType(each, this.#backend));
  }

  async type(id: string, call: Call): Promise<TicketType> {
    return toTicketType(await this.#activeType(id, call), this.#backend);
  }

  async list(patientId: string, filter: TicketFilter, call: Call): Promise<readonly Ticket[]> {
    const { client, codes, zone, catalogue } = this.#backend;
    if (!isId(patientId)) throw noPatient();
    const from = filter.from && `ge${zone.startOf(filter.from)}`;
    const to = filter.to && `lt${zone.startOf(addDays(filter.to, 1))}`;
    const query = {
      patient: `Patient/${patientId}`,
      code: token(codes.system('task-kind'), 'ticket'),
      'authored-on': [from, to].filter((bound) => bound !== undefined),
      _include: ['Task:patient', 'Task:focus'],
      _sort: '-authored-on',
      _count: '200',
    };
    const found = await client.search('Task', query, call);
    if (!found.has(`Patient/${patientId}`) && !(await client.read('Patient', patientId, call))) throw noPatient();
    expectOwn(patientId, found.matches, (task) => [task.for]);
    if (found.matches.length === 0) return [];
    const focuses = found.matches.map(({ focus }) => idOf(focus, 'QuestionnaireResponse'));
    await client.complete(found, 'QuestionnaireResponse', focuses, call);
    const { matches: types } = await catalogue.ticketTypes.get(call);
    const wanted = found.matches
      .filter(({ code }) => codeIn(code && [code], codes.system('task-kind')) === 'ticket')
      .map((task) => ({ task, response: found.follow(task.focus, 'QuestionnaireResponse') }))
      .filter(({ task, response }) => this.#passes(task, typeIdOf(task, response, types), filter));
    const contents = this.#files.reader(call);
    return Promise.all(wanted.map(({ task, response }) => this.#ticket(task, response, types, contents)));
  }

  async open(patientId: string, ticketTypeId: string, ticket: NewTicket, call: Call): Promise<Ticket> {
    const { client, transactions, codes } = this.#backend;
    const [type, patient] = await Promise.all([
      this.#activeType(ticketTypeId, call),
      client.read('Patient', patientId, call),
    ]);
    if (!patient) throw noPatient();
    await transactions.require(call);
    const key = writeKey(call, ['ticket', patientId, ticketTypeId]);
    if (call.idempotencyKey !== undefined) {
      const earlier = await this.#filed(key, type, call);
      if (earlier) return earlier;
    }
    const { answers, uploaded, contents } = await this.#files.store(type, ticket.fields, call);
    const { entries, task, response } = ticketEntries({ patientId, type, ticket, answers, key }, codes, call);
    try {
      const [, filed] = await transactions.send(entries, call);
      const id = filed?.type === 'Task' ? filed.id : undefined;
      const found = id === undefined ? await this.#filed(key, type, call) : undefined;
      return (
        found ?? (await this.#ticket({ ...task, id: id ?? '' }, response, [type], this.#files.reader(call, contents)))
      );
    } catch (error) {
      const lost = error instanceof Failure && error.kind === 'outcome_unknown';
      const filed = lost && !isHalfDone(error) ? await this.#filed(key, type, call).catch(() => undefined) : undefined;
      if (filed) return filed;
      if (!lost) await this.#files.discard(uploaded, call);
      throw error;
    }
  }

  async #activeType(id: string, call: Call): Promise<Resource<'Questionnaire'>> {
    const { matches } = await this.#backend.catalogue.ticketTypes.get(call);
    const type = matches.find((each) => each.id === id && each.status === 'active');
    if (!type) throw new Failure('not_found', 'there is no such active ticket type');
    return type;
  }

  /** The ticket that a write with this key has left, if it has. */
  async #filed(key: string, type: Resource<'Questionnaire'>, call: Call): Promise<Ticket | undefined> {
    const { client, codes } = this.#backend;
    const query = { identifier: token(codes.sid('request'), key), _include: 'Task:focus' };
    const found = await client.search('Task', query, call);
    const task = writtenWith(key, codes.sid('request'), found.matches);
    const response = found.follow(task?.focus, 'QuestionnaireResponse');
    return task && this.#ticket(task, response, [type], this.#files.reader(call));
  }

  #passes(task: Resource<'Task'>, typeId: string, { ticketTypeId, status, from, to }: TicketFilter): boolean {
    const day = this.#backend.zone.dayOf(this.#createdAt(task));
    return (
      (ticketTypeId === undefined || typeId === ticketTypeId) &&
      (status === undefined || statusOf(task) === status) &&
      (from === undefined || day >= from) &&
      (to === undefined || day <= to)
    );
  }

  #createdAt({ authoredOn, meta }: Resource<'Task'>): string {
    return momentOf(authoredOn ?? meta?.lastUpdated ?? '1970-01-01', this.#backend.zone);
  }

  async #ticket(
    task: Resource<'Task'>,
    response: Resource<'QuestionnaireResponse'> | undefined,
    types: Questionnaires,
    contents: ReturnType<TicketFiles['reader']>,
  ): Promise<Ticket> {
    const typeId = typeIdOf(task, response, types);
    const items = itemsOf(types.find(({ id }) => id === typeId)?.item);
    const changed = task.lastModified ?? task.meta?.lastUpdated ?? task.authoredOn ?? '1970-01-01';
    return {
      id: task.id,
      createdAt: this.#createdAt(task),
      updatedAt: momentOf(changed, this.#backend.zone),
      status: statusOf(task),
      ticketTypeId: typeId,
      observations: task.description ?? '',
      fields: await answersOf(response?.item, items, contents),
    };
  }
}

const noPatient = () => new Failure('not_found', 'there is no such patient');

/** The institution's own word for it goes before that of FHIR. */
const statusOf = ({ status, businessStatus }: Resource<'Task'>): string =>
  businessStatus?.coding?.find(({ code }) => code)?.code ?? ticketStatusOf(status);

import { randomUUID } from 'node:crypto';
import { badAnswer } from '../../../src/http-client/failures.ts';
import {
  type Call,
  Failure,
  type Instant,
  type NewTicket,
  type Ticket,
  type TicketFilter,
  type Tickets,
  type TicketType,
} from '../../../src/ports/index.ts';
import type { Zone } from '../../../src/toolkit/zone.ts';
import { matchesTicketFilter } from '../../common/tickets.ts';
import type { FhirContext } from '../context.ts';
import { requirePerson, searchPatientCompartment } from '../patients/person.ts';
import { formatToken } from '../rest/query.ts';
import { toRows } from '../rest/search-result.ts';
import type { TransactionEntry } from '../rest/transaction-entries.ts';
import { compareAge, findCode, parseReferenceId, type ResponseItem, toReference } from '../schema/datatypes.ts';
import { toInstant } from '../schema/read.ts';
import type { NewResource, Resource } from '../schema/resources.ts';
import { type Codes, toTicketStatus } from '../schema/terminology.ts';
import {
  computeWriteKey,
  confirmWrite,
  findByWriteKey,
  type ResourceKey,
  retryOnConflict,
  toKeyIdentifiers,
} from '../writes.ts';
import {
  type FileReader,
  findTicketTypeId,
  flattenItems,
  toResponseItems,
  toTicketFields,
  toTicketType,
} from './answers.ts';
import type { TicketFiles } from './files.ts';

/** The maximum number of retries for a ticket that conflicts with a parallel copy of itself. */
const RETRIES = 5;

interface FiledTicket {
  readonly task: Resource<'Task'>;
  readonly response: Resource<'QuestionnaireResponse'> | undefined;
}

/** Ticket types are `Questionnaire`s. Tickets are `Task`s with a `QuestionnaireResponse` as focus. */
export class FhirTickets implements Tickets {
  readonly #context: FhirContext;
  readonly #files: TicketFiles;

  constructor(context: FhirContext, files: TicketFiles) {
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
    // The search is not limited by day: a ticket without a filing date counts by its last update.
    const query = {
      code: formatToken(codes.system('task-kind'), 'ticket'),
      _include: 'Task:focus',
      _sort: '-authored-on',
      _count: '200',
    };
    const search = { who: patientId, query, lenient: true } as const;
    const { found, person } = await searchPatientCompartment(client, 'Task', search, call);
    const focuses = found.matches.map(({ focus }) => focus);
    await client.fetchMissing(found, 'QuestionnaireResponse', focuses, call);
    const types = found.matches.length > 0 ? (await catalogue.ticketTypes.get(call)).matches : [];
    const findResponse = ({ focus }: Resource<'Task'>) => found.resolve(focus, 'QuestionnaireResponse');
    const toFiltered = (task: Task) => ({
      createdAt: toCreatedAt(task, zone),
      ticketTypeId: findTicketTypeId(task, findResponse(task), types),
      status: getStatus(task),
    });
    const wanted = found.matches
      .filter(({ code }) => findCode(code, codes.system('task-kind')) === 'ticket')
      .filter((task) => matchesTicketFilter(toFiltered(task), filter, zone))
      // The newest tickets get their files first. Some servers do not sort.
      .toSorted((a, b) => Date.parse(toCreatedAt(b, zone)) - Date.parse(toCreatedAt(a, zone)) || compareAge(a, b));
    const readFile = this.#files.createReader(call);
    const toRow = (task: Resource<'Task'>) =>
      toTicket({ task, response: findResponse(task) }, { types, readFile, ids: person.ids }, this.#context);
    return toRows(found, wanted, toRow, call);
  }

  async open(patientId: string, ticketTypeId: string, ticket: NewTicket, call: Call): Promise<Ticket> {
    const { client, transactions, codes } = this.#context;
    const once = call.idempotencyKey !== undefined;
    const key = await computeWriteKey(call, 'ticket', [patientId, ticketTypeId, ticket]);
    const earlier = once ? await this.#findFiled(key, call) : undefined;
    if (earlier) return this.#show(earlier, call);
    const [type, { ids }] = await Promise.all([
      this.#requireActiveType(ticketTypeId, call),
      requirePerson(client, patientId, call),
    ]);
    await transactions.requireAtomic(call);
    const { answers, uploaded, contents } = await this.#files.store(type, ticket.fields, call);
    const filing = { patientId: ids[0], type, ticket, answers, key, once };
    const { entries, task, response } = buildTicketEntries(filing, codes, call);
    const file = async () => {
      const [, filed] = await transactions.send(entries, call);
      if (filed?.type !== 'Task' || filed.id === undefined) {
        throw new Failure('outcome_unknown', 'the answer does not name the ticket');
      }
      // A parallel copy of the same request was faster.
      if (filed.status === 200) throw new Failure('conflict', 'it is already filed', { code: 'version_conflict' });
      return filed.id;
    };
    const find = async (lastLook: Call) => (await this.#findFiled(key, lastLook))?.task.id;
    const fileOnce = async (tries: number): Promise<FiledTicket> => {
      const other = tries > 0 ? await this.#findFiled(key, call) : undefined;
      return other ?? { task: { ...task, id: await confirmWrite(file, find, call) }, response };
    };
    const filed = await retryOnConflict(fileOnce, call, once ? RETRIES : 0).catch(async (error: unknown) => {
      const isProven = error instanceof Failure && error.kind !== 'outcome_unknown';
      if (isProven) await this.#files.discard(uploaded, call);
      throw error;
    });
    if (filed.response !== response) await this.#files.discard(uploaded, call);
    // No further request is sent: the ticket is filed, and the deadline may have passed.
    return toTicket(filed, { types: [type], readFile: this.#files.createReader(call, contents) }, this.#context);
  }

  async #show(filed: FiledTicket, call: Call): Promise<Ticket> {
    const { matches: types } = await this.#context.catalogue.ticketTypes.get(call);
    return toTicket(filed, { types, readFile: this.#files.createReader(call) }, this.#context);
  }

  async #requireActiveType(id: string, call: Call): Promise<Resource<'Questionnaire'>> {
    const type = (await this.#context.catalogue.ticketTypes.get(call)).find(id);
    if (type?.status !== 'active') throw new Failure('not_found', 'there is no such ticket type');
    return type;
  }

  /** The ticket of an earlier write with this key. Undefined if there is none. */
  async #findFiled(key: ResourceKey, call: Call): Promise<FiledTicket | undefined> {
    const { client, codes } = this.#context;
    const query = { identifier: formatToken(codes.sid('request'), key.value), _include: 'Task:focus' };
    const found = await client.search('Task', query, call);
    const task = findByWriteKey(key, codes.sid('request'), found.matches);
    return task && { task, response: found.resolve(task.focus, 'QuestionnaireResponse') };
  }
}

type Task = Resource<'Task'>;

/** The context for showing a ticket. */
interface TicketSurroundings {
  readonly types: readonly Resource<'Questionnaire'>[];
  readonly readFile: FileReader;
  /** The ids of all records of the patient. */
  readonly ids?: readonly string[];
}

/** @throws Failure bad_answer when the answers belong to another patient. */
async function toTicket(
  { task, response }: FiledTicket,
  { types, readFile, ids = [] }: TicketSurroundings,
  { zone, codes }: Pick<FhirContext, 'zone' | 'codes'>,
): Promise<Ticket> {
  const subject = parseReferenceId(response?.subject, 'Patient');
  // Answers without a subject belong to the ticket's patient.
  if (subject !== undefined && ![parseReferenceId(task.for, 'Patient'), ...ids].includes(subject)) {
    throw badAnswer('of_another_patient', 'Task/focus');
  }
  const typeId = findTicketTypeId(task, response, types);
  const items = flattenItems(types.find(({ id }) => id === typeId)?.item);
  const changed = task.lastModified ?? task.meta?.lastUpdated ?? task.authoredOn ?? '1970-01-01';
  return {
    id: task.id,
    createdAt: toCreatedAt(task, zone),
    updatedAt: toInstant(changed, zone),
    status: getStatus(task),
    ticketTypeId: typeId,
    observations: task.description ?? '',
    fields: await toTicketFields(response?.item, items, readFile, codes),
  };
}

/** The time of filing. Without one, the time of the last update. */
const toCreatedAt = ({ authoredOn, meta }: Task, zone: Zone): Instant =>
  toInstant(authoredOn ?? meta?.lastUpdated ?? '1970-01-01', zone);

/** The institution's own status, or that of FHIR. */
const getStatus = ({ status, businessStatus }: Task): string =>
  businessStatus?.coding?.find(({ code }) => code)?.code ?? toTicketStatus(status);

interface Filing {
  readonly patientId: string;
  readonly type: Resource<'Questionnaire'>;
  readonly ticket: NewTicket;
  /** By field id. */
  readonly answers: ReadonlyMap<string, NonNullable<ResponseItem['answer']>[number]>;
  /** The key that finds the ticket again after a lost answer. */
  readonly key: ResourceKey;
  /** True if nothing is created when a ticket with this key exists. */
  readonly once: boolean;
}

/** The transaction that creates a ticket and its two resources, which have no ids yet. */
function buildTicketEntries({ patientId, type, ticket, answers, key, once }: Filing, codes: Codes, call: Call) {
  const fullUrl = `urn:uuid:${randomUUID()}`;
  const patient = toReference('Patient', patientId);
  const canonical = type.version === undefined ? type.url : `${type.url}|${type.version}`;
  const item = toResponseItems(type.item, answers);
  const own = { system: codes.sid('request'), value: key.value };
  const response = {
    resourceType: 'QuestionnaireResponse',
    ...(once && { identifier: own }),
    questionnaire: type.url === undefined ? `Questionnaire/${type.id}` : (canonical ?? ''),
    status: 'completed',
    subject: patient,
    authored: call.now,
    ...(item.length > 0 && { item }),
  } satisfies NewResource<'QuestionnaireResponse'>;
  const task = {
    resourceType: 'Task',
    identifier: toKeyIdentifiers(key, own.system),
    status: 'requested',
    intent: 'order',
    code: { coding: [{ system: codes.system('task-kind'), code: 'ticket' }] },
    ...(ticket.observations !== '' && { description: ticket.observations }),
    focus: { reference: fullUrl },
    for: patient,
    authoredOn: call.now,
    lastModified: call.now,
  } satisfies NewResource<'Task'>;
  const ifNoneExist = once ? { identifier: formatToken(own.system, own.value) } : undefined;
  const entries: TransactionEntry[] = [
    { fullUrl, create: response, ifNoneExist },
    { create: task, ifNoneExist },
  ];
  return { entries, task, response: { ...response, id: '' } };
}

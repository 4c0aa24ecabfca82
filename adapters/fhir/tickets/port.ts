import { type Call, Failure, type Tickets } from '../../../src/ports/index.ts';
import type { FhirContext } from '../context.ts';
import { searchPatientCompartment } from '../patients/compartment.ts';
import { requirePerson } from '../patients/merged.ts';
import { toRows } from '../rest/search-result.ts';
import { formatToken } from '../rest/url.ts';
import { findCode } from '../schema/datatypes.ts';
import type { Resource } from '../schema/resources.ts';
import { confirmWrite } from '../writes/confirm-write.ts';
import { computeWriteKey, findByWriteKey, type WriteKey } from '../writes/idempotency.ts';
import { retryOnConflict } from '../writes/retry-on-conflict.ts';
import type { TicketFiles } from './files.ts';
import { matchesFilter, toCreatedAt, toTicket } from './read.ts';
import { findTicketTypeId, toTicketType } from './types.ts';
import { buildTicketEntries } from './write.ts';

/** How often a ticket is sent again that met the same one, sent at the same moment. */
const RETRIES = 5;

/** A ticket and its answers, which may be missing. */
interface FiledTicket {
  readonly task: Resource<'Task'>;
  readonly response: Resource<'QuestionnaireResponse'> | undefined;
}

/** Ticket types as `Questionnaire`s, tickets as `Task`s whose focus is a `QuestionnaireResponse`. */
export function createTickets(context: FhirContext, files: TicketFiles): Tickets {
  const { client, transactions, codes, zone, catalogue } = context;
  return {
    async types(call) {
      const found = await catalogue.ticketTypes.get(call);
      const active = found.matches.filter(({ status }) => status === 'active');
      return toRows(found, active, (each) => toTicketType(each, context), call);
    },

    type: async (id, call) => toTicketType(await requireActiveType(id, call), context),

    async list(patientId, filter, call) {
      // Not by its day: a ticket that does not say when it was filed is of the day on which the server last wrote it.
      const query = {
        code: formatToken(codes.system('task-kind'), 'ticket'),
        _include: 'Task:focus',
        _sort: '-authored-on',
        _count: '200',
      };
      const { found, person } = await searchPatientCompartment(client, 'Task', patientId, query, call, {
        lenient: true,
      });
      const focuses = found.matches.map(({ focus }) => focus);
      await client.fetchMissing(found, 'QuestionnaireResponse', focuses, call);
      const types = found.matches.length > 0 ? (await catalogue.ticketTypes.get(call)).matches : [];
      const findResponse = ({ focus }: Resource<'Task'>) => found.resolve(focus, 'QuestionnaireResponse');
      const wanted = found.matches
        .filter(({ code }) => findCode(code, codes.system('task-kind')) === 'ticket')
        .filter((task) => matchesFilter(task, findTicketTypeId(task, findResponse(task), types), filter, zone))
        // The newest ones have their files first; some servers do not sort.
        .toSorted((a, b) => Date.parse(toCreatedAt(b, zone)) - Date.parse(toCreatedAt(a, zone)));
      const readFile = files.createReader(call);
      const toRow = (task: Resource<'Task'>) =>
        toTicket(task, findResponse(task), types, readFile, context, person.ids);
      return toRows(found, wanted, toRow, call);
    },

    async open(patientId, ticketTypeId, ticket, call) {
      const once = call.idempotencyKey !== undefined;
      const key = await computeWriteKey(call, 'ticket', [patientId, ticketTypeId, ticket]);
      const earlier = once ? await findFiled(key, call) : undefined;
      if (earlier) return show(earlier, call);
      const [type, { ids }] = await Promise.all([
        requireActiveType(ticketTypeId, call),
        requirePerson(client, patientId, call),
      ]);
      await transactions.require(call);
      const { answers, uploaded, contents } = await files.store(type, ticket.fields, call);
      const filing = { patientId: ids[0], type, ticket, answers, key, once };
      const { entries, task, response } = buildTicketEntries(filing, codes, call);
      const file = async () => {
        const [, filed] = await transactions.send(entries, call);
        if (filed?.type !== 'Task' || filed.id === undefined) {
          throw new Failure('outcome_unknown', 'the answer does not name the ticket');
        }
        // The same request, sent twice at once, was faster.
        if (filed.status === 200) throw new Failure('conflict', 'it is filed already', { code: 'version_conflict' });
        return filed.id;
      };
      const find = async (lastLook: Call) => (await findFiled(key, lastLook))?.task.id;
      const attempt = async (tries: number): Promise<FiledTicket> => {
        const other = tries > 0 ? await findFiled(key, call) : undefined;
        return other ?? { task: { ...task, id: await confirmWrite(file, find, call) }, response };
      };
      const filed = await retryOnConflict(attempt, call, once ? RETRIES : 0).catch(async (error: unknown) => {
        const isProven = error instanceof Failure && error.kind !== 'outcome_unknown';
        if (isProven) await files.discard(uploaded, call);
        throw error;
      });
      if (filed.response !== response) await files.discard(uploaded, call);
      // Nothing more is asked of the server: the ticket is filed, and the deadline may have passed.
      return toTicket(filed.task, filed.response, [type], files.createReader(call, contents), context);
    },
  };

  async function show({ task, response }: FiledTicket, call: Call) {
    const { matches: types } = await catalogue.ticketTypes.get(call);
    return toTicket(task, response, types, files.createReader(call), context);
  }

  async function requireActiveType(id: string, call: Call): Promise<Resource<'Questionnaire'>> {
    const type = (await catalogue.ticketTypes.get(call)).find(id);
    if (type?.status !== 'active') throw new Failure('not_found', 'there is no such ticket type');
    return type;
  }

  /** The ticket that a write with this key has left; undefined when there is none. */
  async function findFiled(key: WriteKey, call: Call): Promise<FiledTicket | undefined> {
    const query = { identifier: formatToken(codes.sid('request'), key.value), _include: 'Task:focus' };
    const found = await client.search('Task', query, call);
    const task = findByWriteKey(key, codes.sid('request'), found.matches);
    return task && { task, response: found.resolve(task.focus, 'QuestionnaireResponse') };
  }
}

import type { Instant, Ticket, TicketFilter } from '../../../src/ports/index.ts';
import { badAnswer } from '../../../src/toolkit/http-client/failures.ts';
import type { Zone } from '../../../src/toolkit/zone.ts';
import { matchesTicketFilter } from '../../common/ticket-type.ts';
import type { FhirContext } from '../context.ts';
import { toInstant } from '../datatypes/dates.ts';
import { parseReferenceId } from '../schema/datatypes.ts';
import type { Resource } from '../schema/resources.ts';
import { toTicketStatus } from '../schema/terminology.ts';
import { type FileReader, toTicketFields } from './answers.ts';
import { findTicketTypeId, flattenItems } from './types.ts';

type Task = Resource<'Task'>;

/** @param ids those of all records of the patient; throws bad_answer when the answers are of another one. */
export async function toTicket(
  task: Task,
  response: Resource<'QuestionnaireResponse'> | undefined,
  types: readonly Resource<'Questionnaire'>[],
  readFile: FileReader,
  { zone, codes }: Pick<FhirContext, 'zone' | 'codes'>,
  ids: readonly string[] = [],
): Promise<Ticket> {
  const subject = parseReferenceId(response?.subject, 'Patient');
  // Answers that name nobody are whose the ticket is.
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

/** Whether a ticket of this type meets every criterion. */
export const matchesFilter = (task: Task, ticketTypeId: string, filter: TicketFilter, zone: Zone): boolean =>
  matchesTicketFilter({ createdAt: toCreatedAt(task, zone), ticketTypeId, status: getStatus(task) }, filter, zone);

/** When it was filed; of one that does not say so, when the server last wrote it. */
export const toCreatedAt = ({ authoredOn, meta }: Task, zone: Zone): Instant =>
  toInstant(authoredOn ?? meta?.lastUpdated ?? '1970-01-01', zone);

/** The institution's own status where it has one, else that of FHIR. */
const getStatus = ({ status, businessStatus }: Task): string =>
  businessStatus?.coding?.find(({ code }) => code)?.code ?? toTicketStatus(status);

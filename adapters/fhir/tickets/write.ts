import { randomUUID } from 'node:crypto';
import type { Call, NewTicket } from '../../../src/ports/index.ts';
import type { Entry } from '../rest/entry.ts';
import { formatToken } from '../rest/url.ts';
import { type ResponseItem, toReference } from '../schema/datatypes.ts';
import type { Draft, Resource } from '../schema/resources.ts';
import type { Codes } from '../schema/terminology.ts';
import { toKeyIdentifiers, type WriteKey } from '../writes/idempotency.ts';
import { toResponseItems } from './answers.ts';

export interface Filing {
  readonly patientId: string;
  readonly type: Resource<'Questionnaire'>;
  readonly ticket: NewTicket;
  /** By the id of the field. */
  readonly answers: ReadonlyMap<string, NonNullable<ResponseItem['answer']>[number]>;
  /** By which the ticket is found again after a lost answer. */
  readonly key: WriteKey;
  /** Nothing is created when there is a ticket with this key. */
  readonly once: boolean;
}

/** The transaction that creates a ticket, and its two resources, to which the server has yet to give ids. */
export function buildTicketEntries({ patientId, type, ticket, answers, key, once }: Filing, codes: Codes, call: Call) {
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
  } satisfies Draft<'QuestionnaireResponse'>;
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
  } satisfies Draft<'Task'>;
  const ifNoneExist = once ? { identifier: formatToken(own.system, own.value) } : undefined;
  const entries: Entry[] = [
    { fullUrl, create: response, ifNoneExist },
    { create: task, ifNoneExist },
  ];
  return { entries, task, response: { ...response, id: '' } };
}

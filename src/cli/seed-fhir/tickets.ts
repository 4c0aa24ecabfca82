import type { QuestionnaireItem, Task } from '@medplum/fhirtypes';
import { hl7 } from '../../../adapters/fhir/schema/terminology.ts';
import { toAnswer } from '../../../adapters/fhir/tickets/answers.ts';
import { detectContentType } from '../../../adapters/fhir/tickets/files.ts';
import { toInstant } from '../../../adapters/memory/relative-times.ts';
import type { Ticket, TicketType } from '../../../adapters/memory/world-schema.ts';
import type { TicketFieldType } from '../../ports/index.ts';
import { toConcept, toCreatedAt } from './datatypes.ts';
import type { Context } from './plan.ts';
import type { Seed } from './resource-ids.ts';

const itemTypes: Readonly<Record<TicketFieldType, QuestionnaireItem['type']>> = {
  string: 'string',
  date: 'date',
  number: 'decimal',
  boolean: 'boolean',
  file: 'attachment',
};

const taskStatuses: Readonly<Record<Ticket['status'], Task['status']>> = {
  pending: 'requested',
  in_progress: 'in-progress',
  completed: 'completed',
  rejected: 'rejected',
  canceled: 'cancelled',
};

export const buildTicketTypes = (context: Context): Seed<'Questionnaire'>[] =>
  context.world.ticketTypes.map((type) => toQuestionnaire(type, context));

/** The canonical URL by which answers name their questionnaire, the same on every server. */
const getCanonical = (typeId: string, { codes }: Context): string => codes.canonical('Questionnaire', typeId);

function toQuestionnaire(type: TicketType, context: Context): Seed<'Questionnaire'> {
  const item = type.fields.map(({ id, type, tooltip, validationRegex }) => ({
    ...(validationRegex !== '' && { extension: [{ url: hl7.regex, valueString: validationRegex }] }),
    linkId: id,
    ...(tooltip !== '' && { text: tooltip }),
    type: itemTypes[type],
  }));
  return {
    id: type.id,
    resource: {
      resourceType: 'Questionnaire',
      extension: [toCreatedAt(type.created, context)],
      url: getCanonical(type.id, context),
      version: '1',
      title: type.title,
      status: type.status === 'active' ? 'active' : 'retired',
      ...(type.description !== '' && { description: type.description }),
      useContext: [
        {
          code: { system: 'http://terminology.hl7.org/CodeSystem/usage-context-type', code: 'workflow' },
          valueCodeableConcept: toConcept(context.codes.system('questionnaire-kind'), 'ticket-type'),
        },
      ],
      ...(item.length > 0 && { item }),
    },
  };
}

/** The answers of the tickets, which `buildTickets` refers to. */
export function buildTicketAnswers(context: Context): Seed<'QuestionnaireResponse'>[] {
  const { world, ids, zone, today } = context;
  const types = new Map(world.ticketTypes.map((type) => [type.id, type]));
  return world.tickets.map((ticket) => ({
    id: ticket.id,
    resource: {
      resourceType: 'QuestionnaireResponse',
      questionnaire: `${getCanonical(ticket.ticketTypeId, context)}|1`,
      status: 'completed',
      subject: ids.refer('Patient', ticket.patientId),
      authored: toInstant(ticket.created, today, zone),
      ...(ticket.fields.length > 0 && { item: toResponseItems(ticket, types.get(ticket.ticketTypeId), context.codes) }),
    },
  }));
}

const toResponseItems = ({ fields }: Ticket, type: TicketType | undefined, codes: Context['codes']) =>
  fields.map(({ id, value }) => {
    const { type: fieldType = 'string' } = type?.fields.find((field) => field.id === id) ?? {};
    const answer = fieldType === 'file' ? toFile(value) : toAnswer(value, fieldType, itemTypes[fieldType], codes);
    return { linkId: id, answer: [answer] };
  });

const toFile = (base64: string) => ({
  valueAttachment: { contentType: detectContentType(Buffer.from(base64, 'base64')), data: base64 },
});

export const buildTickets = ({ world, codes, ids, zone, today }: Context): Seed<'Task'>[] =>
  world.tickets.map(({ id, patientId, status, observations, created, updated }) => ({
    id,
    resource: {
      resourceType: 'Task',
      status: taskStatuses[status],
      intent: 'order',
      code: toConcept(codes.system('task-kind'), 'ticket'),
      ...(observations !== '' && { description: observations }),
      focus: ids.refer('QuestionnaireResponse', id),
      for: ids.refer('Patient', patientId),
      authoredOn: toInstant(created, today, zone),
      lastModified: toInstant(updated, today, zone),
    },
  }));

/** Requests for another main practitioner. */
export function buildChangeRequests({ world, codes, ids, zone, today }: Context): Seed<'Task'>[] {
  const patients = new Map(world.patients.map((patient) => [patient.id, patient]));
  return world.changeRequests.map(({ id, patientId, practitionerId, reasonId, status, observations, created }) => {
    const current = patients.get(patientId)?.mainPractitionerId;
    const input = practitionerId !== undefined && {
      type: { text: 'requested-practitioner' },
      valueReference: ids.refer('Practitioner', practitionerId),
    };
    return {
      id,
      resource: {
        resourceType: 'Task',
        status: taskStatuses[status],
        intent: 'proposal',
        code: toConcept(codes.system('task-kind'), 'main-practitioner-change'),
        ...(observations !== '' && { description: observations }),
        ...(current !== undefined && { focus: ids.refer('Practitioner', current) }),
        for: ids.refer('Patient', patientId),
        requester: ids.refer('Patient', patientId),
        authoredOn: toInstant(created, today, zone),
        reasonCode: toConcept(codes.system('practitioner-change-reason'), reasonId),
        ...(input && { input: [input] }),
      },
    };
  });
}

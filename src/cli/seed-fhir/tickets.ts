import { hl7 } from '../../../adapters/fhir/schema/terminology.ts';
import type { FieldType, Ticket, TicketType } from './hospital.ts';
import type { Context, Seed, Step } from './plan.ts';
import { concept, createdAt, toInstant } from './terms.ts';

const itemTypes: Readonly<Record<FieldType, string>> = {
  string: 'string',
  date: 'date',
  number: 'decimal',
  boolean: 'boolean',
  file: 'attachment',
};

const taskStatuses = {
  pending: 'requested',
  in_progress: 'in-progress',
  completed: 'completed',
  rejected: 'rejected',
  canceled: 'cancelled',
} as const;

/** What kinds of tickets there are. */
export const ticketTypes = (context: Context): Step => ({
  title: 'ticket types',
  seeds: context.hospital.ticketTypes.map((type) => toQuestionnaire(type, context)),
});

/** By which answers say what they answer, on whatever server the questionnaire lies. */
const toCanonical = (typeId: string, { codes }: Context): string => codes.canonical('Questionnaire', typeId);

function toQuestionnaire(type: TicketType, context: Context): Seed {
  const item = type.fields.map(({ id, type, tooltip, validationRegex }) => ({
    ...(validationRegex !== '' && { extension: [{ url: hl7.regex, valueString: validationRegex }] }),
    linkId: id,
    ...(tooltip !== '' && { text: tooltip }),
    type: itemTypes[type],
  }));
  return {
    type: 'Questionnaire',
    name: type.id,
    elements: () => ({
      extension: [createdAt(type.created, context)],
      url: toCanonical(type.id, context),
      version: '1',
      title: type.title,
      status: type.status === 'active' ? 'active' : 'retired',
      ...(type.description !== '' && { description: type.description }),
      useContext: [
        {
          code: { system: 'http://terminology.hl7.org/CodeSystem/usage-context-type', code: 'workflow' },
          valueCodeableConcept: concept(context.codes.system('questionnaire-kind'), 'ticket-type'),
        },
      ],
      ...(item.length > 0 && { item }),
    }),
  };
}

/** What was filed: first the answers, then the tickets that carry them. */
export function tickets(context: Context): Step[] {
  const { hospital, codes } = context;
  const types = new Map(hospital.ticketTypes.map((type) => [type.id, type]));
  const answers = hospital.tickets.map(
    (ticket): Seed => ({
      type: 'QuestionnaireResponse',
      name: ticket.id,
      elements: (known) => ({
        questionnaire: `${toCanonical(ticket.ticketTypeId, context)}|1`,
        status: 'completed',
        subject: known.to('Patient', ticket.patientId),
        authored: toInstant(ticket.created, context),
        ...(ticket.fields.length > 0 && { item: toAnswers(ticket, types.get(ticket.ticketTypeId)) }),
      }),
    }),
  );
  const tasks = hospital.tickets.map(
    (ticket): Seed => ({
      type: 'Task',
      name: ticket.id,
      elements: (known) => ({
        status: taskStatuses[ticket.status],
        intent: 'order',
        code: concept(codes.system('task-kind'), 'ticket'),
        ...(ticket.observations !== '' && { description: ticket.observations }),
        focus: known.to('QuestionnaireResponse', ticket.id),
        for: known.to('Patient', ticket.patientId),
        authoredOn: toInstant(ticket.created, context),
        lastModified: toInstant(ticket.updated, context),
      }),
    }),
  );
  return [
    { title: 'answers in tickets', seeds: answers },
    { title: 'tickets', seeds: tasks },
  ];
}

function toAnswers({ fields }: Ticket, type: TicketType | undefined) {
  return fields.map(({ id, value }) => ({
    linkId: id,
    answer: [toAnswer(value, type?.fields.find((field) => field.id === id)?.type ?? 'string')],
  }));
}

function toAnswer(value: string, type: FieldType) {
  if (type === 'file') return { valueAttachment: { contentType: toMediaType(value), data: value } };
  if (type === 'boolean') return { valueBoolean: value === 'true' };
  if (type === 'number') return { valueDecimal: Number(value) };
  return type === 'date' ? { valueDate: value } : { valueString: value };
}

/** By the first bytes of what is in base64. */
function toMediaType(base64: string): string {
  const start = Buffer.from(base64.slice(0, 12), 'base64').toString('latin1');
  if (start.startsWith('%PDF')) return 'application/pdf';
  return start.startsWith('\x89PNG') ? 'image/png' : 'application/octet-stream';
}

/** Who asked for another main practitioner. */
export function changeRequests(context: Context): Step {
  const { hospital, codes } = context;
  const mainOf = new Map(hospital.patients.map(({ id, mainPractitionerId }) => [id, mainPractitionerId]));
  const seeds = hospital.changeRequests.map((request): Seed => {
    const { patientId, practitionerId, reasonId, status, observations } = request;
    const main = mainOf.get(patientId);
    return {
      type: 'Task',
      name: request.id,
      elements: (known) => ({
        status: taskStatuses[status],
        intent: 'proposal',
        code: concept(codes.system('task-kind'), 'main-practitioner-change'),
        ...(observations !== '' && { description: observations }),
        ...(main !== undefined && { focus: known.to('Practitioner', main) }),
        for: known.to('Patient', patientId),
        requester: known.to('Patient', patientId),
        authoredOn: toInstant(request.created, context),
        reasonCode: concept(codes.system('practitioner-change-reason'), reasonId),
        ...(practitionerId !== undefined && {
          input: [
            {
              type: { text: 'requested-practitioner' },
              valueReference: known.to('Practitioner', practitionerId),
            },
          ],
        }),
      }),
    };
  });
  return { title: 'change requests', seeds };
}

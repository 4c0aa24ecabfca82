import type { WithId } from '@medplum/core';
import type { Questionnaire, QuestionnaireItem, QuestionnaireResponse, Resource, Task } from '@medplum/fhirtypes';
import type { Calendar } from './calendar.ts';
import { concept, createdAt, NS, ownCodes, to } from './terms.ts';

const buildQuestionnaire = (
  id: string,
  title: string,
  description: string,
  item: QuestionnaireItem[],
  status: Questionnaire['status'] = 'active',
): WithId<Questionnaire> => ({
  resourceType: 'Questionnaire',
  id,
  extension: [createdAt('2024-11-20T10:00:00-03:00')],
  url: `${NS}/Questionnaire/${id}`,
  version: '1',
  status,
  title,
  description,
  useContext: [
    {
      code: { system: 'http://terminology.hl7.org/CodeSystem/usage-context-type', code: 'workflow' },
      valueCodeableConcept: concept(ownCodes('questionnaire-kind'), 'ticket-type'),
    },
  ],
  item,
});

const buildItem = (
  linkId: string,
  type: QuestionnaireItem['type'],
  text: string,
  regex?: string,
): QuestionnaireItem => ({
  linkId,
  type,
  text,
  ...(regex !== undefined && {
    extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/regex', valueString: regex }],
  }),
});

const types = [
  buildQuestionnaire('receta', 'Renovación de receta', 'Pedido de receta de una medicación de uso crónico.', [
    buildItem(
      'medicamento',
      'string',
      'Nombre y concentración, por ejemplo: Losartán 50 mg',
      '^[\\p{L}0-9 ,.\\-]{3,80}$',
    ),
    buildItem('dosis', 'string', 'Cómo lo toma, por ejemplo: un comprimido por la mañana'),
    buildItem('fecha', 'date', 'Fecha de la última receta'),
  ]),
  buildQuestionnaire(
    'autorizacion',
    'Autorización de práctica',
    'Gestión de la autorización de un estudio o una práctica.',
    [
      {
        linkId: 'pedido',
        type: 'group',
        text: 'El pedido',
        item: [
          buildItem('orden', 'attachment', 'Foto o PDF de la orden médica, con firma y sello legibles'),
          buildItem('cantidad', 'integer', 'Cantidad de prácticas o sesiones, de 1 a 99', '^[1-9][0-9]?$'),
        ],
      },
      buildItem('urgente', 'boolean', 'Si el médico indicó que es urgente'),
      buildItem('cobertura', 'string', 'Obra social o prepaga y plan'),
    ],
  ),
  buildQuestionnaire(
    'encuesta',
    'Encuesta de satisfacción',
    'Reemplazada.',
    [buildItem('puntaje', 'integer', 'De 1 a 10')],
    'retired',
  ),
];

/** A clinical form, which no patient can file. */
const intake: WithId<Questionnaire> = {
  resourceType: 'Questionnaire',
  id: 'ficha-de-ingreso',
  status: 'active',
  title: 'Ficha de ingreso',
  item: [buildItem('alergias', 'text', 'Alergias conocidas')],
};

const taskKind = (code: string) => concept(ownCodes('task-kind'), code);

function buildTicket(calendar: Calendar): [WithId<QuestionnaireResponse>, WithId<Task>] {
  const authored = calendar.ago(64, '09:12');
  return [
    {
      resourceType: 'QuestionnaireResponse',
      id: 'respuesta-ana-1',
      questionnaire: 'Questionnaire/receta',
      status: 'completed',
      subject: to('Patient/ana'),
      authored,
      item: [
        { linkId: 'medicamento', answer: [{ valueString: 'Levotiroxina 75 mcg' }] },
        { linkId: 'dosis', answer: [{ valueString: 'Un comprimido en ayunas' }] },
        { linkId: 'fecha', answer: [{ valueDate: '2026-06-18' }] },
      ],
    },
    {
      resourceType: 'Task',
      id: 'ticket-ana-1',
      status: 'completed',
      intent: 'order',
      code: taskKind('ticket'),
      description: 'La retiro por mesa de entradas.',
      focus: to('QuestionnaireResponse/respuesta-ana-1'),
      for: to('Patient/ana'),
      authoredOn: authored,
      lastModified: calendar.ago(63, '16:40'),
    },
  ];
}

function buildChangeRequest(
  id: string,
  patient: string,
  reason: string,
  status: Task['status'],
  authoredOn: string,
): WithId<Task> {
  return {
    resourceType: 'Task',
    id,
    status,
    intent: 'proposal',
    code: taskKind('main-practitioner-change'),
    focus: to('Practitioner/paz'),
    for: to(`Patient/${patient}`),
    requester: to(`Patient/${patient}`),
    authoredOn,
    reasonCode: concept(ownCodes('practitioner-change-reason'), reason),
  };
}

/** At an hour at which the day in UTC is another one. */
function buildLateTicket(calendar: Calendar): [WithId<QuestionnaireResponse>, WithId<Task>] {
  const [response, task] = buildTicket(calendar);
  const authored = calendar.ago(71, '22:31');
  const patient = to('Patient/vanesa-romero');
  return [
    { ...response, id: 'respuesta-vanesa-romero-1', subject: patient, authored },
    {
      ...task,
      id: 'ticket-vanesa-romero-1',
      for: patient,
      focus: to('QuestionnaireResponse/respuesta-vanesa-romero-1'),
      authoredOn: authored,
    },
  ];
}

/** The kinds of ticket, the tickets, and the wishes for another main practitioner. */
export const buildRequests = (calendar: Calendar): WithId<Resource>[] => [
  ...types,
  intake,
  ...buildTicket(calendar),
  ...buildLateTicket(calendar),
  buildChangeRequest('cambio-ana-1', 'ana', 'horario', 'completed', calendar.ago(240, '11:20')),
  buildChangeRequest('cambio-elena-1', 'elena', 'mudanza', 'in-progress', calendar.ago(6, '11:20')),
];

import type { KeyedRequest } from '../side.ts';
import { areAll, type Example, type IdOf, isOneOf, type KnownDisagreement, type Occurrence, says } from './known.ts';

const ticket = (id: IdOf, type: string, fields: readonly { readonly id: string; readonly value: string }[]) => ({
  route: 'POST /patients/{id}/ticket_type/{ticket_type_id}/ticket' as const,
  params: { id: id('Patient', 'ana'), ticket_type_id: id('Questionnaire', type) },
  body: { fields },
});

const ofAna = (id: IdOf) => ({ id: id('Patient', 'ana') });

/** The coverage of Ana that is no longer in force, once more. */
const recreated = (id: IdOf): Example => ({
  route: 'POST /v1/coverages',
  body: {
    credentialNumber: '80035520710101',
    beneficiaryId: id('Patient', 'ana'),
    insurancePlanId: id('InsurancePlan', 'swiss-smg20'),
  },
});

interface Relation {
  readonly related_patient_id: string;
  readonly active?: boolean;
}

/** Whether one request names the same relative of the same patient as another, as no longer active. */
function isInactiveRelation(one: KeyedRequest, other: KeyedRequest): boolean {
  const [relation, another] = [one, other].map(({ body }) => body as Relation | undefined);
  return (
    one.route === other.route &&
    one.params?.id === other.params?.id &&
    relation?.related_patient_id === another?.related_patient_id &&
    relation?.active === false
  );
}

interface Field {
  readonly id: string;
  readonly value: string;
}

/** The field of a ticket of which memory and fhir say different things, as either has it. */
function findField({ request, memory, fhir, difference }: Occurrence): readonly (Field | undefined)[] {
  const [, ticket, field] = /\/body\/(\d+)\/fields\/(\d+)\//.exec(difference.at) ?? [];
  if (request.route !== 'GET /patients/{id}/ticket/' || ticket === undefined || field === undefined) return [];
  const listFields = ([outcome]: Occurrence['memory']) => {
    const tickets = outcome?.body as readonly { fields: readonly Field[] }[] | undefined;
    return tickets?.[Number(ticket)]?.fields ?? [];
  };
  const here = listFields(memory)[Number(field)];
  return [here, listFields(fhir).find(({ id }) => id === here?.id)];
}

export const ofRecords: readonly KnownDisagreement[] = [
  {
    what: 'the order of the fields of a ticket',
    ruling: 'open: memory keeps the order in which they were sent, fhir that of the form; the form has it',
    explains: (met) => {
      const [here, there] = findField(met);
      return here !== undefined && JSON.stringify(here) === JSON.stringify(there);
    },
    harmless: true,
    example: (id) => [
      ticket(id, 'certificado', [
        { id: 'presentar-en', value: 'la escuela' },
        { id: 'dias', value: '3' },
      ]),
      { route: 'GET /patients/{id}/ticket/', params: ofAna(id) },
    ],
  },
  {
    what: 'zeros at the end of a number in a ticket',
    ruling: 'fhir is wrong: record 0022, values are text; a decimal of FHIR has its digits, which JavaScript forgets',
    explains: (met) => {
      const [here, there] = findField(met);
      return here !== undefined && here.value !== there?.value && Number(here.value) === Number(there?.value);
    },
    harmless: true,
    example: (id) => [
      ticket(id, 'reintegro', [{ id: 'importe', value: '12.50' }]),
      { route: 'GET /patients/{id}/ticket/', params: ofAna(id) },
    ],
  },
  {
    what: 'a field of a ticket that was left empty',
    ruling: 'fhir is wrong: record 0022 takes any text, and an item without an answer can carry it',
    explains: ({ request, memory, fhir }) =>
      request.route.endsWith('/ticket') &&
      says(request, '') &&
      isOneOf(memory, '201') &&
      areAll(fhir, '422 validation body '),
    example: (id) => [ticket(id, 'receta', [{ id: 'dosis', value: '' }])],
  },
  {
    what: 'a relative who is removed several times at the same moment',
    ruling: 'open: fhir tells each caller that it is done, memory all but the first that there is no such member',
    harmless: true,
    explains: ({ request, memory, fhir }) =>
      request.route.startsWith('DELETE ') &&
      memory.length > 1 &&
      areAll(memory, /^(200|404 not_found)$/) &&
      areAll(fhir, /^(200|404 not_found)$/),
    example: (id) => [
      {
        route: 'DELETE /patients/{id}/family_group/{family_group_member_id}',
        params: { ...ofAna(id), family_group_member_id: id('RelatedPerson', 'ana-bruno') },
        times: 3,
      },
    ],
  },
  {
    what: 'a relative whose relation is no longer active is named again',
    ruling: 'open: memory refuses it, as decision 21 says; fhir makes it active again, as a coverage that lapsed',
    explains: ({ request, memory, fhir, before }) =>
      request.route === 'POST /patients/{id}/family_group' &&
      [request, ...before.map((earlier) => earlier.request)].some((each) => isInactiveRelation(each, request)) &&
      isOneOf(memory, '409 relation_exists') &&
      isOneOf(fhir, '201'),
    example: (id) => {
      const member = { related_patient_id: id('Patient', 'dario'), relationship_code: 5 };
      const route = 'POST /patients/{id}/family_group';
      return [
        { route, params: ofAna(id), body: { ...member, active: false } },
        { route, params: ofAna(id), body: member },
      ];
    },
  },
  {
    what: 'carriers of an organization that is no institution but a carrier',
    ruling: 'open: memory knows it as no institution (422), fhir as one without contracts',
    harmless: true,
    explains: ({ request, memory, fhir }) =>
      request.route === 'GET /v1/insurance-carriers/by-owner' &&
      areAll(memory, '422 validation query /ownerId') &&
      areAll(fhir, '200'),
    example: (id) => [{ route: 'GET /v1/insurance-carriers/by-owner', query: { ownerId: id('Organization', 'osde') } }],
  },
  {
    what: 'a coverage that is no longer in force is created again',
    ruling: 'open: memory adds another, fhir takes the old one up again, so that its carrier has each credential once',
    explains: ({ request, memory, fhir, difference }) =>
      request.route === 'POST /v1/coverages' &&
      isOneOf(memory, '201') &&
      isOneOf(fhir, '201') &&
      difference.at.endsWith('/body/model/id'),
    example: (id) => [recreated(id)],
  },
];

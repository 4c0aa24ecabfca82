import type { Example, IdOf, Scenario } from '../known/known.ts';

const ofAna = (id: IdOf) => ({ id: id('Patient', 'ana') });

type Field = { readonly id: string; readonly value: string };

const fileTicket = (id: IdOf, type: string, fields: readonly Field[]): Example => ({
  route: 'POST /patients/{id}/ticket_type/{ticket_type_id}/ticket',
  params: { ...ofAna(id), ticket_type_id: id('Questionnaire', type) },
  body: { fields },
});

const viewTicketsOf = (id: IdOf): Example => ({ route: 'GET /patients/{id}/ticket/', params: ofAna(id) });

/** The coverage of Ana that is no longer in force, once more. */
const createLapsed = (id: IdOf, plan: string, credentialNumber = '80035520710101'): Example => ({
  route: 'POST /v1/coverages',
  body: { credentialNumber, beneficiaryId: id('Patient', 'ana'), insurancePlanId: id('InsurancePlan', plan) },
});

const addRelative = (id: IdOf, relative: string, relationship_code: number): Example => ({
  route: 'POST /patients/{id}/family_group',
  params: ofAna(id),
  body: { related_patient_id: id('Patient', relative), relationship_code },
});

const viewCoverages = (id: IdOf): Example => ({ route: 'GET /patients/{id}/health_insurances', params: ofAna(id) });

export const ofRecords: readonly Scenario[] = [
  {
    what: 'the fields of a ticket stand in the order of the form',
    example: (id) => [
      fileTicket(id, 'certificado', [
        { id: 'presentar-en', value: 'la escuela' },
        { id: 'dias', value: '3' },
      ]),
      viewTicketsOf(id),
    ],
  },
  {
    what: 'a number in a ticket keeps its digits',
    example: (id) => [
      fileTicket(id, 'reintegro', [{ id: 'importe', value: '12.50' }]),
      fileTicket(id, 'certificado', [{ id: 'dias', value: '007' }]),
      viewTicketsOf(id),
    ],
  },
  {
    what: 'a field of a ticket that was left empty is left out',
    example: (id) => [fileTicket(id, 'receta', [{ id: 'dosis', value: '' }]), viewTicketsOf(id)],
  },
  {
    what: 'a relative whose relation is no longer active is named again, also several times at once',
    example: (id) => {
      const member = { related_patient_id: id('Patient', 'dario'), relationship_code: 5 };
      const route = 'POST /patients/{id}/family_group';
      return [
        { route, params: ofAna(id), body: { ...member, active: false } },
        { route, params: ofAna(id), body: member, times: 3 },
        { route: 'GET /patients/{id}/family_group', params: ofAna(id) },
      ];
    },
  },
  {
    what: 'any whole number is kept as the code of a relationship',
    example: (id) => [
      addRelative(id, 'raul-escudero', -3),
      addRelative(id, 'alex-montero', Number.MAX_SAFE_INTEGER),
      { route: 'GET /patients/{id}/family_group', params: ofAna(id) },
    ],
  },
  {
    what: 'what an unknown patient has not is told as what a known one has not',
    example: (id) => [
      {
        route: 'PUT /patients/{id}/appointments/{appointment_id}',
        params: { id: 'no-such-id', appointment_id: id('Appointment', 'turno-ana-1') },
        body: { status: 'canceled' },
      },
      {
        route: 'DELETE /patients/{id}/family_group/{family_group_member_id}',
        params: { id: 'no-such-id', family_group_member_id: id('RelatedPerson', 'ana-bruno') },
      },
    ],
  },
  {
    what: 'a carrier is no institution that has contracts',
    example: (id) => [{ route: 'GET /v1/insurance-carriers/by-owner', query: { ownerId: id('Organization', 'osde') } }],
  },
  {
    what: 'a coverage that is no longer in force is taken up again, under another plan too',
    example: (id) => [createLapsed(id, 'swiss-smg20'), viewCoverages(id), createLapsed(id, 'swiss-smg20')],
  },
  {
    what: 'a coverage of another carrier is another coverage',
    example: (id) => [createLapsed(id, 'osde-210'), viewCoverages(id)],
  },
  {
    what: 'a credential is the same however it is spelt',
    example: (id) => [
      createLapsed(id, 'osde-210', '1-a'),
      createLapsed(id, 'osde-310', ' 1-A '),
      createLapsed(id, 'swiss-smg20', '80035520710 101'),
      viewCoverages(id),
    ],
  },
];

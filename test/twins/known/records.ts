import { areAll, type Example, type IdOf, type KnownDisagreement } from './known.ts';

/** Files a ticket of Ana. */
export const fileTicket = (
  id: IdOf,
  type: string,
  fields: readonly { readonly id: string; readonly value: string }[],
) => ({
  route: 'POST /patients/{id}/ticket_type/{ticket_type_id}/ticket' as const,
  params: { id: id('Patient', 'ana'), ticket_type_id: id('Questionnaire', type) },
  body: { fields },
});

const ofAna = (id: IdOf) => ({ id: id('Patient', 'ana') });

export const viewTicketsOf = (id: IdOf): Example => ({ route: 'GET /patients/{id}/ticket/', params: ofAna(id) });

export const ofRecords: readonly KnownDisagreement[] = [
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
];

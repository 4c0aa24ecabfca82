import type { Scenario } from '../known/known.ts';

export const ofTickets: readonly Scenario[] = [
  {
    what: 'a ticket that is sent several times at once under one Idempotency-Key is filed once',
    example: (id) => {
      const ana = id('Patient', 'ana');
      const params = { id: ana, ticket_type_id: id('Questionnaire', 'receta') };
      const route = 'POST /patients/{id}/ticket_type/{ticket_type_id}/ticket';
      return [
        { route, params, body: { fields: [] }, key: 'k1', times: 3 },
        { route: 'GET /patients/{id}/ticket/', params: { id: ana } },
      ];
    },
  },
];

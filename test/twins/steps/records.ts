import fc from 'fast-check';
import { viewChangeRequest, viewFamily, viewTickets } from '../views.ts';
import { anyChoice, anyPatient, choose, choosePatient, optional, seldom } from './choices.ts';
import { read, type Steps, write } from './step.ts';

/** By the type of a field: what fits, and what nearly does. */
const values = {
  string: fc.constantFrom(
    'Enalapril 10 mg',
    'digital',
    'laboral',
    '+54 9 11 5555-0142',
    'a@example.org',
    '',
    'dos\nlíneas',
    '0'.repeat(22),
  ),
  date: fc.constantFrom('2026-12-01', '2026-02-30', '0001-01-01'),
  number: fc.constantFrom('3', '12.50', '0', '100', '-1', '1e3'),
  boolean: fc.constantFrom('true', 'false', 'si'),
  file: fc.constantFrom('JVBERi0xLjQK', 'aGVsbG8=', '', 'not base64'),
};

const field = fc.record({ which: anyChoice, values: fc.record(values) });
const kindOf = (type = 'string') => (type in values ? (type as keyof typeof values) : 'string');

export const recordSteps: readonly Steps[] = [
  write(
    'file a ticket',
    5,
    fc.record({
      who: anyPatient,
      type: anyChoice,
      fields: fc.array(field, { maxLength: 3 }),
      observations: fc.option(fc.constantFrom('', 'Se me termina.', ' con espacios '), { nil: undefined }),
    }),
    ({ who, type, fields, observations }, known) => {
      const id = choosePatient(known, who);
      const types = known.directory.ticketTypes;
      const typeId = choose(
        types.map((each) => each.id),
        type,
      );
      const questions = types.find((each) => each.id === typeId)?.fields ?? [];
      const filled = fields.flatMap((each) => {
        const chosen = choose(
          questions.map((question) => question.id),
          each.which,
        );
        const kind = kindOf(questions.find((question) => question.id === chosen)?.type);
        return chosen === undefined ? [] : [{ id: chosen, value: each.values[kind] }];
      });
      return {
        request: {
          route: 'POST /patients/{id}/ticket_type/{ticket_type_id}/ticket',
          params: { id, ticket_type_id: typeId },
          body: { fields: filled, ...(observations !== undefined && { observations }) },
        },
        views: () => [viewTickets(id)],
      };
    },
  ),
  read(
    'tickets of some days',
    2,
    fc.record({
      who: anyPatient,
      start: fc.option(fc.constantFrom('2026-01-01', '2026-09-04', '2026-11-21'), { freq: 2 }),
      end: fc.option(fc.constantFrom('2026-04-03', '2026-09-06', '2026-12-31'), { freq: 2 }),
      type: seldom(anyChoice),
      status: seldom(fc.constantFrom('pending', 'completed', 'in_progress')),
    }),
    ({ who, start, end, type, status }, known) => ({
      request: {
        route: 'GET /patients/{id}/ticket/',
        params: { id: choosePatient(known, who) },
        query: {
          ...optional('start_date', start ?? undefined),
          ...optional('end_date', end ?? undefined),
          ...optional(
            'ticket_type_id',
            type === null
              ? undefined
              : choose(
                  known.directory.ticketTypes.map(({ id }) => id),
                  type,
                ),
          ),
          ...optional('status', status ?? undefined),
        },
      },
    }),
  ),
  write(
    'name a relative',
    4,
    fc.record({
      who: anyPatient,
      related: anyPatient,
      code: fc.constantFrom(2, 5, 99, 0, -3, 12345678),
      words: fc.option(fc.constantFrom('hermana', '', ' tía ', ' '), { nil: undefined }),
      active: fc.option(fc.boolean(), { nil: undefined }),
    }),
    ({ who, related, code, words, active }, known) => {
      const id = choosePatient(known, who);
      const body = {
        related_patient_id: choosePatient(known, related),
        relationship_code: code,
        ...(words !== undefined && { relationship_description: words }),
        ...(active !== undefined && { active }),
      };
      return {
        request: { route: 'POST /patients/{id}/family_group', params: { id }, body },
        views: () => [viewFamily(id), viewFamily(body.related_patient_id)],
      };
    },
  ),
  write('remove a relative', 4, fc.record({ which: anyChoice, who: seldom(anyPatient) }), ({ which, who }, known) => {
    const memberId = choose([...known.members.keys()], which);
    const owner = known.members.get(memberId)?.patientId;
    const id = who === null && owner !== undefined ? owner : choosePatient(known, who ?? 0);
    return {
      request: {
        route: 'DELETE /patients/{id}/family_group/{family_group_member_id}',
        params: { id, family_group_member_id: memberId },
      },
      views: () => [viewFamily(id), ...(owner === undefined ? [] : [viewFamily(owner)])],
    };
  }),
  write(
    'ask for another practitioner',
    3,
    fc.record({
      who: anyPatient,
      reason: anyChoice,
      wanted: fc.option(anyChoice, { freq: 2 }),
      observations: fc.option(fc.constantFrom('Me queda lejos.', ''), { nil: undefined }),
    }),
    ({ who, reason, wanted, observations }, known) => {
      const id = choosePatient(known, who);
      const { reasons, practitioners } = known.directory;
      const body = {
        reason_id: choose(reasons, reason),
        ...optional('practitioner_id', wanted === null ? undefined : choose(practitioners, wanted)),
        ...(observations !== undefined && { observations }),
      };
      return {
        request: { route: 'POST /patients/{id}/practitioner/change_request', params: { id }, body },
        views: () => [viewChangeRequest(id)],
      };
    },
  ),
  write('the same again under its key', 2, fc.constant(undefined), (_, { keyed }) => keyed),
];

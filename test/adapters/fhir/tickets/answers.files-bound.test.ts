import { expect, test } from '@jest/globals';
import { ownCodes } from '../../../hospital-in-fhir/terms.ts';
import { connect } from '../../../support/fhir-adapter.ts';
import { callNow } from '../../../support/fhir-calls.ts';
import { setUpHospital } from '../../../support/fhir-hospital.ts';

const { server, id } = await setUpHospital();

/** Eight tickets of one file each, of one kilobyte; the later, the higher its number, and the sooner its file comes. */
async function loadTickets(): Promise<void> {
  for (let day = 1; day <= 8; day++) {
    const data = Buffer.alloc(1_000, String(day)).toString('base64');
    const { id: binary } = await server.create({ resourceType: 'Binary', contentType: 'application/pdf', data });
    const file = { contentType: 'application/pdf', url: `Binary/${binary}` };
    server.load({
      resourceType: 'QuestionnaireResponse',
      id: `answers-${day}`,
      status: 'completed',
      questionnaire: `Questionnaire/${id('Questionnaire/autorizacion')}`,
      item: [{ linkId: 'orden', answer: [{ valueAttachment: file }] }],
    });
    server.load({
      resourceType: 'Task',
      id: `ticket-${day}`,
      status: 'requested',
      intent: 'order',
      code: { coding: [{ system: ownCodes('task-kind'), code: 'ticket' }] },
      for: { reference: `Patient/${id('Patient/bruno')}` },
      authoredOn: `2026-01-0${day}T12:00:00Z`,
      focus: { reference: `QuestionnaireResponse/answers-${day}` },
    });
  }
}

test('a list has the files of the newest tickets within its bound, always the same ones, and counts the others', async () => {
  await loadTickets();
  const { ports } = await connect(server, { ticketFiles: { bytes: 3_500 } });
  for (let round = 0; round < 5; round++) {
    let omitted = 0;
    const call = callNow({ omit: () => void omitted++ });
    const tickets = await ports.tickets.list(id('Patient/bruno'), {}, call);
    const own = tickets.filter((ticket) => ticket.id.startsWith('ticket-'));
    expect(own.map((ticket) => [ticket.id, ticket.fields[0]?.value !== ''])).toEqual([
      ['ticket-8', true],
      ['ticket-7', true],
      ['ticket-6', true],
      ...[5, 4, 3, 2, 1].map((day) => [`ticket-${day}`, false]),
    ]);
    expect(omitted).toBe(5);
  }
});

test('a file that does not fit leaves room for older ones that do', async () => {
  await loadTickets();
  const big = await server.create({
    resourceType: 'Binary',
    contentType: 'application/pdf',
    data: Buffer.alloc(9_000).toString('base64'),
  });
  const file = { contentType: 'application/pdf', url: `Binary/${big.id}` };
  server.load({
    ...(await server.read('QuestionnaireResponse', 'answers-8')),
    id: 'answers-8',
    item: [{ linkId: 'orden', answer: [{ valueAttachment: file }] }],
  });
  const { ports } = await connect(server, { ticketFiles: { bytes: 2_500 } });
  const tickets = await ports.tickets.list(id('Patient/bruno'), {}, callNow());
  const filled = tickets.filter(({ fields }) => fields[0]?.value).map((ticket) => ticket.id);
  expect(filled.filter((each) => each.startsWith('ticket-'))).toEqual(['ticket-7', 'ticket-6']);
});

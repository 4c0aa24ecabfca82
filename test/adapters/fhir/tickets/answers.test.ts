import { describe, expect, test } from '@jest/globals';
import type { QuestionnaireResponse, Task } from '@medplum/fhirtypes';
import type { QuestionAnswer } from '../../../../adapters/fhir/schema/datatypes.ts';
import { Codes } from '../../../../adapters/fhir/schema/terminology.ts';
import {
  flattenItems,
  toAnswer,
  toFieldType,
  toResponseItems,
  toTicketFields,
} from '../../../../adapters/fhir/tickets/answers.ts';
import type { TicketFieldType } from '../../../../src/ports/index.ts';
import { ownCodes } from '../../../hospital-in-fhir/terms.ts';
import { connect, makeSettings } from '../../../support/fhir-adapter.ts';
import { callNow } from '../../../support/fhir-calls.ts';
import { setUpHospital } from '../../../support/fhir-hospital.ts';

const codes = new Codes(makeSettings({ url: 'https://fhir.example.org' }));

const read = async (answer: QuestionAnswer): Promise<string | undefined> =>
  (await toTicketFields([{ linkId: 'a', answer: [answer] }], [], async () => '', codes))[0]?.value;

const inDigits = (valueString: string) => ({ url: codes.extension('number-as-text'), valueString });

describe('a ticket', () => {
  const items = [
    { linkId: 'group', type: 'group', text: 'G', item: [{ linkId: 'orden', type: 'attachment', text: 'Foto' }] },
    { linkId: 'cantidad', type: 'integer', text: 'Cuántas' },
    { linkId: 'note', type: 'display', text: 'N' },
  ];

  test('has the fields of groups too, in the order of the form', () => {
    expect(flattenItems(items).map((item) => [item.linkId, toFieldType(item)])).toEqual([
      ['orden', 'file'],
      ['cantidad', 'number'],
    ]);
  });

  test('keeps its answers in the groups of their questions, and reads them back', async () => {
    const attachment = { url: 'Binary/1' };
    const answers = new Map([
      ['orden', { valueAttachment: attachment }],
      ['cantidad', toAnswer('3', 'number', 'integer', codes)],
    ]);
    const filled = toResponseItems(items, answers);
    expect(filled).toEqual([
      { linkId: 'group', item: [{ linkId: 'orden', answer: [{ valueAttachment: attachment }] }] },
      { linkId: 'cantidad', answer: [{ valueInteger: 3 }] },
    ]);
    expect(await toTicketFields(filled, flattenItems(items), async ({ url }) => `content of ${url}`, codes)).toEqual([
      { id: 'orden', dataType: 'file', value: 'content of Binary/1', tooltip: 'Foto' },
      { id: 'cantidad', dataType: 'string', value: '3', tooltip: 'Cuántas' },
    ]);
  });

  test.each<[string, TicketFieldType, string, QuestionAnswer]>([
    ['true', 'boolean', 'boolean', { valueBoolean: true }],
    ['false', 'boolean', 'boolean', { valueBoolean: false }],
    ['3', 'number', 'integer', { valueInteger: 3 }],
    ['3', 'number', 'quantity', { valueQuantity: { value: 3 } }],
    ['10:20:00', 'string', 'time', { valueTime: '10:20:00' }],
    ['a las diez', 'string', 'time', { valueString: 'a las diez' }],
    ['https://x.example.org/a', 'string', 'url', { valueUri: 'https://x.example.org/a' }],
    ['Dra. Prueba', 'string', 'reference', { valueReference: { display: 'Dra. Prueba' } }],
    ['1.5', 'number', 'decimal', { valueDecimal: 1.5 }],
    ['1.50', 'number', 'decimal', { extension: [inDigits('1.50')], valueDecimal: 1.5 }],
    ['1.5', 'number', 'integer', { valueDecimal: 1.5 }],
    ['2147483647', 'number', 'integer', { valueInteger: 2147483647 }],
    ['-2147483648', 'number', 'integer', { valueInteger: -2147483648 }],
    ['20314654662', 'number', 'integer', { valueDecimal: 20314654662 }],
    ['2026-06-18', 'date', 'date', { valueDate: '2026-06-18' }],
    ['2026-06-18', 'date', 'dateTime', { valueDateTime: '2026-06-18' }],
    ['OSDE', 'string', 'choice', { valueCoding: { display: 'OSDE' } }],
    ['texto', 'string', 'text', { valueString: 'texto' }],
  ])('answers %s to a %s of %s, and reads it back', async (value, type, item, answer) => {
    expect(toAnswer(value, type, item, codes)).toEqual(answer);
    expect(await read(answer)).toBe(value);
  });

  test.each<[string, string, QuestionAnswer]>([
    ['a time', '09:30:00', { valueTime: '09:30:00' }],
    ['a link', 'https://example.org/orden', { valueUri: 'https://example.org/orden' }],
    ['a choice', 'OSDE', { valueCoding: { code: 'osde', display: 'OSDE' } }],
    ['a choice that has only a code', 'osde', { valueCoding: { code: 'osde' } }],
    ['a quantity', '75 mcg', { valueQuantity: { value: 75, unit: 'mcg' } }],
    ['a quantity without a unit', '75', { valueQuantity: { value: 75 } }],
    ['a unit alone', 'mcg', { valueQuantity: { unit: 'mcg' } }],
    ['another resource, by its name', 'Paz, Clara', { valueReference: { display: 'Paz, Clara' } }],
    ['nothing that can be read', '', {}],
  ])('that another system filed reads %s as %s', async (_, value, answer) => {
    expect(await read(answer)).toBe(value);
  });
});

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

const content = Buffer.from('the file').toString('base64');

/** Files a ticket of Bruno whose file is said to be there; returns what the list shows for it, and what was asked for it. */
async function showFile(url: string, settings: Record<string, unknown> = {}, size?: number) {
  const { ports } = await connect(server, settings);
  const attachment = {
    linkId: 'orden',
    answer: [{ valueAttachment: { contentType: 'application/pdf', url, ...(size !== undefined && { size }) } }],
  };
  const response = await server.create<QuestionnaireResponse>({
    resourceType: 'QuestionnaireResponse',
    questionnaire: `Questionnaire/${id('Questionnaire/autorizacion')}`,
    status: 'completed',
    item: [attachment],
  });
  await server.create<Task>({
    resourceType: 'Task',
    status: 'requested',
    intent: 'order',
    code: { coding: [{ system: ownCodes('task-kind'), code: 'ticket' }] },
    for: { reference: `Patient/${id('Patient/bruno')}` },
    authoredOn: new Date().toISOString(),
    focus: { reference: `QuestionnaireResponse/${response.id}` },
  });
  server.requests.reset();
  const [ticket] = await ports.tickets.list(id('Patient/bruno'), {}, callNow());
  const types = /^GET (Task|QuestionnaireResponse|Questionnaire)$/;
  // The one look for who the patient is has no part in the file.
  const others = server.requests.calls.filter((call) => !types.test(call));
  expect(others.splice(others.indexOf('GET Patient'), 1)).toEqual(['GET Patient']);
  return { value: ticket?.fields[0]?.value, asked: others };
}

const createBinary = () => server.create({ resourceType: 'Binary', contentType: 'application/pdf', data: content });

const origin = () => new URL(server.url).origin;

const nothing = { value: '', asked: [] };

describe('the file of a ticket', () => {
  test.each<[string, (binary: string) => string]>([
    ['Binary/{id}', (binary) => `Binary/${binary}`],
    ['{base}/Binary/{id}', (binary) => `${server.url}/Binary/${binary}`],
  ])('is fetched from %s', async (_, toUrl) => {
    const binary = await createBinary();
    expect(await showFile(toUrl(binary.id))).toEqual({ value: content, asked: [`GET Binary/${binary.id}`] });
  });

  test.each<[string, (binary: string) => string]>([
    ['Binary/{id}/_history/{version}', (binary) => `Binary/${binary}/_history/1`],
    ['{base}/Binary/{id}/_history/{version}', (binary) => `${server.url}/Binary/${binary}/_history/1`],
  ])('is fetched in its version from %s', async (_, toUrl) => {
    const binary = await createBinary();
    const asked = [`GET Binary/${binary.id}/_history/1`];
    expect(await showFile(toUrl(binary.id))).toEqual({ value: content, asked });
  });

  test('is fetched from below a base that the settings end with a slash', async () => {
    const binary = await createBinary();
    const shown = await showFile(`${server.url}/Binary/${binary.id}`, { baseUrl: `${server.url}/` });
    expect(shown).toEqual({ value: content, asked: [`GET Binary/${binary.id}`] });
  });

  test.each<[string, (binary: string) => string]>([
    ['a Patient', () => `${server.url}/Patient/${id('Patient/ana')}`],
    ['a Patient, relative', () => `Patient/${id('Patient/ana')}`],
    ['a Patient behind a Binary', (binary) => `${server.url}/Binary/${binary}/../../Patient/${id('Patient/ana')}`],
    ['a search', () => `${server.url}/Patient?identifier=31465466`],
    ['all of the Binaries', () => `${server.url}/Binary`],
    ['a Binary with a query', (binary) => `${server.url}/Binary/${binary}?_format=json`],
    ['the history of a Binary', (binary) => `${server.url}/Binary/${binary}/_history`],
    ['a path of the host outside the base', () => `${origin()}/admin`],
    ['the host without a path', () => origin()],
    ['nothing', () => ''],
  ])('is empty, and nothing is fetched, when it is said to be %s', async (_, toUrl) => {
    const binary = await createBinary();
    expect(await showFile(toUrl(binary.id))).toEqual(nothing);
  });

  const { length } = 'the file';
  const [shown, fetched, neither] = [[content, true] as const, ['', true] as const, ['', false] as const];
  test.each([
    ['says that it is larger than that', length - 1, length, neither],
    ['says that it has some bytes, where there is room for none', 0, length, neither],
    ['says that it is smaller, and is not', length - 1, 1, fetched],
    ['says nothing, and is larger', length - 1, undefined, fetched],
    ['says that it fits, and does', length, length, shown],
  ])('within the bytes that a list may have: one that %s', async (_, bytes, size, [value, isFetched]) => {
    const { id } = await createBinary();
    const asked = isFetched ? [`GET Binary/${id}`] : [];
    expect(await showFile(`Binary/${id}`, { ticketFiles: { bytes } }, size)).toEqual({ value, asked });
  });

  test('is not fetched from below the base, though the settings name the origin', async () => {
    const settings = { ticketFiles: { origins: [origin()] } };
    expect(await showFile(`${server.url}/Patient/${id('Patient/ana')}`, settings)).toEqual(nothing);
    expect(await showFile(`${origin()}/x/../fhir/Patient/${id('Patient/ana')}`, settings)).toEqual(nothing);
    const { asked } = await showFile(`${origin()}/storage/1`, settings);
    expect(asked).toHaveLength(1);
  });
});

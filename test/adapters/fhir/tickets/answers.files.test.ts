import { describe, expect, test } from '@jest/globals';
import type { QuestionnaireResponse, Task } from '@medplum/fhirtypes';
import { ownCodes } from '../../../hospital-in-fhir/terms.ts';
import { connect } from '../../../support/fhir-adapter.ts';
import { callNow } from '../../../support/fhir-calls.ts';
import { setUpHospital } from '../../../support/fhir-hospital.ts';

const { server, id } = await setUpHospital();

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

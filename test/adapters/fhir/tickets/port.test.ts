import { isDeepStrictEqual } from 'node:util';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Bundle } from '@medplum/fhirtypes';
import { addDays, Zone } from '../../../../src/toolkit/zone.ts';
import { hapi, medplum } from '../../../fhir-server/quirks.ts';
import type { Answer } from '../../../fhir-server/response.ts';
import { connect, type FhirPorts } from '../../../support/fhir-adapter.ts';
import { callNow, matchFailure } from '../../../support/fhir-calls.ts';
import { setUpHospital } from '../../../support/fhir-hospital.ts';

const { server, id, ports } = await setUpHospital();

describe('a ticket', () => {
  const file = Buffer.concat([Buffer.from('%PDF-1.7'), Buffer.alloc(3 << 20)]).toString('base64');
  const open = (ports: FhirPorts, more = {}, value = file) =>
    ports.tickets.open(
      id('Patient/bruno'),
      id('Questionnaire/autorizacion'),
      { observations: 'Urge', fields: [{ id: 'orden', value }] },
      callNow(more),
    );

  test('carries a file of 3 MiB through a server that takes bundles of 1 MiB, and through signed links', async () => {
    server.reset(medplum);
    const auth = { kind: 'bearer', token: 'env:FHIR_TEST_TOKEN' };
    process.env.FHIR_TEST_TOKEN = 'only-for-the-server';
    server.quirks.auth = { kind: 'bearer', token: 'only-for-the-server' };
    const { ports } = await connect(server, { auth, ticketFiles: { origins: [server.fileOrigin] } });
    const ticket = await open(ports);
    const [listed] = await ports.tickets.list(id('Patient/bruno'), {}, callNow());
    expect(listed).toEqual(ticket);
    expect(listed?.fields[0]?.value === file).toBe(true);
    expect(server.fileRequests.all).toHaveLength(1);
    expect(server.fileRequests.all[0]?.headers.authorization).toBeUndefined();
  });

  test('shows no file that lies where nobody told us to look', async () => {
    server.reset(medplum);
    const { ports } = await connect(server);
    await open(ports);
    const [listed] = await ports.tickets.list(id('Patient/bruno'), {}, callNow());
    expect(listed?.fields[0]?.value).toBe('');
    expect(server.fileRequests.all).toEqual([]);
  });

  test.each([
    ['HAPI', { ...hapi, createRace: 60_000 }],
    ['Medplum', medplum],
  ])(
    'that is sent five times at once under its Idempotency-Key on %s is one ticket with one file',
    async (_, quirks) => {
      server.reset(quirks);
      const { ports } = await connect(server, { ticketFiles: { origins: [server.fileOrigin] } });
      const before = await server.search('QuestionnaireResponse');
      const small = Buffer.from('%PDF-1.7').toString('base64');
      const tickets = await Promise.all(Array.from({ length: 5 }, () => open(ports, { idempotencyKey: 'k' }, small)));
      const [listed, ...others] = await ports.tickets.list(id('Patient/bruno'), {}, callNow());
      expect(others).toEqual([]);
      expect(tickets.every((ticket) => isDeepStrictEqual(ticket, listed))).toBe(true);
      expect(await server.search('QuestionnaireResponse')).toHaveLength(before.length + 1);
      expect(await server.search('Binary')).toHaveLength(1);
    },
  );
});

/** The answer of a server that has stored everything but the task. */
function refuseTask(answer: Answer): Answer {
  const bundle = JSON.parse(String(answer.body)) as Bundle;
  const entry = (bundle.entry ?? []).map(({ response }) => {
    const [, taskId] = response?.location?.match(/^Task\/([^/]+)/) ?? [];
    if (taskId === undefined) return { response };
    void server.delete('Task', taskId);
    return { response: { status: '400 Bad Request' } };
  });
  return { ...answer, body: JSON.stringify({ ...bundle, entry }) };
}

test('a ticket of which a half was done leaves neither answers nor files behind, and is refused', async () => {
  const { ports } = await connect(server, { transactions: 'trust' });
  server.quirks.transactions = 'batch';
  server.quirks.fault = ({ body }) => (body.includes('"Task"') ? { commits: true, answer: refuseTask } : undefined);
  const before = await server.search('QuestionnaireResponse');
  const ticket = { observations: 'x', fields: [{ id: 'orden', value: Buffer.from('file').toString('base64') }] };
  const work = ports.tickets.open(id('Patient/bruno'), id('Questionnaire/autorizacion'), ticket, callNow());
  await expect(work).rejects.toEqual(matchFailure('unsupported'));
  expect(await server.search('QuestionnaireResponse')).toEqual(before);
  expect(await server.search('Binary')).toEqual([]);
});

describe('the files of a list of tickets', () => {
  const text = 'eight by';
  const file = () => [{ id: 'orden', value: Buffer.from(text).toString('base64') }];
  const values = async ({ tickets }: FhirPorts) =>
    (await tickets.list(id('Patient/bruno'), {}, callNow())).flatMap(({ fields }) => fields.map(({ value }) => value));

  beforeEach(async () => {
    for (let turn = 0; turn < 3; turn++) {
      const filed = { observations: '', fields: file() };
      await ports.tickets.open(id('Patient/bruno'), id('Questionnaire/autorizacion'), filed, callNow());
    }
  });

  test.each([
    [100, 3],
    [24, 3],
    [23, 2],
    [16, 2],
    [8, 1],
    [7, 0],
    [0, 0],
  ])('share %d bytes, so that %d of three are shown', async (bytes, shown) => {
    const { ports } = await connect(server, { ticketFiles: { bytes } });
    expect((await values(ports)).filter((value) => value !== '')).toEqual(Array(shown).fill(file()[0]?.value));
  });

  test('are not asked for where they are not wanted', async () => {
    const { ports } = await connect(server, { ticketFiles: { inline: false } });
    server.requests.reset();
    expect(await values(ports)).toEqual(['', '', '']);
    expect(server.requests.calls.filter((each) => each.includes('Binary'))).toEqual([]);
  });
});

test('a ticket that does not say when it was filed is found on the day that it shows', async () => {
  const { authoredOn: _, ...task } = await server.read('Task', id('Task/ticket-ana-1'));
  await server.update(task);
  const list = (filter: { readonly from?: string; readonly to?: string }) =>
    ports.tickets.list(id('Patient/ana'), filter, callNow());
  const find = async (filter: object) => (await list(filter)).find((ticket) => ticket.id === task.id);
  const day = new Zone('America/Argentina/Buenos_Aires').toLocalDay((await find({}))?.createdAt ?? '');
  expect(await find({ from: day, to: day })).toBeDefined();
  expect(await find({ from: addDays(day, 1) })).toBeUndefined();
  expect(await find({ to: addDays(day, -1) })).toBeUndefined();
});

import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Resource } from '@medplum/fhirtypes';
import type { OmittedRecord } from '../../../../src/ports/index.ts';
import { connect } from '../../../support/fhir-adapter.ts';
import { callNow } from '../../../support/fhir-calls.ts';
import { answerSearches, makeTask } from '../../../support/foreign-data.ts';
import { ScriptedServer } from '../../../support/scripted-server.ts';

const server = await ScriptedServer.start();
const storage = await ScriptedServer.start();

beforeEach(() => {
  server.forget();
  storage.forget();
});
afterAll(() => Promise.all([server.stop(), storage.stop()]));

/** Lists two tickets of Ana, of which the first has the file of this URL and another one that can be had. */
async function list(url: string) {
  // The file of a list that has failed may be asked for late.
  const always = Number.POSITIVE_INFINITY;
  server.get('/fhir/Binary/good').times(always).reply(200, 'good', { 'content-type': 'application/pdf' });
  const focus = { reference: 'QuestionnaireResponse/q1' };
  const item = [url, 'Binary/good'].map((each, index) => ({
    linkId: `file-${index}`,
    answer: [{ valueAttachment: { url: each } }],
  }));
  answerSearches(server, { ...makeTask('ana'), focus } as Resource, { ...makeTask('ana'), id: 't2' } as Resource, {
    resourceType: 'QuestionnaireResponse',
    id: 'q1',
    status: 'completed',
    item,
  });
  const settings = { transactions: 'trust', retries: 0, ticketFiles: { origins: [storage.url] } };
  const { ports } = await connect({ url: `${server.url}/fhir` }, settings);
  const omitted: OmittedRecord[] = [];
  const tickets = await ports.tickets.list('ana', {}, callNow({ omit: (record) => void omitted.push(record) }));
  return { omitted, shown: tickets.map(({ id, fields }) => [id, ...fields.map(({ value }) => value)]) };
}

const withoutFile = [['t1', '', Buffer.from('good').toString('base64')], ['t2']];
const told = [{ resourceType: 'Binary', element: 'data' }];
const outcome = { resourceType: 'OperationOutcome', issue: [] };
const fromServer = (status: number) => {
  server.get('/fhir/Binary/b').reply(status, outcome, { 'content-type': 'application/fhir+json' });
  return list('Binary/b');
};
const fromStorage = (status: number) => {
  storage.get('/b').query(true).reply(status, 'no');
  return list(`${storage.url}/b?signature=1`);
};

describe('a list of tickets with a file', () => {
  test.each([400, 403, 406, 422])('that the server refuses with %d shows all the rest, and says so', async (status) => {
    expect(await fromServer(status)).toEqual({ shown: withoutFile, omitted: told });
  });

  test('for which a proxy has a page of its own shows all the rest, and says so', async () => {
    server.get('/fhir/Binary/b').reply(404, '<html>', { 'content-type': 'text/html' });
    expect(await list('Binary/b')).toEqual({ shown: withoutFile, omitted: told });
  });

  test.each([400, 401, 403])('behind a link that its origin refuses with %d shows all the rest', async (status) => {
    expect(await fromStorage(status)).toEqual({ shown: withoutFile, omitted: told });
  });

  test.each([
    [404, fromServer],
    [410, fromServer],
    [404, fromStorage],
    [410, fromStorage],
  ])('that is gone with %d shows all the rest', async (status, list) => {
    expect(await list(status)).toEqual({ shown: withoutFile, omitted: [] });
  });

  test.each([
    [401, 'unavailable'],
    [408, 'bad_answer'],
    [429, 'overloaded'],
    [500, 'unavailable'],
    [503, 'unavailable'],
  ])('fails when the server answers %d, which is not about the file', async (status, kind) => {
    await expect(fromServer(status)).rejects.toMatchObject({ kind });
  });

  test.each([408, 429, 500, 503])('fails when the origin of the link answers %d', async (status) => {
    await expect(fromStorage(status)).rejects.toMatchObject({ kind: 'bad_answer' });
  });

  test('fails when a connection is lost', async () => {
    server.get('/fhir/Binary/b').reset();
    await expect(list('Binary/b')).rejects.toMatchObject({ kind: 'unavailable' });
    server.forget();
    storage.get('/b').reset();
    await expect(list(`${storage.url}/b`)).rejects.toMatchObject({ kind: 'unavailable' });
  });
});

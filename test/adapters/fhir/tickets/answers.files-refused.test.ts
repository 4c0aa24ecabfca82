import { createHash } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Attachment, Resource } from '@medplum/fhirtypes';
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

const toBase64 = (text: string) => Buffer.from(text).toString('base64');

/** Lists two tickets of Ana, of which the first has the file of this attachment, or URL, and another one that can be had. */
async function list(attachment: Attachment | string) {
  // The file of a list that has failed may be asked for late.
  const always = Number.POSITIVE_INFINITY;
  server.get('/fhir/Binary/good').times(always).reply(200, 'good', { 'content-type': 'application/pdf' });
  const focus = { reference: 'QuestionnaireResponse/q1' };
  const item = [attachment, 'Binary/good'].map((each, index) => ({
    linkId: `file-${index}`,
    answer: [{ valueAttachment: typeof each === 'string' ? { url: each } : each }],
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

const withFile = (file: string) => [['t1', toBase64(file), toBase64('good')], ['t2']];
const withoutFile = [['t1', '', toBase64('good')], ['t2']];
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
  ])('that is gone with %d shows all the rest, and says so', async (status, list) => {
    expect(await list(status)).toEqual({ shown: withoutFile, omitted: told });
  });

  test('behind a link that nobody named as trusted shows all the rest, and says so', async () => {
    expect(await list('https://elsewhere.invalid/b')).toEqual({ shown: withoutFile, omitted: told });
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

describe('a file of a ticket', () => {
  const [file, other] = ['the file', 'other bytes'];
  const hash = (text: string) => createHash('sha1').update(text).digest('base64');
  const absent = {
    extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason', valueCode: 'error' }],
  };
  const binary = { resourceType: 'Binary', id: 'b', contentType: 'application/pdf' };
  const json = { 'content-type': 'application/fhir+json' };
  const answer = (body: string | object, headers: Record<string, string> = { 'content-type': 'application/pdf' }) =>
    server.get('/fhir/Binary/b').reply(200, body, headers);

  test.each<[string, Attachment]>([
    ['the size', { size: file.length }],
    ['the size of its base64', { size: toBase64(file).length }],
    ['the hash', { hash: hash(file) }],
    ['a hash of another kind than R4 has', { hash: createHash('sha256').update(file).digest('base64') }],
  ])('that has %s of its attachment is shown', async (_, attachment) => {
    answer(file);
    expect(await list({ url: 'Binary/b', ...attachment })).toEqual({ shown: withFile(file), omitted: [] });
    server.forget();
    expect(await list({ data: toBase64(file), ...attachment })).toEqual({ shown: withFile(file), omitted: [] });
  });

  test.each<[string, Attachment]>([
    ['size', { size: file.length + 1 }],
    ['hash', { hash: hash(other), size: file.length }],
  ])('of another %s than its attachment says is left out and counted, and its ticket stays', async (_, attachment) => {
    answer(file);
    expect(await list({ url: 'Binary/b', ...attachment })).toEqual({ shown: withoutFile, omitted: told });
    server.forget();
    expect(await list({ data: toBase64(file), ...attachment })).toEqual({ shown: withoutFile, omitted: told });
  });

  test('for which the server sends no bytes is left out and counted, and its ticket stays', async () => {
    answer('');
    expect(await list({ url: 'Binary/b', size: file.length })).toEqual({ shown: withoutFile, omitted: told });
    server.forget();
    answer('');
    expect(await list('Binary/b')).toEqual({ shown: withoutFile, omitted: told });
  });

  test('whose data are an extension alone is left out and counted, and its ticket stays', async () => {
    answer({ ...binary, _data: absent }, json);
    expect(await list('Binary/b')).toEqual({ shown: withoutFile, omitted: told });
    server.forget();
    const attachment = { contentType: 'application/pdf', _data: absent };
    expect(await list(attachment)).toEqual({ shown: withoutFile, omitted: told });
  });

  test.each<[string, object]>([
    ['a resource', { resourceType: 'Patient', id: 'b' }],
    ['a Binary of its own', { ...binary, id: 'c', data: toBase64('inner') }],
  ])('that is %s in application/fhir+json is shown as it is', async (_, resource) => {
    answer(resource, json);
    expect(await list('Binary/b')).toEqual({ shown: withFile(JSON.stringify(resource)), omitted: [] });
  });
});

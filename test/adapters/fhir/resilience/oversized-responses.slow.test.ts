import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { connect, type FhirPorts } from '../../../support/fhir-adapter.ts';
import { callNow } from '../../../support/fhir-calls.ts';
import { serve } from '../../../support/listen.ts';

const MIB = 2 ** 20;
/** What the server would send if it were let. */
const WHOLE = 300 * MIB;
/** What the adapter was told to take, and how much may be under way in sockets when it has had enough. */
const LIMIT = 5 * MIB;
const UNDER_WAY = 16 * MIB;

const chunk = Buffer.alloc(MIB, 'x');
const packedChunk = gzipSync(chunk);
let sent = 0;
let asked = 0;
let answer: (request: IncomingMessage, response: ServerResponse) => void = () => undefined;

const url = await serve((request, response) => {
  request.resume();
  asked += 1;
  answer(request, response);
});
let ports: FhirPorts;

beforeEach(async () => {
  sent = 0;
  asked = 0;
  ({ ports } = await connect({ url: `${url}/fhir` }, { retries: 0, timeout: 20_000 }));
});

const json = { 'content-type': 'application/fhir+json' };

/** Sends a string without an end as fast as it is taken. */
async function sendEndlessly(response: ServerResponse, headers: Record<string, string> = json, status = 200) {
  response.writeHead(status, headers).write('{"resourceType":"Patient","id":"ana","x":"');
  while (sent < WHOLE && !response.destroyed) {
    sent += chunk.length;
    if (!response.write(chunk)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
  }
  response.end('"}');
}

/** The failure, and by how many bytes the process grew at most meanwhile. */
async function watchMemory(work: Promise<unknown>) {
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 5);
  const failure = await work.catch((error: unknown) => error);
  clearInterval(timer);
  return { failure, grown: Math.max(most, process.memoryUsage().rss) - before };
}

const bad = expect.objectContaining({ name: 'Failure', kind: 'bad_answer' });
const read = () => ports.patients.get('ana', callNow());
const search = () => ports.patients.search({ identifier: '1' }, callNow());
const catalogue = () => ports.directory.entries(callNow());
const write = () => ports.insurance.edit('c', { credentialNumber: '1' }, callNow());

describe('an answer of 300 MB', () => {
  test('that names its length is not read at all', async () => {
    answer = (_request, response) => void sendEndlessly(response, { ...json, 'content-length': String(WHOLE + 44) });
    const { failure } = await watchMemory(read());
    expect(failure).toEqual(bad);
    expect(sent).toBeLessThan(2 * (LIMIT + UNDER_WAY));
  });

  test('with an error status is a failure of the server, and is given up as well', async () => {
    answer = (_request, response) => void sendEndlessly(response, json, 500);
    const { failure } = await watchMemory(read());
    expect(failure).toEqual(bad);
    // Once more, by its elements.
    expect(sent).toBeLessThan(2 * (LIMIT + UNDER_WAY));
  });

  test.each([
    ['to a read', read, 2],
    ['to a search', search, 4],
    ['before a write', write, 3],
    // Three parts at once, each again by its elements and twice in smaller pages. It comes last: they outlive its failure.
    ['to a part of the catalogue', catalogue, 3 * 4],
  ])('%s is given up at the limit, without growth', async (_, work, most) => {
    answer = (_request, response) => void sendEndlessly(response);
    const { failure, grown } = await watchMemory(work());
    expect(failure).toEqual(bad);
    expect(asked).toBeLessThanOrEqual(most);
    expect(sent).toBeLessThan(most * (LIMIT + UNDER_WAY));
    expect(grown).toBeLessThan(128 * MIB);
  });
});

const tooLarge = { kind: 'bad_answer', cause: { code: 'TOO_LARGE' } };
const ana = '"resourceType":"Patient","id":"ana","meta":{"versionId":"1"},"gender":"female","birthDate":"1985-11-30"';

/** An answer below the limit of bytes. */
function answerWith(body: string): void {
  expect(body.length).toBeLessThan(LIMIT);
  answer = (_request, response) => response.writeHead(200, json).end(body);
}

describe('an answer of few bytes that would take long to read', () => {
  const shapes = {
    'empty objects': `{${ana},"x":[${Array(1_500_000).fill('{}').join()}]}`,
    'deep lists': `{${ana},"x":${'['.repeat(2_000_000)}${']'.repeat(2_000_000)}}`,
    names: `{${ana},${Array.from({ length: 300_000 }, (_, i) => `"n${i}":1`).join()}}`,
    'one name': `{${ana},${Array(400_000).fill('"x":1').join()}}`,
    decimals: `{${ana},"x":[${Array(900_000).fill('1.10').join()}]}`,
  };
  test.each(Object.entries(shapes))('is refused unread: %s', async (_, body) => {
    answerWith(body);
    await expect(read()).rejects.toMatchObject(tooLarge);
  });

  test.each([
    ['a search', search],
    ['a part of the catalogue', catalogue],
    ['what is read before a write', write],
  ])('is refused unread as %s', async (_, work) => {
    answerWith(shapes['deep lists']);
    await expect(work()).rejects.toMatchObject(tooLarge);
  });

  test('after a write leaves its outcome unknown', async () => {
    const coverage = {
      resourceType: 'Coverage',
      id: 'c',
      meta: { versionId: '1' },
      status: 'active',
      beneficiary: { reference: 'Patient/ana' },
      payor: [{ reference: 'Organization/o' }],
    };
    const found = {
      resourceType: 'Bundle',
      type: 'searchset',
      entry: [{ resource: coverage, search: { mode: 'match' } }],
    };
    answer = ({ method }, response) => {
      response.writeHead(200, json).end(method === 'PUT' ? shapes['empty objects'] : JSON.stringify(found));
    };
    await expect(write()).rejects.toMatchObject({ kind: 'outcome_unknown', cause: { code: 'TOO_LARGE' } });
  });
});

describe('decimals', () => {
  const many = `{${ana},"x":[${Array(100_000).fill('1.10').join()}]}`;

  test('are kept as they were only of what is written again, and of no more than 20,000 values', async () => {
    answerWith(many);
    expect((await read()).id).toBe('ana');
    await expect(ports.patients.update('ana', { phone: '1' }, callNow())).rejects.toMatchObject(tooLarge);
  });
});

describe('a list', () => {
  test('whose pages are more than four answers may be is refused', async () => {
    let pages = 0;
    const text = 'x'.repeat(3 * MIB);
    answer = ({ url: asked = '' }, response) => {
      // Parts of a catalogue that an earlier test asked for may still come.
      if (!asked.includes('/Patient')) return void response.writeHead(404).end();
      pages += 1;
      const next = { relation: 'next', url: `${url}/fhir/Patient?page=${pages}` };
      const page = { resourceType: 'Bundle', type: 'searchset', link: [next], entry: [], text };
      response.writeHead(200, json).end(JSON.stringify(page));
    };
    await expect(search()).rejects.toMatchObject({ kind: 'bad_answer', cause: { code: 'LIST_TOO_LARGE' } });
    expect(pages).toBe(7);
  });
});

describe('an answer that is packed', () => {
  test.each([1, 2])(
    'and unpacks to 300 MB, %d times over, is given up at the limit',
    async (times) => {
      // What is packed in parts is one whole when it is unpacked.
      const parts = [gzipSync('{"resourceType":"Patient","id":"ana","x":"'), ...Array<Buffer>(300).fill(packedChunk)];
      let body = Buffer.concat(parts);
      for (let turn = 1; turn < times; turn++) body = gzipSync(body);
      expect(body.length).toBeLessThan(MIB);
      answer = (_request, response) =>
        response.writeHead(200, { ...json, 'content-encoding': Array(times).fill('gzip').join(', ') }).end(body);
      const { failure, grown } = await watchMemory(read());
      expect(failure).toEqual(bad);
      expect(grown).toBeLessThan(128 * MIB);
    },
    60_000,
  );
});

describe('a file of 300 MB', () => {
  test('comes with an empty value, though it does not say its size', async () => {
    const task = {
      resourceType: 'Task',
      id: 't',
      status: 'completed',
      intent: 'order',
      code: { coding: [{ system: 'https://puente.example.org/fhir/CodeSystem/task-kind', code: 'ticket' }] },
      for: { reference: 'Patient/ana' },
      focus: { reference: 'QuestionnaireResponse/q' },
      authoredOn: '2026-11-01T13:00:00Z',
    };
    const item = [
      { linkId: 'orden', answer: [{ valueAttachment: { url: 'Binary/big' } }] },
      { linkId: 'nota', answer: [{ valueString: 'hola' }] },
    ];
    const filled = { resourceType: 'QuestionnaireResponse', id: 'q', questionnaire: 'Questionnaire/x', item };
    const included = (resource: object) => ({ resource, search: { mode: 'include' } });
    const entry = [{ resource: task }, included(filled)];
    const people = [{ resource: { resourceType: 'Patient', id: 'ana' } }];
    answer = ({ url = '' }, response) => {
      if (url.includes('/Binary/')) return void sendEndlessly(response, { 'content-type': 'application/pdf' });
      const found = url.includes('/Task?') ? { entry } : url.includes('/Patient?') ? { entry: people } : {};
      response.writeHead(200, json).end(JSON.stringify({ resourceType: 'Bundle', type: 'searchset', ...found }));
    };
    const [ticket] = await ports.tickets.list('ana', {}, callNow());
    expect(ticket?.fields.map(({ value }) => value)).toEqual(['', 'hola']);
    expect(sent).toBeGreaterThan(0);
    expect(sent).toBeLessThan(LIMIT + UNDER_WAY);
  });
});

describe('a token of 300 MB', () => {
  test('is no token', async () => {
    process.env.FHIR_TEST_SECRET = 's';
    const tokenUrl = `${url}/token`;
    const auth = { kind: 'oauth2-secret', clientId: 'puente', clientSecret: 'env:FHIR_TEST_SECRET', tokenUrl };
    answer = (_request, response) => void sendEndlessly(response);
    ({ ports } = await connect({ url: `${url}/fhir` }, { auth, retries: 0, timeout: 20_000 }));
    await expect(read()).rejects.toMatchObject({ kind: 'unavailable', code: 'backend_auth' });
    expect(sent).toBeLessThan(LIMIT + UNDER_WAY);
  });
});

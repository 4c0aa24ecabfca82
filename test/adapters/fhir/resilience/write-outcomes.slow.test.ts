import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Fault, hapi } from '../../../fhir-server/quirks.ts';
import type { LoggedRequest } from '../../../fhir-server/request-log.ts';
import type { Answer } from '../../../fhir-server/response.ts';
import { LATE_MS } from '../../../fhir-server/server.ts';
import { startHospital } from '../../../hospital-in-fhir/start.ts';
import { startFhirGateway } from '../../../support/fhir-gateway.ts';
import type { RawAnswer } from '../../../support/raw-request.ts';
import { isTransaction, prepareWrites } from '../../../support/sent-writes.ts';

// What a caller is told of a write whose answer does not prove what became of it, and what is there then. The gateway
// waits 2 s for an answer, and a late one takes 3 s.

const hospital = await startHospital();
const { server } = hospital;
const gateway = await startFhirGateway(server, {
  PUENTE_ADAPTER_SETTINGS_TIMEOUT: '2000',
  PUENTE_ADAPTER_SETTINGS_TRANSACTIONS: 'trust',
  // Most writes fail here.
  PUENTE_GUARD_CIRCUIT_MINIMUM: '10000',
});
const writes = await prepareWrites(hospital, gateway);

beforeEach(() => server.reset(hapi));
afterAll(() => gateway.stop());

const fhirJson = { 'content-type': 'application/fhir+json' };
const refuse =
  (status: number, code = 'processing', more: object = {}) =>
  (): Answer => ({
    status,
    headers: fhirJson,
    body: JSON.stringify({ resourceType: 'OperationOutcome', issue: [{ severity: 'error', code, ...more }] }),
  });
const page =
  (status: number): (() => Answer) =>
  () => ({ status, headers: { 'content-type': 'text/html' }, body: '<html>Login</html>' });

const faults: Readonly<Record<string, Fault['answer']>> = {
  '500': refuse(500),
  '502': page(502),
  '503': () => ({ status: 503, headers: { 'retry-after': '1' }, body: '' }),
  '504': refuse(504),
  '408': refuse(408),
  '400 that names nothing': refuse(400, 'invalid'),
  '403 that says nothing of rights': page(403),
  '404': refuse(404),
  '200 of HTML': page(200),
  '200 of nothing': () => ({ status: 200, headers: fhirJson, body: '' }),
  '200 that is cut': () => ({ status: 200, headers: fhirJson, body: '{"resourceType":"Bundle","ty' }),
  reset: 'reset',
};
/** What a FHIR server says that has refused a write for its content, without naming the element. */
const refusals: Readonly<Record<string, Fault['answer']>> = {
  '400': refuse(400),
  '422': refuse(422),
};
const slowFaults = ['hang', 'late'] as const;

const UNKNOWN = '504 backend_outcome_unknown';
const outcome = ({ status, text }: RawAnswer): string =>
  status < 300 ? 'done' : `${status} ${(JSON.parse(text) as { code?: string }).code}`;

/** The fault befalls whatever carries out one of the writes. */
function strike(isSent: (request: LoggedRequest) => boolean, fault: Fault): void {
  server.quirks.fault = (request) => (isSent(request) ? fault : undefined);
}

describe.each(writes)('a $name', ({ send, isSent, isDone }) => {
  test.each(Object.entries(faults))('that was done is never a failure though its answer is a %s', async (_, answer) => {
    strike(isSent, { commits: true, answer });
    expect(outcome(await send())).toBe('done');
    expect(await isDone()).toBe(true);
  });

  test.each(Object.entries(faults))('that was not done is unknown when its answer is a %s', async (_, answer) => {
    strike(isSent, { commits: false, answer });
    expect(outcome(await send())).toBe(UNKNOWN);
    expect(await isDone()).toBe(false);
  });

  test.each(Object.entries(refusals))(
    'that is refused with %s is in no doubt once it is looked for',
    async (_, answer) => {
      strike(isSent, { commits: false, answer });
      expect(outcome(await send())).toBe('422 validation');
      expect(await isDone()).toBe(false);
      strike(isSent, { commits: true, answer });
      expect(outcome(await send())).toBe('done');
      expect(await isDone()).toBe(true);
    },
  );
});

describe('every kind of write, all at once', () => {
  const isAny = (request: LoggedRequest): boolean => writes.some(({ isSent }) => isSent(request));
  const listDone = () => Promise.all(writes.map(async ({ name, isDone }) => [name, await isDone()]));
  const sendAll = () => Promise.all(writes.map(async ({ name, send }) => [name, outcome(await send())]));
  const all = <T>(each: T) => writes.map(({ name }) => [name, each]);

  test.each(slowFaults)('that was done is never a failure though its answer is a %s', async (answer) => {
    strike(isAny, { commits: true, answer });
    expect(await sendAll()).toEqual(all('done'));
    expect(await listDone()).toEqual(all(true));
  });

  test.each(slowFaults)('that was not done is unknown when its answer is a %s', async (answer) => {
    strike(isAny, { commits: false, answer });
    expect(await sendAll()).toEqual(all(UNKNOWN));
    expect(await listDone()).toEqual(all(false));
    if (answer !== 'late') return;
    await sleep(LATE_MS);
    expect(await listDone()).toEqual(all(true));
  });
});

describe('a ticket with a file', () => {
  const ticket = writes.find(({ name }) => name === 'ticket');
  const open = async () => ticket && outcome(await ticket.send());

  test.each([
    ['409', refuse(409), '409 conflict'],
    ['429', refuse(429), '503 overloaded'],
    ['403 of missing rights', refuse(403, 'forbidden'), '403 forbidden'],
    ['413', page(413), '413 payload_too_large'],
    ['422 that names an element', refuse(422, 'invalid', { expression: ['Bundle.entry[0]'] }), '422 validation'],
  ])('that is refused with %s leaves no file behind', async (_, answer, told) => {
    strike(isTransaction, { commits: false, answer });
    expect(await open()).toBe(told);
    expect(server.requests.calls).toContain('POST Binary');
    expect(await server.search('Binary')).toEqual([]);
  });

  test.each(Object.entries({ ...faults, hang: 'hang' as const }))(
    'was certainly not opened when the answer to its file is a %s',
    async (_, answer) => {
      strike(({ path }) => path === 'Binary', { commits: true, answer });
      expect(await open()).toBe('502 backend_unavailable');
      expect(await ticket?.isDone()).toBe(false);
      expect(server.requests.calls).not.toContain('POST ');
    },
  );
});

import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { ResourceType } from '@medplum/fhirtypes';
import { hapi } from '../../../fhir-server/quirks.ts';
import type { LoggedRequest } from '../../../fhir-server/request-log.ts';
import { startHospital } from '../../../hospital-in-fhir/start.ts';
import { ownIds } from '../../../hospital-in-fhir/terms.ts';
import { startFhirGateway } from '../../../support/fhir-gateway.ts';
import type { RawAnswer } from '../../../support/raw-request.ts';
import { isChangeOf, prepareWrites, type SentWrite } from '../../../support/sent-writes.ts';

// What a caller is told who sends a write again under its key because nobody could say what had become of it.

const hospital = await startHospital();
const { server, id } = hospital;
const gateway = await startFhirGateway(server, {
  PUENTE_ADAPTER_SETTINGS_TRANSACTIONS: 'trust',
  // Every second write fails here.
  PUENTE_GUARD_CIRCUIT_MINIMUM: '10000',
});
const [ana, bruno, dario] = [id('Patient/ana'), id('Patient/bruno'), id('Patient/dario')];
const inactive = await server.create({
  resourceType: 'RelatedPerson',
  active: false,
  patient: { reference: `Patient/${bruno}` },
  identifier: [{ system: ownIds('related-patient'), value: dario }],
});
const writes: readonly SentWrite[] = [
  ...(await prepareWrites(hospital, gateway)),
  {
    name: 'relative who was not active',
    send: (headers) => {
      const member = { related_patient_id: dario, relationship_code: 5 };
      return gateway.ask('POST', `/patients/${bruno}/family_group`, member, headers);
    },
    isSent: isChangeOf(`RelatedPerson/${inactive.id}`),
    isDone: async () => (await server.read('RelatedPerson', inactive.id)).active === true,
  },
];

beforeEach(() => server.reset(hapi));
afterAll(() => gateway.stop());

const outcome = ({ status, text }: RawAnswer): string =>
  status < 300 ? 'done' : `${status} ${(JSON.parse(text) as { code?: string }).code}`;

/** From the write that `isSent` knows on the server answers nobody; that write it executes, or not. */
function breakDown(isSent: (request: LoggedRequest) => boolean, commits: boolean): void {
  let isDown = false;
  server.quirks.fault = (request) => {
    const isWrite = !isDown && isSent(request);
    isDown ||= isWrite;
    return isDown ? { commits: isWrite && commits, answer: 'reset' } : undefined;
  };
}

const types: readonly ResourceType[] = [
  'Appointment',
  'Binary',
  'Coverage',
  'Patient',
  'QuestionnaireResponse',
  'RelatedPerson',
  'Task',
];

const listIds = async (): Promise<string[]> =>
  (await Promise.all(types.map((type) => server.search(type)))).flat().map((each) => `${each.resourceType}/${each.id}`);

/** Sends the write, whose answer is lost, and then once more under the same key. */
async function sendTwice({ send, isSent }: Pick<SentWrite, 'send' | 'isSent'>, commits: boolean): Promise<string> {
  const key = { 'idempotency-key': randomUUID() };
  breakDown(isSent, commits);
  expect(outcome(await send(key))).toBe('504 backend_outcome_unknown');
  server.quirks.fault = () => undefined;
  const before = await listIds();
  const last = outcome(await send(key));
  if (commits) expect(await listIds()).toEqual(before);
  return last;
}

describe('under the key of a lost answer', () => {
  test.each(writes.map((write) => [write.name, write] as const))(
    'a %s that was done is told as done',
    async (_, write) => {
      expect(await sendTwice(write, true)).toBe('done');
      expect(await write.isDone()).toBe(true);
    },
  );

  test.each(writes.map((write) => [write.name, write] as const))('a %s that was not done is done', async (_, write) => {
    expect(await sendTwice(write, false)).toBe('done');
    expect(await write.isDone()).toBe(true);
  });
});

describe('a relative to whom something refers', () => {
  test('and whose end was not told is told as removed', async () => {
    const relative = id('RelatedPerson/ana-bruno');
    await server.create({
      resourceType: 'DocumentReference',
      status: 'current',
      content: [{ attachment: { title: 'x' } }],
      author: [{ reference: `RelatedPerson/${relative}` }],
    });
    const isSent = ({ method, path }: LoggedRequest) => method === 'PUT' && path === `RelatedPerson/${relative}`;
    const send = (headers = {}) =>
      gateway.ask('DELETE', `/patients/${ana}/family_group/${relative}`, undefined, headers);
    expect(await sendTwice({ send, isSent }, true)).toBe('done');
    expect((await server.read('RelatedPerson', relative)).active).toBe(false);
    expect(outcome(await send())).toBe('404 not_found');
  });
});

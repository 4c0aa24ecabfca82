import { afterAll, describe, expect, test } from '@jest/globals';
import { AxiosError } from 'axios';
import { startGateway } from '../../support/gateway.ts';
import { createResponseCheck, type PublishedDocument } from '../../support/published.ts';
import { send } from '../../support/raw-request.ts';

let act: () => unknown = () => undefined;
const gateway = await startGateway({
  replacePort: (name, port) => (name === 'patients' ? { get: async () => act(), update: async () => act() } : port),
});
afterAll(() => gateway.stop());
const check = createResponseCheck(
  JSON.parse((await send(gateway.url, 'GET', '/openapi.json')).text) as PublishedDocument,
);

const reject =
  (thrown: unknown): (() => never) =>
  () => {
    throw thrown;
  };
const words = 'Ana Ferreyra at http://127.0.0.1/fhir';

const asked = { getPatient: ['GET'], updatePatient: ['PUT', '{"phone":"+54 11 5555-0000"}'] } as const;

describe('an adapter', () => {
  test.each<[string, () => unknown]>([
    ['throws nothing', reject(undefined)],
    ['throws text', reject(words)],
    ['throws an error of its own', reject(new TypeError(words))],
    ['throws an error of axios', reject(new AxiosError(words, 'ECONNRESET'))],
    ['throws what calls itself a failure', reject({ name: 'Failure', kind: 'not_found', message: words })],
  ])('F51 that %s is a bug: 500, logged without a word of it', async (_, bug) => {
    act = bug;
    for (const operation of ['getPatient', 'updatePatient'] as const) await expectBug(operation);
  });

  test.each<[string, () => unknown]>([
    ['answers nothing', () => undefined],
    ['answers another type', () => 7],
    ['answers a part of what it promised', () => ({ id: 'ana', name: words })],
  ])('F51 that %s is a bug too, when it is asked for that', async (_, bug) => {
    act = bug;
    await expectBug('getPatient');
  });
});

async function expectBug(operation: keyof typeof asked): Promise<void> {
  const [method, body] = asked[operation];
  const before = gateway.lines.length;
  const headers = { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json' };
  const { status, headers: got, text } = await send(gateway.url, method, '/patients/ana', headers, body);
  expect(status).toBe(500);
  expect(check(operation, status, String(got['content-type']), JSON.parse(text))).toEqual([]);
  const events = gateway.lines.slice(before).map((line) => (JSON.parse(line) as { event: string }).event);
  expect(events).toContain('unhandled error');
  expect(text + gateway.lines.slice(before).join()).not.toMatch(/Ferreyra|fhir|at .*\.ts/);
}

import { afterAll, describe, expect, test } from '@jest/globals';
import { AxiosError } from 'axios';
import { Failure } from '../../../src/ports/index.ts';
import { startGateway } from '../../support/gateway.ts';

let act: () => unknown = () => undefined;
const gateway = await startGateway({
  replacePort: (name, port) => (name === 'patients' ? { get: async () => act(), update: async () => act() } : port),
});
afterAll(() => gateway.stop());

const reject =
  (thrown: unknown): (() => never) =>
  () => {
    throw thrown;
  };
const words = 'Ana Ferreyra at http://127.0.0.1/fhir';

/** Leads back to itself, through another one. */
const circular = new TypeError(words);
circular.cause = { code: 'ECONNRESET', cause: circular };
/** Its stack is no text, as libraries that replace how stacks are written make it. */
const unreadable = Object.assign(new TypeError(words), { stack: [words] });

const asked = { getPatient: ['GET'], updatePatient: ['PUT', { phone: '+54 11 5555-0000' }] } as const;

describe('an adapter', () => {
  test.each<[string, () => unknown]>([
    ['throws nothing', reject(undefined)],
    ['throws text', reject(words)],
    ['throws an error of its own', reject(new TypeError(words))],
    ['throws an error of axios', reject(new AxiosError(words, 'ECONNRESET'))],
    ['throws an error whose cause leads back to it', reject(circular)],
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

  test('F51 whose failure has a cause that leads back to itself fails as it says, with the code of the cause', async () => {
    act = reject(new Failure('unavailable', words, { cause: circular }));
    const before = gateway.lines.length;
    expect((await ask('getPatient')).status).toBe(502);
    expect(gateway.lines.slice(before).join()).toContain('"cause":"ECONNRESET"');
  });

  test('F51 whose failure has a code or a place with the name of what every object has fails as its kind does', async () => {
    act = reject(new Failure('not_found', 'there is no such patient', { code: 'toString' }));
    expect((await ask('getPatient')).status).toBe(404);
    act = reject(new Failure('invalid', 'is wrong', { at: 'toString' }));
    expect((await ask('updatePatient')).status).toBe(422);
  });

  test('F51 that throws what cannot even be logged loses the one request, and not the gateway', async () => {
    act = reject(unreadable);
    const before = gateway.lines.length;
    await expect(ask('getPatient')).rejects.toThrow();
    expect(gateway.lines.slice(before).join()).toContain('problem_not_sent');
    act = reject(new Failure('not_found', 'there is no such patient'));
    expect((await ask('getPatient')).status).toBe(404);
  });
});

function ask(operation: keyof typeof asked) {
  const [method, body] = asked[operation];
  return gateway.ask(method, '/patients/ana', body);
}

async function expectBug(operation: keyof typeof asked): Promise<void> {
  const before = gateway.lines.length;
  const { status, text } = await ask(operation);
  expect(status).toBe(500);
  const events = gateway.lines.slice(before).map((line) => (JSON.parse(line) as { event: string }).event);
  expect(events).toContain('unhandled error');
  expect(text + gateway.lines.slice(before).join()).not.toMatch(/Ferreyra|fhir|at .*\.ts/);
}

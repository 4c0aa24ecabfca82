import { afterAll, expect, jest, test } from '@jest/globals';
import { buildExample, type Operation, operations } from '../../src/api/index.ts';
import { listScenarios } from '../../src/sandbox/scenarios.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';

const start = new Date('2027-03-01T12:00:00Z');
const sandboxOf = (settings: object) => ({
  environment: { PUENTE_ADAPTER_SETTINGS_SANDBOX: JSON.stringify(settings) },
});

const setDate = (day: string) =>
  jest.useFakeTimers({
    now: new Date(`${day}T09:30:00Z`),
    doNotFake: [
      ...(['hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const),
      ...(['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const),
    ],
  });
afterAll(() => void jest.useRealTimers());

function toRequest(operation: Operation) {
  const { params = {}, query = {}, body } = buildExample(operation, start);
  const [method, route] = operation.route.split(' ') as [string, string];
  const path = route.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(Object(params)[name]));
  return { method, path: `${path}?${new URLSearchParams(query as Record<string, string>)}`, body };
}

/** Those that take time, end the connection, or are not as published. */
const left: readonly string[] = [
  ...['slow', 'drop', 'backend_timeout'],
  ...['unknown_fields', 'garbled', 'cut', 'wrong_length'],
];

/** What the sandbox answers to the example of each operation, with each of its scenarios. */
async function collectAnswers({ ask }: RunningGateway): Promise<string[]> {
  const answers: string[] = [];
  const note = async (...request: Parameters<RunningGateway['ask']>) => {
    const { status, headers, text } = await ask(...request);
    const { date: _, ...kept } = headers;
    answers.push(JSON.stringify([request.slice(0, 2), status, kept, text]));
  };
  for (const [index, operation] of operations.entries()) {
    const { method, path, body } = toRequest(operation);
    await note(method, path, body);
    // Every third: each is met at one operation or another.
    const scenarios = listScenarios(operation).filter((each, i) => !left.includes(each) && (i + index) % 3 === 0);
    for (const name of scenarios) await note(method, path, body, { 'Puente-Scenario': name, 'Idempotency-Key': name });
    await note('GET', '/patients/ana/appointments');
    await note('GET', '/sandbox/requests');
    await note('POST', '/sandbox/reset');
  }
  for (const path of ['/openapi.json', '/sandbox', '/capabilities']) await note('GET', path);
  return answers;
}

test('two sandboxes of one seed, started three days apart, answer the same to the byte', async () => {
  const collected: string[][] = [];
  for (const day of ['2026-12-01', '2026-12-04']) {
    setDate(day);
    const gateway = await startGateway(sandboxOf({ now: '2027-03-01T09:00', seed: 7 }));
    collected.push(await collectAnswers(gateway));
    await gateway.stop();
  }
  const [first = [], second = []] = collected;
  expect(first.length).toBeGreaterThan(300);
  expect(second.filter((answer, i) => answer !== first[i]).slice(0, 3)).toEqual([]);
  // What is made has an id of the seed.
  expect(first.filter((answer) => /\\"id\\":\\"[0-9a-f]{8}-/.test(answer)).length).toBeGreaterThan(5);
}, 120_000);

test('another seed makes other ids, and no seed makes new ones at each start', async () => {
  const register = async (settings: object) => {
    const gateway = await startGateway(sandboxOf(settings));
    const { method, path, body } = toRequest(operations.find(({ name }) => name === 'registerPatient')!);
    const { text } = await gateway.ask(method, path, body);
    await gateway.ask('POST', '/sandbox/reset');
    const again = (await gateway.ask(method, path, body)).text;
    await gateway.stop();
    return [text, again].map((each): string => JSON.parse(each).id);
  };
  const [one = [], same = [], other = [], random = []] = [
    await register({ seed: 1 }),
    await register({ seed: 1 }),
    await register({ seed: 2 }),
    await register({ strict: false }),
  ];
  expect(same).toEqual(one);
  expect(one[1]).toBe(one[0]);
  expect(new Set([...one, ...other, ...random]).size).toBe(4);
});

test('a frozen clock stands until it is moved, and a reset brings it back', async () => {
  const gateway = await startGateway(sandboxOf({ now: '2027-03-01T09:00' }));
  const readClock = async () => JSON.parse((await gateway.ask('GET', '/sandbox/clock')).text);
  const before = await readClock();
  await new Promise((resolve) => setTimeout(resolve, 20));
  const later = await readClock();
  await gateway.ask('POST', '/sandbox/clock', { now: '2027-03-02T09:00:00' });
  const moved = await readClock();
  await gateway.ask('POST', '/sandbox/reset');
  const after = await readClock();
  await gateway.stop();
  expect(before).toMatchObject({ now: '2027-03-01T12:00:00.000Z', local: '2027-03-01T09:00:00-03:00', frozen: true });
  expect(later).toEqual(before);
  expect(moved.now).toBe('2027-03-02T12:00:00.000Z');
  expect(after).toEqual(before);
});

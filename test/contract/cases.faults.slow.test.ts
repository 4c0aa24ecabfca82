import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type Case,
  cases,
  createHttpSubject,
  createPortsSubject,
  outageCases,
  planCase,
  portCases,
  runCase,
  type Subject,
  sandbox,
} from '../../src/contract/index.ts';
import { capabilities } from '../../src/ports/index.ts';
import { openFailingSandbox } from '../support/failing-system.ts';
import { breakSubject, httpFaults, portFaults } from '../support/faults/index.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';

const all = [...cases, ...portCases, ...outageCases];
const findCase = (id: string): Case => all.find((each) => each.id === id)!;

/** The title names the fault, and the case fails for it alone: any other error would be a fault of the test. */
async function expectCaught(id: string, named: RegExp, start: () => Promise<Subject>): Promise<void> {
  const each = findCase(id);
  expect(planCase(each, await start()).title).toMatch(named);
  const { outcome, error } = await runCase(each, start);
  expect(outcome).toBe('fail');
  expect(error).toMatchObject({ name: 'AssertionError' });
}

// That each of these cases passes on an adapter without a fault, memory-ports.test.ts shows.
describe('a fault of an adapter', () => {
  test.each(portFaults.map((fault) => [fault.name, fault.caughtBy, fault] as const))(
    '%s is caught by %s',
    async (_, id, { plant, named }) => {
      await expectCaught(id, named, async () => {
        const { ports, fail } = openFailingSandbox();
        return createPortsSubject({ ports: { ...ports, ...plant(ports) }, fixtures: sandbox, fail });
      });
    },
  );
});

describe('a fault of a server', () => {
  let gateway: RunningGateway;
  const start = async () =>
    createHttpSubject({ baseUrl: gateway.url, token: gateway.token, supports: capabilities, fixtures: sandbox });

  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.stop());

  // These cases share one hospital, so that memory-http.test.ts does not show it of them.
  test.each([...new Set(httpFaults.map(({ caughtBy }) => caughtBy))])('without a fault %s passes', async (id) => {
    expect(await runCase(findCase(id), start)).toMatchObject({ outcome: 'pass' });
  });

  test.each(httpFaults.map((fault) => [fault.name, fault.caughtBy, fault] as const))(
    '%s is caught by %s',
    async (_, id, fault) => {
      await expectCaught(id, fault.named, async () => breakSubject(await start(), fault));
    },
  );
});

test('no two faults have one name', () => {
  const names = [...portFaults, ...httpFaults].map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

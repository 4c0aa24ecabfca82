import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type Case,
  cases,
  createHttpSubject,
  createPortsSubject,
  fixtureChangeCases,
  gatewayCases,
  type Line,
  openLine,
  outageCases,
  planCase,
  portCases,
  runCase,
  type Subject,
  sandbox,
} from '../../src/contract/index.ts';
import { capabilities } from '../../src/ports/index.ts';
import { openFailingSandbox } from '../support/failing-system.ts';
import { breakSubject, httpFaults, legacyFaults, portFaults } from '../support/faults/index.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { groupBCases } from '../support/group-b-cases.ts';
import { openLegacyAdapter, type Parts } from '../support/legacy/adapter.ts';
import { startLegacySystem } from '../support/legacy/system.ts';

const all = [...cases, ...fixtureChangeCases, ...gatewayCases, ...groupBCases, ...portCases, ...outageCases];
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
    async (_, id, { plant, named, timeZone = sandbox.timeZone }) => {
      await expectCaught(id, named, async () => {
        const { ports, line } = openFailingSandbox(timeZone);
        return createPortsSubject({ ports: { ...ports, ...plant(ports) }, fixtures: { ...sandbox, timeZone }, line });
      });
    },
  );

  const elsewhere = portFaults.flatMap(({ caughtBy, timeZone }) => (timeZone ? [[caughtBy, timeZone] as const] : []));

  test.each(elsewhere)('without a fault %s passes in %s', async (id, timeZone) => {
    const start = async () =>
      createPortsSubject({ ...openFailingSandbox(timeZone), fixtures: { ...sandbox, timeZone } });
    expect(await runCase(findCase(id), start)).toMatchObject({ outcome: 'pass' });
  });
});

describe('a fault of an adapter in how it deals with its system', () => {
  let line: Line;
  let hospitals = 0;
  const startLegacy = async (parts?: Partial<Parts>) => {
    const ports = await openLegacyAdapter(`${line.url}/${hospitals++}`, parts);
    return createPortsSubject({ ports, fixtures: sandbox, line });
  };

  beforeAll(async () => {
    const { url } = await startLegacySystem();
    line = await openLine(url, { maxRequests: 20 });
  });
  afterAll(() => line.close());

  test.each([...new Set(legacyFaults.map(({ caughtBy }) => caughtBy))])('without a fault %s passes', async (id) => {
    expect(await runCase(findCase(id), () => startLegacy())).toMatchObject({ outcome: 'pass' });
  });

  test.each(legacyFaults.map((fault) => [fault.name, fault.caughtBy, fault] as const))(
    '%s is caught by %s',
    async (_, id, { parts, named }) => {
      await expectCaught(id, named, () => startLegacy(parts));
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
  const names = [...portFaults, ...legacyFaults, ...httpFaults].map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

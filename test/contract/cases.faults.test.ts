import { expect, test } from '@jest/globals';
import { cases, createPortsSubject, portCases, runCase, sandbox } from '../../src/contract/index.ts';
import { faults } from '../support/planted-faults.ts';
import { openSandbox } from '../support/sandbox.ts';

const all = [...cases, ...portCases];

// That each of these cases passes on an adapter without a fault, memory-ports.test.ts shows.
test.each(faults.map((fault) => [fault.name, fault.caughtBy, fault] as const))('%s is caught by %s', async (...row) => {
  const [, id, { plant, named }] = row;
  const each = all.find((other) => other.id === id)!;
  expect(each.title).toMatch(named);
  const start = async () => {
    const ports = openSandbox();
    return createPortsSubject({ ports: { ...ports, ...plant(ports) }, fixtures: sandbox });
  };
  const { outcome, error } = await runCase(each, start);
  expect(outcome).toBe('fail');
  // Any other error would be a fault of the test.
  expect(error).toMatchObject({ name: 'AssertionError' });
});

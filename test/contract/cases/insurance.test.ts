import { expect, test } from '@jest/globals';
import { insuranceCases } from '../../../src/contract/cases/insurance.ts';
import { createPortsSubject, runCases, sandbox } from '../../../src/contract/index.ts';
import { replace } from '../../support/faults/port-fault.ts';
import { openSandbox } from '../../support/sandbox.ts';

/** Whether the sandbox hospital passes with contracts with so many carriers alone. */
async function tryContracts(number: number) {
  const ports = openSandbox();
  const { insurance } = ports;
  const carriers: typeof insurance.carriers = async (query, call) => {
    const found = await insurance.carriers(query, call);
    return query.ownerId === undefined ? found : found.slice(0, number);
  };
  const subject = createPortsSubject({
    ports: { ...ports, insurance: replace(insurance, { carriers }) },
    fixtures: sandbox,
  });
  const owner = insuranceCases.filter(({ id }) => id === 'insurance.carriers.owner');
  return (await runCases(owner, async () => subject)).map(({ outcome }) => outcome);
}

test('an institution may have a contract with one carrier alone, but the contract wants one to look at', async () => {
  expect(await tryContracts(1)).toEqual(['pass']);
  expect(await tryContracts(0)).toEqual(['fail']);
});

import { expect, test } from '@jest/globals';
import { fixtures } from '../../examples/clinic-adapter/test/fixtures.ts';
import {
  type Case,
  cases,
  createPortsSubject,
  describeContract,
  portCases,
  startCases,
} from '../../src/contract/index.ts';
import { type Capability, capabilities, listOffered } from '../../src/ports/index.ts';
import { localCapabilities } from '../support/local-adapter.ts';
import { makeDatabase, openMapping, writeMapping } from '../support/mapped-clinic.ts';

const open = () => openMapping(writeMapping(makeDatabase()));
const start = async () => createPortsSubject({ ports: await open(), fixtures });

/** What `puente.yaml` of the example gives to another adapter. */
const lacks: readonly Capability[] = localCapabilities.filter((each) => !each.startsWith('family-groups.'));
const isRun = ({ needs, requires, fixtures: own, whenUnsupported }: Case): boolean =>
  (whenUnsupported !== undefined || ![needs, ...requires].some((each) => lacks.includes(each))) &&
  !own.includes('patients.payer');

await describeContract(test, start, { cases: [...startCases, ...cases, ...portCases].filter(isRun), complete: true });

test('the file of the example answers everything but what it leaves to another adapter', async () => {
  const offered = listOffered(await open());
  expect(capabilities.filter((each) => !offered.includes(each))).toEqual(lacks);
});

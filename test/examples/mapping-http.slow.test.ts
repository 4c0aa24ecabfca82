import { expect, test } from '@jest/globals';
import { fixtures } from '../../examples/clinic-adapter/test/fixtures.ts';
import { readMap } from '../../src/cli/contract/map.ts';
import {
  cases,
  createPortsSubject,
  describeContract,
  type PartialFixtures,
  portCases,
} from '../../src/contract/index.ts';
import { capabilities, listOffered } from '../../src/ports/index.ts';
import { concernsMapping, leftToLocal } from '../support/mapped-clinic.ts';
import { openHospital } from '../support/mapped-hospital.ts';

const { ports } = await openHospital();

/** Who and what the contract finds in `system/data.json`, and what SIGHO refuses. */
const hospital: PartialFixtures = {
  ...fixtures,
  owner: 'sigho',
  rules: ['one-document-per-person', 'iso-8859-1'],
  // It writes names in capitals.
  records: readMap('examples/mapping-http/contract.yaml').records ?? {},
};

await describeContract(test, async () => createPortsSubject({ ports, fixtures: hospital }), {
  cases: [...cases, ...portCases].filter(concernsMapping),
});

test('the file of the example answers everything but what it leaves to another adapter', () => {
  const offered = listOffered(ports);
  expect(capabilities.filter((each) => !offered.includes(each))).toEqual(leftToLocal);
});

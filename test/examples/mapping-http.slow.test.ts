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
import { listOffered } from '../../src/ports/index.ts';
import { concernsMapping } from '../support/mapped-clinic.ts';
import { openHospital } from '../support/mapped-hospital.ts';
import { offeredMethods } from '../support/offered-methods.ts';

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
  expect(listOffered(ports)).toEqual(offeredMethods.mapping);
});

import { expect, test } from '@jest/globals';
import {
  cases,
  createPortsSubject,
  describeContract,
  type PartialFixtures,
  portCases,
} from '../../../src/contract/index.ts';
import { listOffered } from '../../../src/ports/index.ts';
import { YamlFile } from '../../../src/toolkit/yaml-file.ts';
import { concernsMapping } from '../../support/mapped-clinic.ts';
import { openOpenmrs } from '../../support/openmrs.ts';

const { ports } = await openOpenmrs();
const fixtures = new YamlFile('examples/hospitals/openmrs/contract.yaml').toJS() as unknown as PartialFixtures;

await describeContract(test, async () => createPortsSubject({ ports, fixtures }), {
  cases: [...cases, ...portCases].filter(concernsMapping),
});

test('the file of the example offers what its README says', () => {
  expect(listOffered(ports).toSorted()).toEqual([
    'appointments.book',
    'appointments.cancel',
    'appointments.list',
    'appointments.slots',
    'care-services.available',
    'directory.locations',
    'patients.get',
    'patients.register',
    'patients.search',
    'practitioners.list',
  ]);
});

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { fixtures } from '../../examples/clinic-adapter/test/fixtures.ts';
import { startSigho } from '../../examples/mapping-http/system/server.js';
import {
  cases,
  createPortsSubject,
  describeContract,
  type PartialFixtures,
  portCases,
} from '../../src/contract/index.ts';
import { capabilities, listOffered } from '../../src/ports/index.ts';
import { concernsMapping, leftToLocal, openMapping } from '../support/mapped-clinic.ts';
import { makeFolder } from '../support/sqlite-state.ts';

Object.assign(process.env, { SIGHO_USER: 'puente', SIGHO_PASSWORD: 'secreta' });
const sigho = await startSigho();
afterAll(() => sigho.close());

const file = join(makeFolder(), 'hospital.yaml');
const example = readFileSync('examples/mapping-http/hospital.yaml', 'utf8');
writeFileSync(file, example.replace('http://127.0.0.1:21610/sigho', sigho.url));
const ports = await openMapping(file);

/** Who and what the contract finds in `system/data.json`, and what SIGHO refuses. */
const hospital: PartialFixtures = { ...fixtures, owner: 'sigho', rules: ['one-document-per-person', 'iso-8859-1'] };

await describeContract(test, async () => createPortsSubject({ ports, fixtures: hospital }), {
  cases: [...cases, ...portCases].filter(concernsMapping),
});

test('the file of the example answers everything but what it leaves to another adapter', () => {
  const offered = listOffered(ports);
  expect(capabilities.filter((each) => !offered.includes(each))).toEqual(leftToLocal);
});

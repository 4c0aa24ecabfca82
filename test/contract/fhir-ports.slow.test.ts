import { afterAll, expect, test } from '@jest/globals';
import { listCases } from '../../src/contract/cases/index.ts';
import { createPortsSubject, describeContract, openLine } from '../../src/contract/index.ts';
import { listOffered } from '../../src/ports/index.ts';
import { toFixtures } from '../hospital-in-fhir/fixtures.ts';
import { startHospital } from '../hospital-in-fhir/start.ts';
import { readDocumentedRights } from '../support/documented-rights.ts';
import { connect } from '../support/fhir-adapter.ts';
import { offeredMethods, runsOver } from '../support/offered-methods.ts';

// The server grants what docs/reference/fhir/set-up.md says.
const { server } = await startHospital({ rights: readDocumentedRights() });
// Searches and batches change nothing, although they are sent by POST.
const line = await openLine(server.url, {
  isWrite: ({ method, path }, body) =>
    method !== 'GET' && !path.endsWith('/_search') && !body.includes('"type":"batch"'),
});
afterAll(() => line.close());

/** Every case finds the hospital as it was at the start, and an adapter that knows nothing yet. */
async function start() {
  server.reset();
  const { ports } = await connect(line);
  return createPortsSubject({ ports, fixtures: toFixtures(server.ids), line });
}

const all = listCases({ isFresh: true, inProcess: true, canFail: true });
await describeContract(test, start, { cases: all.filter(runsOver(offeredMethods.fhir)), complete: true });

test('the adapter offers the methods that the tests expect of it', async () => {
  const { ports } = await connect(server);
  expect(listOffered(ports)).toEqual(offeredMethods.fhir);
});

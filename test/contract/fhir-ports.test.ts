import { test } from '@jest/globals';
import { createPortsSubject, describeContract } from '../../src/contract/index.ts';
import { toFixtures } from '../hospital-in-fhir/fixtures.ts';
import { startHospital } from '../hospital-in-fhir/start.ts';
import { connect } from '../support/fhir-adapter.ts';

const { server } = await startHospital();

/** Every case finds the hospital as it was at the start, and an adapter that knows nothing yet. */
async function start() {
  server.reset();
  const { ports } = await connect(server);
  return createPortsSubject({ ports, fixtures: toFixtures(server.ids) });
}

await describeContract(test, start, { complete: true });

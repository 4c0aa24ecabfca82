import { test } from '@jest/globals';
import { createPortsSubject, describeContract } from '../../src/contract/index.ts';
import type { Fault } from '../fhir-server/quirks.ts';
import { toFixtures } from '../hospital-in-fhir/fixtures.ts';
import { startHospital } from '../hospital-in-fhir/start.ts';
import { connect } from '../support/fhir-adapter.ts';

const { server } = await startHospital();

/** Every case finds the hospital as it was at the start, and an adapter that knows nothing yet. */
async function start() {
  server.reset();
  const { ports } = await connect(server);
  const fail = {
    errors: () => befall((answer) => ({ ...answer, status: 500, body: '' })),
    silence: () => befall('hang'),
  };
  return createPortsSubject({ ports, fixtures: toFixtures(server.ids), fail });
}

/** Lets this befall every request until the returned function is called. */
async function befall(answer: Fault['answer']) {
  server.quirks.fault = () => ({ commits: false, answer });
  return async () => server.reset();
}

await describeContract(test, start, { complete: true });

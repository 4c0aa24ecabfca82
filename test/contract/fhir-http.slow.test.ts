import { afterAll, afterEach, test } from '@jest/globals';
import { cases, createHttpSubject, describeContract, startCases } from '../../src/contract/index.ts';
import { capabilities } from '../../src/ports/index.ts';
import { medplum } from '../fhir-server/quirks.ts';
import { toFixtures } from '../hospital-in-fhir/fixtures.ts';
import { startHospital } from '../hospital-in-fhir/start.ts';
import { readDocumentedRights } from '../support/documented-rights.ts';
import { startFhirGateway } from '../support/fhir-gateway.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { startReceiver } from '../support/otlp-receiver.ts';

// The server behaves like Medplum and grants what docs/fhir/set-up.md says.
const { server } = await startHospital({ ...medplum, rights: readDocumentedRights() });
const collector = await startReceiver();
const running: RunningGateway[] = [];

async function start() {
  server.reset();
  const gateway = await startFhirGateway(server, { PUENTE_TRACING_URL: collector.url });
  running.push(gateway);
  return createHttpSubject({
    baseUrl: gateway.url,
    token: gateway.token,
    supports: capabilities,
    fixtures: toFixtures(server.ids),
  });
}

afterEach(async () => {
  for (const gateway of running.splice(0)) await gateway.stop();
});

afterAll(() => collector.expectNoLeaks());

await describeContract(test, start, { cases: [...startCases, ...cases], complete: true });

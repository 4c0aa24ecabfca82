import { afterEach, describe, test } from '@jest/globals';
import { cases, createHttpSubject, startCases } from '../../src/contract/index.ts';
import { capabilities } from '../../src/ports/index.ts';
import { medplum } from '../fhir-server/quirks.ts';
import { toFixtures } from '../hospital-in-fhir/fixtures.ts';
import { startHospital } from '../hospital-in-fhir/start.ts';
import { expectPass, nameCases } from '../support/contract.ts';
import { readDocumentedRights } from '../support/documented-rights.ts';
import { startFhirGateway } from '../support/fhir-gateway.ts';
import type { RunningGateway } from '../support/gateway.ts';

const { server } = await startHospital({ ...medplum, rights: readDocumentedRights() });
const running: RunningGateway[] = [];

async function start() {
  server.reset();
  const gateway = await startFhirGateway(server);
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

const all = [...startCases, ...cases];

describe('the FHIR adapter keeps the contract over HTTP, on a server that behaves like Medplum and grants what set-up.md says', () => {
  test.each(nameCases(all))('%s: %s', (_id, _title, one) => expectPass(one, start));
});

import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { fhir } from '../../adapters/fhir/index.ts';
import { cases, createHttpSubject, runCase, startCases } from '../../src/contract/index.ts';
import { medplum } from '../fhir-server/quirks.ts';
import { startFhirServer } from '../fhir-server/server.ts';
import { toFixtures } from '../hospital-in-fhir/fixtures.ts';
import { buildHospital } from '../hospital-in-fhir/hospital.ts';
import { NS, terms } from '../hospital-in-fhir/terms.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';

const server = await startFhirServer({ resources: buildHospital(new Date()), quirks: medplum });
const environment = {
  PUENTE_ADAPTER_SETTINGS_BASE_URL: server.url,
  PUENTE_ADAPTER_SETTINGS_NAMESPACE: NS,
  PUENTE_ADAPTER_SETTINGS_SYSTEMS_MRN: JSON.stringify([terms.mrn]),
  PUENTE_ADAPTER_SETTINGS_TICKET_FILES_ORIGINS: JSON.stringify([server.fileOrigin]),
};
const running: RunningGateway[] = [];

async function start() {
  server.reset();
  const gateway = await startGateway({ file: 'config/fhir.yaml', environment });
  running.push(gateway);
  return createHttpSubject({
    baseUrl: gateway.url,
    token: gateway.token,
    supports: fhir.supports,
    fixtures: toFixtures(server.ids),
  });
}

afterEach(async () => {
  for (const gateway of running.splice(0)) await gateway.stop();
});

afterAll(() => server.stop());

const all = [...startCases, ...cases];

describe('the FHIR adapter keeps the contract over HTTP, on a server that behaves like Medplum', () => {
  test.each(all.map((one) => [one.id, one.title, one] as const))('%s: %s', async (_id, _title, one) => {
    const { outcome, error, reason } = await runCase(one, start);
    if (error !== undefined) throw error;
    expect([outcome, reason]).toEqual(['pass', undefined]);
  });
});

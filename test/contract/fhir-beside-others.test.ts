import { afterAll, describe, expect, test } from '@jest/globals';
import { cases, runCase } from '../../src/contract/index.ts';
import { startHospital } from '../hospital-in-fhir/start.ts';
import { startLiveGateway } from '../support/live-gateway.ts';

// What `npm run test:live` does with a server of somebody else, on one that holds another hospital and behaves like HAPI.
const { server } = await startHospital();
const { subject, stop } = await startLiveGateway({ baseUrl: server.url });

afterAll(stop);

describe('the FHIR adapter keeps the contract on a server that holds other data, in one go', () => {
  test.each(cases.map((one) => [one.id, one.title, one] as const))('%s: %s', async (_id, _title, one) => {
    const { outcome, error, reason } = await runCase(one, async () => subject);
    if (error !== undefined) throw error;
    expect([outcome, reason]).toEqual(['pass', undefined]);
  });
});

import { afterAll, describe, test } from '@jest/globals';
import { cases } from '../../src/contract/index.ts';
import { startHospital } from '../hospital-in-fhir/start.ts';
import { expectPass, nameCases } from '../support/contract.ts';
import { startLiveGateway } from '../support/live-gateway.ts';

// What `npm run test:live` does with a server of somebody else, on one that holds another hospital and behaves like HAPI with
// request validation.
const { server } = await startHospital({ validation: 'on' });
const { subject, stop } = await startLiveGateway({ baseUrl: server.url });

afterAll(stop);

describe('the FHIR adapter keeps the contract on a server that holds other data, in one go', () => {
  test.each(nameCases(cases))('%s: %s', (_id, _title, one) => expectPass(one, async () => subject));
});

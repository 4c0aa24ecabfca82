import { afterAll, test } from '@jest/globals';
import { cases, describeContract } from '../../src/contract/index.ts';
import { startHospital } from '../hospital-in-fhir/start.ts';
import { startLiveGateway } from '../support/live-gateway.ts';
import { offeredMethods, runsOver } from '../support/offered-methods.ts';

// What `npm run test:live` does with a server of somebody else, on one that holds another hospital and behaves like HAPI with
// request validation.
const { server } = await startHospital({ validation: 'on' });
const { subject, stop } = await startLiveGateway({ baseUrl: server.url });

afterAll(stop);

await describeContract(test, () => subject, { cases: cases.filter(runsOver(offeredMethods.fhir)), complete: true });

import { afterAll, jest, test } from '@jest/globals';
import { cases, describeContract } from '../../src/contract/index.ts';
import { startLiveGateway } from '../support/live-gateway.ts';
import { readLiveServer } from '../support/live-server.ts';
import { offeredMethods, runsOver } from '../support/offered-methods.ts';

// npm run test:live: the contract on a FHIR server of somebody else, which may hold anything already. It leaves behind a
// hospital of its own and what the contract writes.
const { subject, stop } = await startLiveGateway(readLiveServer());

afterAll(stop);

jest.setTimeout(120_000);
await describeContract(test, () => subject, { cases: cases.filter(runsOver(offeredMethods.fhir)), complete: true });

import { afterAll, test } from '@jest/globals';
import { createPortsSubject, describeContract, openLine, sandbox } from '../../src/contract/index.ts';
import { openLegacyAdapter } from '../support/legacy/adapter.ts';
import { startLegacySystem } from '../support/legacy/system.ts';

const { url } = await startLegacySystem();
const line = await openLine(url, { maxRequests: 20 });
afterAll(() => line.close());

// Each start has a hospital of its own, and a connection that knows nothing yet.
let hospitals = 0;
const start = async () =>
  createPortsSubject({ ports: await openLegacyAdapter(`${line.url}/${hospitals++}`), fixtures: sandbox, line });

await describeContract(test, start, { name: 'an adapter over HTTP', complete: true });
